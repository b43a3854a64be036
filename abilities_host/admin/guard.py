"""Guard: what a request must be before anything of it is read."""

from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from abilities_host.server.guards import values_of
from abilities_host.server.proxies import FORWARDED_HOST

LONGEST_PATH: Final = 2_000
"""Characters; what is longer leads nowhere, and its numbers are never read."""

_READING: Final = ("GET", "HEAD")


class BearerShown(HTTPException):
    """A program showed a token; tokens open nothing here."""

    def __init__(self) -> None:
        super().__init__(403, "bearer")


class ForeignRequest(HTTPException):
    """A change was sent by another page than ours, or the browser does not say."""

    def __init__(self) -> None:
        super().__init__(403, "foreign")


class Guard:
    """Lets through what a browser sent from these pages.

    Args:
        app: what is guarded.
        public_url: gives how the host is reached, empty for the address itself.
    """

    def __init__(self, app: ASGIApp, public_url: Callable[[], str]) -> None:
        self._app: Final = app
        self._public_url: Final = public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or raise why not."""
        if len(scope["path"]) > LONGEST_PATH:
            raise HTTPException(404)
        if values_of(scope, b"authorization"):
            raise BearerShown
        if scope["method"] not in _READING and not self._is_own(scope):
            raise ForeignRequest
        await self._app(scope, receive, send)

    def _is_own(self, scope: Scope) -> bool:
        sites = values_of(scope, b"sec-fetch-site")
        origins = [v.decode("latin-1").lower() for v in values_of(scope, b"origin")]
        known = self._origins(scope)
        return sites == [b"same-origin"] and len(origins) == 1 and origins[0] in known

    def _origins(self, scope: Scope) -> set[str]:
        hosts = [v.decode("latin-1").lower() for v in values_of(scope, b"host")]
        forwarded = scope.get(FORWARDED_HOST)
        host = forwarded.lower() if forwarded else "".join(hosts)
        known = {f"{scope['scheme']}://{host}"}
        if public := self._public_url():
            parts = urlsplit(public.lower())
            known.add(f"{parts.scheme}://{parts.netloc}")
        return known
