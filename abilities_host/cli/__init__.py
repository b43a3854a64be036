"""The command line: what people and scripts do with a host on this machine."""

__all__ = ("main",)

from abilities_host.cli.app import main as main
