"""Claims: whom a token stands for, and what they may do here."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

from abilities_host.calls import Actor
from abilities_host.config.network import IssuerSettings
from abilities_host.server.issuer.verdict import NotBelieved, Reason

LONGEST_NAME: Final = 200
_HASHED: Final = "~"
_GRANTS: Final = ("scope", "scp", "roles")


def actor_of(claims: Mapping[str, Any], settings: IssuerSettings) -> Actor:
    """Give the actor that a token stands for.

    Args:
        claims: of a token that is believed.
        settings: of its issuer.

    Returns:
        An agent. Its id has a ``|``, so that no token or actor of this host can have
        the same; scopes that are not described here are none.

    Raises:
        NotBelieved: when the token names nobody.
    """
    name = claims.get(settings.actor_claim)
    if not isinstance(name, str) or not name.strip():
        raise NotBelieved(Reason.CLAIMS)
    place = _safe(urlsplit(settings.url).netloc + urlsplit(settings.url).path)
    granted = frozenset(_granted(claims, settings.scopes))
    return Actor(f"{place}|{_safe(name)}", "agent", granted)


def _granted(
    claims: Mapping[str, Any], known: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    for claim in _GRANTS:
        for name in _names_in(claims.get(claim)):
            yield from known.get(name, ())


def _names_in(value: Any) -> list[str]:
    if isinstance(value, str):
        return value.split()
    is_list = isinstance(value, list)
    return [each for each in value if isinstance(each, str)] if is_list else []


def _safe(name: str) -> str:
    """Two names never become one: what cannot be shown as it is, is hashed."""
    is_plain = name.isprintable() and " " not in name and not name.startswith(_HASHED)
    if is_plain and len(name) <= LONGEST_NAME:
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return _HASHED + digest[:32]
