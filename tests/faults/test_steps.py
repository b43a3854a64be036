"""A host killed at any step of a write leaves a record that says what is true."""

from pathlib import Path
from typing import Any

import pytest
from faults.children import Nursery
from faults.drawer import Drawer
from faults.standing import Stand
from faults.truth import check_record, shown
from faults.world import World, open_world

from abilities_host import Target

A, B = Target("drawer", "a"), Target("drawer", "b")
OLD = {"a": "old a", "b": "old b"}
HALF = {"a": "new", "b": "old b"}
NEW = {"a": "new", "b": "new"}

INTENT = ("intent", "a")
TOUCH = ("touch", "b")
DIED = ("outcome", "ran", "unknown", "host_died")
SETTLED = ("host_died", "settled_late")
UNCHANGED = ("outcome", "ran", "unknown", "unchanged", *SETTLED)
CHANGED = ("outcome", "ran", "unknown", "changed", *SETTLED)


def late(target: str) -> tuple[str, ...]:
    return ("change", target, "updated", "unknown", "changed", "settled_late")


def made(target: str) -> tuple[str, ...]:
    return ("change", target, "updated", "ok", "ok")


NONE: list[tuple[str, ...]] = []
INTENDED = [INTENT, DIED, UNCHANGED]
TOUCHED = [INTENT, TOUCH, DIED, UNCHANGED]
HALVED = [INTENT, TOUCH, DIED, late("a"), CHANGED]
DANGLING = [INTENT, TOUCH, DIED, late("a"), late("b"), CHANGED]
DONE = [INTENT, TOUCH, made("a"), made("b"), ("outcome", "ran", "ok", "ok")]

STEPS: list[tuple[str, dict[str, str], list[tuple[str, ...]]]] = [
    ("permission", OLD, NONE),
    ("targets", OLD, NONE),
    ("capture-before", OLD, NONE),
    ("before-write", OLD, NONE),
    ("intent-waits", OLD, NONE),
    ("intent-written", OLD, NONE),
    ("intent-committed", OLD, INTENDED),
    ("execute", OLD, INTENDED),
    ("before-write-b", OLD, INTENDED),
    ("touch-waits", OLD, INTENDED),
    ("touch-written", OLD, INTENDED),
    ("touch-committed", OLD, TOUCHED),
    ("half", HALF, HALVED),
    ("changed", NEW, DANGLING),
    ("capture-after", NEW, DANGLING),
    ("verify", NEW, DANGLING),
    ("result", NEW, DANGLING),
    ("outcome-waits", NEW, DANGLING),
    ("outcome-written", NEW, DANGLING),
    ("outcome-committed", NEW, DONE),
    ("after-execute", NEW, DONE),
    ("acknowledged", NEW, DONE),
]


def lay_out(folder: Path) -> None:
    (folder / "slips").mkdir()
    drawer = Drawer(folder / "slips", Stand("", None, folder))
    for name, text in OLD.items():
        drawer.put(name, text)


async def undo_all(world: World) -> list[Any]:
    """Undo what stands, newest first; gives the codes of what was refused."""
    changes = [e for e in await world.entries() if e.kind == "change"]
    outcomes = [await world.undo(changes[-1].seq)] if changes else []
    return [each.code for each in outcomes if not each.is_ok]


async def kill_at(nursery: Nursery, job: str, folder: Path, step: str) -> None:
    child = await nursery.start(job, folder=str(folder), step=step)
    await child.until(step)
    await child.kill()


@pytest.mark.parametrize(("step", "slips", "rows"), STEPS)
async def test_a_host_killed_at_a_step_is_explained_and_undone(
    tmp_path: Path,
    nursery: Nursery,
    step: str,
    slips: dict[str, str],
    rows: list[tuple[str, ...]],
) -> None:
    lay_out(tmp_path)
    await kill_at(nursery, "put", tmp_path, step)

    async with open_world(tmp_path) as world:
        assert await world.slips() == slips
        assert shown(await world.entries()) == rows
        await check_record(world, {A: OLD["a"], B: OLD["b"]})
        assert await undo_all(world) == []
        assert await world.slips() == OLD
        assert (await world.run("drawer/put", id="a", also="b", slip="next")).is_ok


