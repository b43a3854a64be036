"""Tokens: what instructions and listing cost a model, for each ability and pack."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import orjson

from abilities_host.cli.printing import say, show_table, wrapped
from abilities_host.cli.projected import chosen_profile
from abilities_host.cli.running import with_host

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host
    from abilities_host.schema.profiles import Profile
    from abilities_host.server.listing import Listing

CHARACTERS: Final = 4
MODES: Final = ("full", "compact")

_METHOD: Final = (
    f"characters of the JSON on the wire, divided by {CHARACTERS} and rounded up; "
    "the tokens of a model differ"
)


def token_costs(loaded: "LoadedConfig", profile: str | None = None) -> dict[str, Any]:
    """Count what clients of the server are shown, listed in full and compact.

    Args:
        loaded: the configuration; the scopes are those of ``[actors.stdio]``.
        profile: name of that of the clients, None for the server's own.

    Returns:
        ``method``, ``era``, ``profile``, and for each mode ``tokens`` of the whole
        listing, ``abilities`` and ``packs``, and ``instructions``, which come on top.

    Raises:
        typer.BadParameter: when there is no such profile.
    """
    # Slow imports that only this option needs; they read files, so no loop runs yet.
    import mcp.shared.inbound  # noqa: F401, PLC0415 - the listing needs it

    from abilities_host.server.eras import MODERN  # noqa: PLC0415
    from abilities_host.server.instructions import Instructions  # noqa: PLC0415
    from abilities_host.server.listing import Listing  # noqa: PLC0415
    from abilities_host.server.spec import ServerSpec  # noqa: PLC0415

    async def count(host: "Host") -> dict[str, Any]:
        spec, clients = ServerSpec.from_host(host), chosen_profile(host, profile)
        costs: dict[str, Any] = {"profile": clients.name}
        for mode in MODES:
            server = partial(replace, spec, is_compact=mode == "compact")
            listing = Listing(host, server)
            tools = await listing.tools(MODERN, host.actor("stdio"), clients)
            told = _tokens(await Instructions(host, server).text())
            costs[mode] = {"instructions": told, **_costs(listing, tools, clients)}
        return costs

    return {"method": _METHOD, "era": MODERN, **with_host(loaded, count)}


def show_tokens(costs: Mapping[str, Any]) -> None:
    """Print the costs for a person.

    Args:
        costs: from `token_costs`.
    """
    _show_table("NAME", costs, "abilities")
    say()
    _show_table("PACK", costs, "packs")
    say()
    for mode in MODES:
        count, tokens = len(costs[mode]["abilities"]), costs[mode]["tokens"]
        told = f"and {costs[mode]['instructions']:,} for the instructions"
        say(f"The {mode} listing: {count} tools, {tokens:,} tokens {told}.")
    say(wrapped(f"Counted for {costs['profile']}: {costs['method']}."))


def _costs(
    listing: "Listing", tools: list[Mapping[str, Any]], clients: "Profile"
) -> dict[str, Any]:
    abilities, packs = [], Counter[str]()
    for tool in tools:
        exposed = listing.find(tool["name"], profile=clients)
        if exposed is not None:
            name, pack = exposed.ability.name, exposed.ability.pack
            tokens = _tokens(tool)
            packs[pack] += tokens
            abilities.append({"name": name, "pack": pack, "tokens": tokens})
    return {
        "tokens": _tokens(tools),
        "abilities": abilities,
        "packs": [{"name": pack, "tokens": packs[pack]} for pack in sorted(packs)],
    }


def _tokens(value: Any) -> int:
    characters = len(orjson.dumps(value).decode())
    return -(-characters // CHARACTERS)


def _show_table(title: str, costs: Mapping[str, Any], kind: str) -> None:
    found = {
        mode: {row["name"]: str(row["tokens"]) for row in costs[mode][kind]}
        for mode in MODES
    }
    names = sorted({name for rows in found.values() for name in rows})
    rows = [[name, *(found[mode].get(name, "-") for mode in MODES)] for name in names]
    show_table((title, *(mode.upper() for mode in MODES)), rows)
