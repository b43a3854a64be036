"""The command ``plugins``: which packs there are, and what became of each."""

from typing import TYPE_CHECKING, Any

from abilities_host.cli.log import quieten_log
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import complain, say_json, show_table
from abilities_host.cli.running import load, with_host

if TYPE_CHECKING:
    from abilities_host.hooks.packs import Pack
    from abilities_host.host import Host


def list_plugins(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """List the packs, what became of each, and why."""

    async def read(host: "Host") -> list[dict[str, Any]]:
        return [_facts(pack) for pack in host.packs]

    quieten_log()
    packs = with_host(load(config), read)
    if as_json:
        say_json({"plugins": packs})
    else:
        _show(packs)


def _show(packs: list[dict[str, Any]]) -> None:
    rows = [
        (
            pack["name"],
            pack["version"] or "-",
            pack["state"],
            ", ".join(pack["namespaces"]) or "-",
            pack["reason"],
        )
        for pack in packs
    ]
    show_table(("NAME", "VERSION", "STATE", "NAMESPACES", "REASON"), rows)
    for pack in packs:
        for sentence in pack["quarantined"]:
            complain("quarantined", sentence)


def _facts(pack: "Pack") -> dict[str, Any]:
    return {
        "name": pack.identity,
        "version": pack.version,
        "policy": pack.is_policy,
        "state": pack.state,
        "reason": pack.reason,
        "namespaces": list(pack.namespaces),
        "quarantined": [*pack.refused, *pack.refused_profiles, *pack.refused_pages],
    }