SWEEP = [
    "take-waits",
    "take-written",
    "take-committed",
    "capture-before",
    "settle-waits",
    "settle-written",
    "settle-committed",
]


@pytest.mark.parametrize("step", SWEEP)
async def test_a_host_killed_while_it_settles_leaves_it_to_the_next(
    tmp_path: Path, nursery: Nursery, step: str
) -> None:
    lay_out(tmp_path)
    await kill_at(nursery, "put", tmp_path, "half")
    await kill_at(nursery, "sweep", tmp_path, step)

    async with open_world(tmp_path) as world:
        assert shown(await world.entries()) == HALVED
        await check_record(world, {A: OLD["a"], B: OLD["b"]})
        assert await undo_all(world) == []
        assert await world.slips() == OLD


UNDO_INTENT = ("intent",)
DIED_UNDOING = [UNDO_INTENT, DIED]
BACK = ("rollback", "a", "undone"), ("rollback", "b", "undone")
UNDOING: list[tuple[str, dict[str, str], list[tuple[str, ...]]]] = [
    ("capture-before", NEW, NONE),
    ("before-write-b", NEW, NONE),
    ("intent-written", NEW, NONE),
    ("intent-committed", NEW, [*DIED_UNDOING, UNCHANGED]),
    ("restore-a", NEW, [*DIED_UNDOING, UNCHANGED]),
    (
        "restored-a",
        {"a": "old a", "b": "new"},
        [*DIED_UNDOING, late("a"), CHANGED, BACK[0]],
    ),
    ("restored-b", OLD, [*DIED_UNDOING, late("a"), late("b"), CHANGED, *BACK]),
    ("outcome-waits", OLD, [*DIED_UNDOING, late("a"), late("b"), CHANGED, *BACK]),
    ("outcome-written", OLD, [*DIED_UNDOING, late("a"), late("b"), CHANGED, *BACK]),
    (
        "outcome-committed",
        OLD,
        [UNDO_INTENT, made("a"), made("b"), ("outcome", "ran", "ok", "ok"), *BACK],
    ),
]


@pytest.mark.parametrize(("step", "slips", "rows"), UNDOING)
async def test_a_host_killed_while_it_undoes_is_explained_and_goes_on(
    tmp_path: Path,
    nursery: Nursery,
    step: str,
    slips: dict[str, str],
    rows: list[tuple[str, ...]],
) -> None:
    lay_out(tmp_path)
    await kill_at(nursery, "put", tmp_path, "acknowledged")
    await kill_at(nursery, "undo", tmp_path, step)

    async with open_world(tmp_path) as world:
        assert await world.slips() == slips
        assert shown(await world.entries()) == [*DONE, *rows]
        await check_record(world, {A: OLD["a"], B: OLD["b"]})
        change = next(e for e in await world.entries() if e.kind == "change")
        left = [name for name in OLD if slips[name] != OLD[name]]
        for name in left:
            again = await world.undo(change.seq + (name == "b"))
            assert again.is_ok or again.code == "already_rolled_back"
        assert await world.slips() == OLD


@pytest.mark.parametrize(
    ("step", "is_pruned"),
    [
        ("prune-waits", False),
        ("prune-written", False),
        ("prune-committed", True),
        ("pruned", True),
    ],
)
async def test_a_host_killed_while_it_prunes_has_pruned_all_or_nothing(
    tmp_path: Path, nursery: Nursery, step: str, *, is_pruned: bool
) -> None:
    lay_out(tmp_path)
    for _ in range(2):
        await kill_at(nursery, "put", tmp_path, "acknowledged")
    async with open_world(tmp_path) as world:
        count = len(await world.entries())
    await kill_at(nursery, "prune", tmp_path, step)

    async with open_world(tmp_path) as world:
        kinds = [entry.kind for entry in await world.entries()]
        assert (await world.ledger.verify()).verdict in {"intact", "unanchored"}
    assert kinds[-1:] == (["prune"] if is_pruned else ["outcome"])
    assert len(kinds) == (2 if is_pruned else count)
