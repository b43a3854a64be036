"""What must be true of a record whatever was killed, and when."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from faults.world import World

from abilities_host import State, Target, run_in_thread
from abilities_host.ledger import Entry
from abilities_ledger.content import digest_of

Digest = bytes | None


async def check_record(world: World, started: Mapping[Target, State]) -> None:
    """Check what holds once every host but this one is dead, and was swept after.

    Args:
        world: the host.
        started: what was there before the first write; MISSING where it is not said.
    """
    entries = await world.entries()
    assert (await world.ledger.verify()).verdict in {"intact", "unanchored"}
    assert await world.store.read("SELECT call FROM ledger_open") == []
    assert await _leases(world) == [world.host.lease.id]
    _check_endings(entries)
    explained = explain(entries, started)
    found = {target: await _digest(world, target) for target in explained}
    assert found == explained


def _check_endings(entries: Iterable[Entry]) -> None:
    """Each intent has an end, and unknown comes twice: before and after a look."""
    intents = {e.call for e in entries if e.kind == "intent"}
    ends: dict[str, list[tuple[str, list[str]]]] = {call: [] for call in intents}
    for entry in entries:
        if entry.kind == "outcome":
            ends[entry.call].append((entry.result, entry.details["flags"]))
        if entry.kind == "change":
            assert entry.call in intents, "a change without an intent"
            assert entry.partial != "foreign"
    dead = [
        ("unknown", ["host_died"]),
        ("unknown", ["host_died", "settled_late"]),
    ]
    for call, said in ends.items():
        assert len(said) == 1 or said == dead, (call, said)


def explain(
    entries: Sequence[Entry], started: Mapping[Target, State]
) -> dict[Target, Digest]:
    """Follow each target from change to change; a gap is a change nobody recorded.

    Args:
        entries: all of them.
        started: what was there before the first one.

    Returns:
        What must be there now.
    """
    now = {target: digest_of(state) for target, state in started.items()}
    for change in in_order(entries):
        target = Target(change.domain, change.target)
        assert now.get(target) == change.before, f"{target} before entry {change.seq}"
        now[target] = change.after
    return now


def in_order(entries: Sequence[Entry]) -> list[Entry]:
    """Give the changes in the order in which they were made.

    A target is locked from the entry that says what was there up to its change, so
    these entries of two runs never cross.
    """
    found: dict[tuple[str, Target], int] = {}
    for entry in entries:
        if entry.kind == "touch":
            target = Target(entry.domain, entry.target)
            found.setdefault((entry.call, target), entry.seq)
        if entry.kind == "intent":
            for domain, name, *_ in entry.details["targets"]:
                found[entry.call, Target(domain, name)] = entry.seq
    changes = [entry for entry in entries if entry.kind == "change"]
    return sorted(changes, key=lambda e: found[e.call, Target(e.domain, e.target)])


async def _digest(world: World, target: Target) -> Digest:
    domain = world.host.registry.get_domain(target.domain)
    return digest_of(await domain.capture(target.name))


async def _leases(world: World) -> list[str]:
    folder = world.folder / "host" / "leases"
    return await run_in_thread(lambda: [path.name for path in folder.glob("[!.]*")])


def shown(entries: Iterable[Entry]) -> list[tuple[Any, ...]]:
    """Give what one line of a test says of each entry."""
    return [
        tuple(
            word
            for word in (
                *(e.kind, e.target, e.action, e.result, e.real),
                *(e.details.get("flags") or ()),
            )
            if word
        )
        for e in entries
    ]
