"""Resource: how a client that has no token finds out where to get one."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from pydantic import AnyHttpUrl

from abilities_host.calls import Actor
from abilities_host.config.network import IssuerSettings

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"

_SCOPE: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")
_UNQUOTABLE: Final = re.compile(r"[^\x20\x21\x23-\x5b\x5d-\x7e]")


@lru_cache(maxsize=256)  # every request with a token asks
def resource_url(base: str, route: str) -> str:
    """Write the address of a server in its one spelling, as clients ask for it.

    Args:
        base: how the host is reached, such as ``https://abilities.example.org``.
        route: of the server, such as ``/mcp``.

    Returns:
        The address, which tokens for this server have as their audience.
    """
    return str(AnyHttpUrl(base.rstrip("/") + route))


def document_url(resource: str) -> str:
    """Say where a server's metadata is.

    Args:
        resource: its address.

    Returns:
        An absolute address, for the challenge.
    """
    parts = urlsplit(resource)
    path = WELL_KNOWN + parts.path.rstrip("/")
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def document_paths(resource: str, route: str, *, is_first: bool) -> tuple[str, ...]:
    """List the paths at which a server's metadata must be answered.

    Args:
        resource: its address as clients know it; a proxy may put something before the
            route.
        route: its path in this host.
        is_first: whether it is the host's first, which has the bare path as well.

    Returns:
        One to three paths, each once.
    """
    suffixes = (urlsplit(resource).path.rstrip("/"), route.rstrip("/"))
    paths = [WELL_KNOWN + suffix for suffix in suffixes]
    return tuple(dict.fromkeys([*paths, WELL_KNOWN] if is_first else paths))


def resource_document(
    resource: str, settings: IssuerSettings, *, title: str = ""
) -> dict[str, Any]:
    """Describe a server to clients, as in RFC 9728.

    Args:
        resource: its address, exactly as clients ask for it.
        settings: of the issuer whose tokens it believes.
        title: what a person may read; empty for nothing.

    Returns:
        A JSON object.
    """
    names = sorted(filter(_SCOPE.fullmatch, settings.scopes))
    document: dict[str, Any] = {
        "resource": resource,
        "authorization_servers": [settings.url],
        "bearer_methods_supported": ["header"],
    }
    if names:
        document["scopes_supported"] = names
    if title:
        document["resource_name"] = title
    return document


def scope_for(required: str, settings: IssuerSettings) -> str | None:
    """Find what a client should ask the issuer for.

    Args:
        required: a scope of this host.
        settings: of the issuer.

    Returns:
        The issuer's scope that gives it and as little else as possible, None when
        none does.
    """
    fitting = [
        (len(scopes), name)
        for name, scopes in settings.scopes.items()
        if _SCOPE.fullmatch(name)
        and Actor("", "agent", frozenset(scopes)).may(required)
    ]
    return min(fitting)[1] if fitting else None


def challenge(
    resource: str, *, error: str = "", description: str = "", scopes: Iterable[str] = ()
) -> str:
    """Write the header ``WWW-Authenticate`` of a refusal.

    Args:
        resource: the server's address.
        error: ``invalid_token`` or ``insufficient_scope``; empty for a request
            without a token.
        description: a sentence for whoever writes the client.
        scopes: of the issuer, that a client should ask for.

    Returns:
        The value of the header; nothing in it can end a quoted text early.
    """
    said = {
        "error": error,
        "error_description": description,
        "scope": " ".join(filter(_SCOPE.fullmatch, scopes)),
        "resource_metadata": document_url(resource),
    }
    texts = (
        f'{name}="{_UNQUOTABLE.sub("_", text)}"' for name, text in said.items() if text
    )
    return f"Bearer {', '.join(texts)}"
