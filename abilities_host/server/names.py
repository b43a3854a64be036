"""Names: by which names a host is reached, and from which pages."""

import logging
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from abilities_host.config.network import HttpSettings
from abilities_host.server.guards import refusal, values_of
from abilities_host.server.proxies import FORWARDED_HOST

log = logging.getLogger(__name__)

LOOPBACK: Final = ("127.0.0.1", "[::1]", "localhost")

_NAME: Final = (
    "This host does not serve that name. Its owner can allow it with [http] hosts."
)
_ORIGIN: Final = (
    "Pages of that origin may not call this host. Its owner can allow it with [http] "
    "origins."
)
_LABEL: Final = "[a-z0-9_-]+"
_PORT: Final = "(?::[0-9]{1,5})?"
_TOLD: Final = 100
_SHOWN: Final = re.compile(r"[^\w.:\[\]/-]")


class NamesGuard:
    """Lets only requests through that were meant for this host.

    A page in a browser can have a foreign name lead here, or send requests from its
    own origin; both say so in a header.

    Args:
        app: what is guarded.
        settings: gives what the configuration says now.
        names: names that are right besides, with brackets for IPv6, at any port.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Callable[[], HttpSettings] = HttpSettings,
        names: Iterable[str] = LOOPBACK,
    ) -> None:
        self._app: Final = app
        self._settings: Final = settings
        self._names: Final = tuple(names)
        self._told: Final[set[str]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        refused = self._refusal(scope) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        settings = self._settings()
        names = _pattern(self._names, settings.hosts, settings.public_url)
        hosts = values_of(scope, b"host")
        forwarded = scope.get(FORWARDED_HOST)
        said = [each.decode("latin-1") for each in hosts] + (
            [forwarded] if forwarded else []
        )
        if len(hosts) != 1 or not all(names.fullmatch(each.lower()) for each in said):
            self._tell("hosts", said)
            return refusal(421, _NAME, code="host_not_allowed")
        for value in values_of(scope, b"origin"):
            origin = value.decode("latin-1").lower()
            if not _is_own(origin, names) and origin not in settings.origins:
                self._tell("origins", [origin])
                return refusal(403, _ORIGIN, code="origin_not_allowed")
        return None

    def _tell(self, setting: str, said: list[str]) -> None:
        """The owner reads what to write, once; the stranger reads nothing of it."""
        shown = _SHOWN.sub("?", ", ".join(said)[:_TOLD]) or "none"
        if shown not in self._told and len(self._told) < _TOLD:
            self._told.add(shown)
            log.warning(
                "a request for %s was refused; if it is yours, add it to [http] %s",
                shown,
                setting,
            )


def _is_own(origin: str, names: re.Pattern[str]) -> bool:
    scheme, separator, host = origin.partition("://")
    is_web = scheme in ("http", "https") and bool(separator)
    return is_web and names.fullmatch(host) is not None


@lru_cache(maxsize=64)
def _pattern(
    own: tuple[str, ...], hosts: tuple[str, ...], public_url: str
) -> re.Pattern[str]:
    public = urlsplit(public_url).netloc.lower() if public_url else ""
    written = [*own, *hosts, *([public] if public else [])]
    return re.compile("|".join(map(_one, written)))


def _one(written: str) -> str:
    """A star stands for one part of a name, a written port for that port only."""
    name, colon, port = written.rpartition(":")
    if not colon or not port.isdigit():
        name, port = written, ""
    labels = [_LABEL if label == "*" else re.escape(label) for label in name.split(".")]
    # A dot at the end of a name means the same name.
    end = "" if name.endswith("]") else r"\.?"
    return "[.]".join(labels) + end + (f":{port}" if port else _PORT)
