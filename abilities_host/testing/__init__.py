"""For pack authors: a host in a test, checks of a pack, a recorder that remembers."""

__all__ = (
    "RecordedEvent",
    "RecorderFailed",
    "RecordingRecorder",
    "build_host",
    "check_pack",
    "check_undo",
    "installed_pack",
    "register_strictly",
    "write_config",
)

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abilities_host.testing.build import build_host as build_host
    from abilities_host.testing.build import write_config as write_config
    from abilities_host.testing.checks import check_pack as check_pack
    from abilities_host.testing.recorder import RecordedEvent as RecordedEvent
    from abilities_host.testing.recorder import RecorderFailed as RecorderFailed
    from abilities_host.testing.recorder import RecordingRecorder as RecordingRecorder
    from abilities_host.testing.strict import register_strictly as register_strictly
    from abilities_host.testing.undo import check_undo as check_undo
    from abilities_host.testing.undo import installed_pack as installed_pack

_MODULES = {
    "RecordedEvent": "recorder",
    "RecorderFailed": "recorder",
    "RecordingRecorder": "recorder",
    "build_host": "build",
    "check_pack": "checks",
    "check_undo": "undo",
    "installed_pack": "undo",
    "register_strictly": "strict",
    "write_config": "build",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for; every pytest run imports this package, few use it."""
    if name not in _MODULES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
