"""For pack authors: a host in a test, checks of a pack, a recorder that remembers."""

__all__ = (
    "RecordedEvent",
    "RecorderFailed",
    "RecordingRecorder",
    "build_host",
    "check_pack",
    "register_strictly",
    "write_config",
)

from abilities_host.testing.build import build_host as build_host
from abilities_host.testing.build import write_config as write_config
