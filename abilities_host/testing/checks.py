"""Checks: what would trouble the clients or the operator of a pack."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from abilities_host.ability import Ability
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.names import TOOL_NAME_LIMIT, exposed_name
from abilities_host.server.listing import check_wire
from abilities_host.testing.build import build_host
from abilities_host.threads import run_in_thread

SHORTEST_DESCRIPTION: Final = 12
LONGEST_DESCRIPTION: Final = 1024

Check = Callable[[Ability], Iterator[str]]


async def check_pack(
    pack: Pack | tuple[str, Any], folder: Path, *, config: str = ""
) -> list[str]:
    """Start a host with one pack and say everything that is wrong with it.

    Args:
        pack: a pack, or its name and a module or object with hook implementations.
        folder: where the host's files may lie, such as `tmp_path`.
        config: TOML text, for a pack that needs settings.

    Returns:
        One sentence for each problem, with the ability's name and the fix; empty when
        there is none.
    """
    pack = pack if isinstance(pack, Pack) else local_pack(*pack)
    async with build_host(folder, packs=[pack], config=config) as host:
        abilities = host.registry.list_abilities()
    if not pack.is_healthy:
        return [f"the pack was set aside at {pack.reason}"]
    # The first look at a wire form imports the protocol, which reads the disk.
    found = await run_in_thread(lambda: [*map(_problems_of, abilities)])
    refused = (*pack.refused, *pack.refused_profiles, *pack.refused_pages)
    return [*refused, *_missing(pack, abilities), *chain.from_iterable(found)]


def _problems_of(ability: Ability) -> list[str]:
    return [f"{ability.name!r}: {why}" for check in _CHECKS for why in check(ability)]


def _missing(pack: Pack, abilities: Sequence[Ability]) -> Iterator[str]:
    if not abilities and not pack.refused and not pack.is_policy:
        yield "the pack registers no ability; implement register_abilities"


def _check_name(ability: Ability) -> Iterator[str]:
    tool = exposed_name(ability.name)
    if len(ability.name) > TOOL_NAME_LIMIT:
        yield f"clients see it as {tool!r}; use {TOOL_NAME_LIMIT} characters at most"


def _check_description(ability: Ability) -> Iterator[str]:
    size = len(ability.description.strip())
    if size < SHORTEST_DESCRIPTION or ability.description == ability.label:
        yield "describe what it does and returns; a model chooses it by that"
    if size > LONGEST_DESCRIPTION:
        yield f"describe it in {LONGEST_DESCRIPTION} characters; some clients cut there"


def _check_annotations(ability: Ability) -> Iterator[str]:
    notes = ability.annotations
    if notes.readonly is None and not ability.is_route:
        yield "say meta.annotations.readonly; unmarked, it counts as a write"
    elif ability.is_write and notes.destructive is None and not ability.is_route:
        yield "say meta.annotations.destructive; unmarked, clients always ask"


def _check_output(ability: Ability) -> Iterator[str]:
    component = ability.component
    if component.kind != "tool" or component.gives_content:
        return  # the protocol itself says what comes back
    if not ability.is_write and not ability.is_route and ability.output_schema is None:
        yield "add an output_schema; a read is worth what its result says"


def _check_wire(ability: Ability) -> Iterator[str]:
    for fault in check_wire(ability):
        yield f"clients cannot list it: {fault}"


_CHECKS: Final[tuple[Check, ...]] = (
    _check_name,
    _check_description,
    _check_annotations,
    _check_output,
    _check_wire,
)
