"""Catalogue: abilities and packs as the page of tools shows them, in bounds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from abilities_host.ability import Ability
from abilities_host.admin.awaited import DEFINITION
from abilities_host.errors import AbilitiesError
from abilities_host.frozen import thaw
from abilities_host.gate import Gate
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.names import exposed_name
from abilities_host.pins import Change, Pins
from abilities_host.requestlog.query import RequestQuery
from abilities_host.requestlog.reading import RequestReader
from abilities_host.requestlog.statistics import Row, summed_up
from abilities_host.schema.profiles import GENERIC
from abilities_host.threads import run_in_thread

SUMMED: Final = 2_000
"""The newest requests, of which calls and errors are counted."""

_CHARACTERS: Final = 4


@dataclass(frozen=True, slots=True)
class Shown:
    """An ability, in a row of the page.

    Attributes:
        ability: the record.
        state: ``on``, ``here`` when clients do not see it, or ``off``.
        why: what decided.
        kind: read, write, route, resource or prompt.
        tokens: about what it costs a model; 0 for what is no tool.
        calls: what the log knows, None for nothing.
    """

    ability: Ability
    state: str
    why: str
    kind: str
    tokens: int
    calls: Row | None


def fits(ability: Ability, asked: Mapping[str, str]) -> bool:
    """Answer whether an ability is one of those that are looked for.

    Args:
        ability: any.
        asked: ``q``, ``category`` and ``pack``, where given.
    """
    exact = (("category", ability.category), ("pack", ability.pack))
    if any(asked.get(name, found) != found for name, found in exact):
        return False
    words = asked.get("q", "").casefold().split()
    if not words:
        return True
    said = f"{ability.name} {ability.label} {ability.description}".casefold()
    return all(word in said for word in words)


def state_of(host: Host, ability: Ability) -> tuple[str, str]:
    """Say whether an ability is on, and why.

    Args:
        host: the running host.
        ability: a registered one.

    Returns:
        ``on``, ``here`` or ``off``, and what decided.
    """
    here = host.decide(ability)
    if not here.is_active:
        return "off", here.why
    there = host.decide(ability, host.config.server.id)
    return ("on", here.why) if there.is_active else ("here", there.why)


def shown(host: Host, ability: Ability, calls: Mapping[str, Row]) -> Shown:
    """Give what a row of the page says.

    Args:
        host: the running host.
        ability: a registered one.
        calls: from `calls_of`.
    """
    state, why = state_of(host, ability)
    row = calls.get(ability.name)
    return Shown(ability, state, why, _kind(host, ability), tokens_of(ability), row)


def _kind(host: Host, ability: Ability) -> str:
    if ability.component.kind != "tool":
        return ability.component.kind
    if ability.is_route:
        return "route"
    return "write" if host.denylist.is_write(ability) else "read"


def tool_name(host: Host, ability: Ability) -> str:
    """Give the name under which most clients see an ability; empty for no tool."""
    if ability.component.kind != "tool":
        return ""
    server = host.config.server
    profile = host.profiles.get(server.profile, GENERIC)
    return exposed_name(ability.name, profile.name_budget(server.id))


def tokens_of(ability: Ability) -> int:
    """Estimate what one tool costs a model: characters of its JSON by four."""
    if ability.component.kind != "tool":
        return 0
    told = {
        "name": ability.name,
        "title": ability.label,
        "description": ability.description,
        "inputSchema": thaw(ability.shown_input_schema),
        "outputSchema": thaw(ability.shown_output_schema),
    }
    return count_tokens(told)


def count_tokens(value: Any) -> int:
    """Estimate what a JSON value costs a model: its characters by four, rounded up."""
    return -(-len(orjson.dumps(value).decode()) // _CHARACTERS)


async def calls_of(host: Host, abilities: Iterable[Ability]) -> Mapping[str, Row]:
    """Count the newest requests of some abilities.

    Args:
        host: the running host.
        abilities: those that are shown; of more it takes longer.

    Returns:
        Name to what is known; empty where the log cannot be read.
    """
    reader = RequestReader(host.loaded.requests_path)
    names = {ability.name for ability in abilities}

    def read() -> dict[str, Row]:
        newest = (each.record for each in reader.newest(RequestQuery(), SUMMED))
        rows = summed_up(each for each in newest if each.ability in names)
        return {row.name: row for row in rows}

    try:
        return await run_in_thread(read)
    except AbilitiesError:
        return {}


async def changes_by_pack(host: Host) -> Mapping[str, Sequence[Change]]:
    """Give the changed definitions of each pack that wait for a person.

    Args:
        host: the running host.

    Raises:
        StoreError: when what waits cannot be read.
    """
    try:
        pins: Pins = host.services.find(Pins)
    except LookupError:
        return {}
    gate: Gate = host.services.find(Gate)
    # Somebody may have decided since the definitions were looked at.
    waiting = (await gate.waiting()).get(DEFINITION, ()) if pins.changes else ()
    ids = {each.id for each in waiting}
    found: dict[str, list[Change]] = {}
    for change in pins.changes:
        if change.id in ids:
            found.setdefault(change.pack, []).append(change)
    return found


def packs_of(host: Host) -> Sequence[Pack]:
    """Give the packs, those with trouble first."""
    return sorted(host.packs, key=lambda pack: (pack.is_healthy, pack.identity))
