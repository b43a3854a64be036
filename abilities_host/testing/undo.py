"""Undo: whether what a pack's abilities do can really be put back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from abilities_host.calls import Actor, Outcome
from abilities_host.errors import LookupFailed
from abilities_host.hooks.finder import find_packs
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.ledger import Ledger, Query
from abilities_host.testing.build import build_host
from abilities_host.threads import run_in_thread

CALLS: Final = 100
_ACTOR: Final = Actor("tester", "human", frozenset({"*", "*:*"}))
_CONFIG: Final = "\n[ledger]\nrequired = true\n"


def installed_pack(name: str) -> Pack:
    """Give an installed pack, such as the ledger, for `build_host`.

    Args:
        name: of its entry point.

    Returns:
        A new record of it, not imported yet.

    Raises:
        LookupFailed: when none is installed under this name.
    """
    packs = {pack.name: pack for pack in find_packs(None)}
    if name not in packs:
        raise LookupFailed("installed pack", name, packs)
    return packs[name]


async def check_undo(
    pack: Pack | tuple[str, Any],
    folder: Path,
    calls: Sequence[tuple[str, Any]],
    *,
    config: str = "",
) -> list[str]:
    """Run writes of a pack, undo them in reverse, and say what did not come back.

    Args:
        pack: a pack, or its name and a module or object with hook implementations.
        folder: where the host's files may lie, such as `tmp_path`.
        calls: ability names with arguments, run in their order; at most 100.
        config: TOML text, for a pack that needs settings.

    Returns:
        One sentence for each problem; empty when everything is as it was.
    """
    packs = [await run_in_thread(lambda: installed_pack("ledger")), pack]
    async with build_host(folder, packs=packs, config=config + _CONFIG) as host:
        ends = [
            (name, await host.execute(name, given, actor=_ACTOR))
            for name, given in calls[:CALLS]
        ]
        problems = [problem for name, end in ends if (problem := _problem(name, end))]
        for name, end in reversed(ends):
            if end.changes:
                problems += await _undo(host, name, end)
    return problems


def _problem(name: str, outcome: Outcome) -> str:
    if outcome.error is not None:
        return f"{name!r} ended {outcome.status}: {outcome.error.message}"
    if not outcome.changes:
        return f"{name!r} changed nothing that the host can read; name it in changes="
    return ""


async def _undo(host: Host, name: str, outcome: Outcome) -> list[str]:
    page = await host.services.find(Ledger).list_changes(Query(ability=name, limit=500))
    [first, *_] = [e for e in page.entries if e.entry.call == outcome.call]
    arguments = {"id": first.entry.seq}
    undone = await host.execute("ledger/rollback-change", arguments, actor=_ACTOR)
    if undone.error is not None:
        return [f"the undo of {name!r} was refused: {undone.error.message}"]
    problems = []
    for change in outcome.changes:
        domain = host.registry.get_domain(change.target.domain)
        if await domain.capture(change.target.name) != change.before:
            problems.append(f"after the undo of {name!r}, {change.target} is different")
    return problems
