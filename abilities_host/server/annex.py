"""Annex: another application, served beside the servers and never below one."""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Scope

from abilities_host.host import Host


@dataclass(frozen=True, slots=True)
class Annex:
    """What is served beside.

    Attributes:
        app: serves it.
        path: where; all below it is the application's.
        port: where nothing but it is served; 0 for the port of the servers.
    """

    app: ASGIApp
    path: str
    port: int = 0

    def takes(self, scope: Scope, path: str) -> bool:
        """Answer whether a request is for it.

        Args:
            scope: of the request.
            path: that is asked for.
        """
        if self.port:
            _, port = scope.get("server") or ("", 0)
            return bool(port == self.port)
        return path == self.path or path.startswith(f"{self.path}/")


Beside = Callable[[Host], Annex | None]


def nothing_beside(_host: Host) -> None:
    """Serve nothing beside the servers."""
