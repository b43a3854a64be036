"""Describing: what a host may say of itself, without a path of this machine."""

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from abilities_host.calls import Actor
from abilities_host.loading import DISTRIBUTION

if TYPE_CHECKING:
    from abilities_host.host import Host


class Versions(NamedTuple):
    """What is installed; read once, since it is read from disk."""

    host: str
    mcp: str


def read_versions() -> Versions:
    """Read what is installed; call it in a thread."""
    return Versions(version(DISTRIBUTION), version("mcp"))


def describe_host(host: "Host", actor: Actor, server: str | None) -> Mapping[str, Any]:
    """Give facts about the host and the caller, JSON values only.

    Args:
        host: the running host.
        actor: who asks.
        server: id of the exposing server, None inside the process.

    Returns:
        ``site``, ``user``, ``environment`` and ``memory``; no path of this machine.
    """
    return {
        "site": _site(host, server),
        "user": {"id": actor.id, "kind": actor.kind, "scopes": sorted(actor.scopes)},
        "environment": _environment(host),
        "memory": _memory(host),
    }


def _site(host: "Host", server: str | None) -> dict[str, Any]:
    config = host.config
    return {
        "title": config.title,
        "summary": config.summary,
        "context": config.context,
        "version": host.versions.host,
        "server": server,
        "ledger": "recording" if host.has_recorder else "none",
        "ledger_required": config.ledger.required,
        "read_only": config.read_only,
        "abilities": len(host.registry.list_abilities()),
        "categories": len(host.registry.list_categories()),
        "policy_missing": list(host.hooks.missing_policy),
    }


def _environment(host: "Host") -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "host": host.versions.host,
        "mcp": host.versions.mcp,
        "packs": [
            {"name": pack.identity, "version": pack.version, "state": pack.state}
            for pack in host.packs
        ],
    }


def _memory(host: "Host") -> dict[str, Any]:
    memory = host.config.memory
    return {"enabled": memory.enabled, "tokens": memory.tokens}
