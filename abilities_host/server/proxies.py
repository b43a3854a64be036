"""Proxies: whose forwarded headers are believed, and what is taken from them."""

from collections.abc import Callable, MutableMapping
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any, Final

from starlette.types import ASGIApp, Receive, Scope, Send

FORWARDED_HOST: Final = "abilities_host.forwarded_host"

_FORWARDED: Final = frozenset(
    {
        *(b"forwarded", b"x-forwarded-for", b"x-forwarded-host"),
        *(b"x-forwarded-proto", b"x-forwarded-port", b"x-real-ip"),
    }
)
_HOPS: Final = 20

Networks = tuple[IPv4Network | IPv6Network, ...]


class Proxies:
    """Takes from a trusted proxy whom it speaks for, and from nobody else.

    Args:
        app: what is served.
        trusted: gives the networks of the proxies, as the configuration says now.
    """

    def __init__(self, app: ASGIApp, trusted: Callable[[], tuple[str, ...]]) -> None:
        self._app: Final = app
        self._trusted: Final = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, with forwarded headers believed or removed."""
        if scope["type"] == "http":
            _settle(scope, _networks(self._trusted()))
        await self._app(scope, receive, send)


def _settle(scope: MutableMapping[str, Any], trusted: Networks) -> None:
    headers = scope["headers"]
    if not any(name in _FORWARDED for name, _ in headers):
        return
    said = {name: value.decode("latin-1") for name, value in headers}
    client = scope.get("client") or ("", 0)
    # What nobody trusted says is not passed on: nothing behind can believe it.
    scope["headers"] = [pair for pair in headers if pair[0] not in _FORWARDED]
    if not _is_in(client[0], trusted):
        return
    scope["client"] = (_nearest(said.get(b"x-forwarded-for", ""), trusted), 0)
    if said.get(b"x-forwarded-proto") in ("http", "https"):
        scope["scheme"] = said[b"x-forwarded-proto"]
    if host := said.get(b"x-forwarded-host", "").split(",")[-1].strip():
        scope[FORWARDED_HOST] = host


def _nearest(chain: str, trusted: Networks) -> str:
    """The last that no trusted proxy added; before it anyone may have written."""
    for address in reversed(chain.split(",")[-_HOPS:]):
        if not _is_in(address.strip(), trusted):
            return _clean(address.strip())
    return ""


def _clean(address: str) -> str:
    try:
        return str(ip_address(address))
    except ValueError:
        return ""


def _is_in(address: str, networks: Networks) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    return any(parsed in network for network in networks)


@lru_cache(maxsize=16)
def _networks(written: tuple[str, ...]) -> Networks:
    return tuple(map(ip_network, written))
