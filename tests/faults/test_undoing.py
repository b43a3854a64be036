"""Whatever was written and whatever others did since: an undo restores or refuses."""

import json
from base64 import b64encode
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from contrib.database.world import database_pack, rows_of, run_script, write_settings
from faults.world import World, open_world
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abilities_host import MISSING, Change, Outcome, State, Target, run_in_thread

LIMIT = 2048
TABLES = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, age INT);
CREATE TABLE members (team TEXT, number INT, note, PRIMARY KEY (team, number))
  WITHOUT ROWID;
"""
SETTINGS = {"path": "../content.db"}
CONFIG = f"[limits]\nstate_bytes = {LIMIT}\n{write_settings(SETTINGS)}"
PASSWORD = b'{"password":"x"}'
CLEAR = "DELETE FROM users; DELETE FROM members;"
PLACES = {"files": "content", "drawer": "slips"}
OFTEN = settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

# --- what is written --------------------------------------------------------------


def _calls(name: str, **arguments: Any) -> Any:
    return st.tuples(st.just(name), st.fixed_dictionaries(arguments))


PATHS = st.sampled_from(["a", "b", "f/a", "f/g/a"])
DATA = st.sampled_from([b"", b"old", b"\0\xff", b"old old"])
LARGE = st.sampled_from([b"old", b"large " * 400])
IDS = st.sampled_from(["a", "b"])
SLIPS = st.sampled_from(["", "one", None, [1, {"b": 2.5}], {"text": "é"}])
SECRET = st.sampled_from(["one", {"password": "s3cret"}, {"n": [{"token": "t0ken"}]}])
NUMBERS = st.integers(1, 3)
CELLS = st.one_of(st.none(), st.sampled_from(["ann", "bob", ""]))


def files(data: st.SearchStrategy[bytes]) -> Any:
    text = data.map(lambda each: b64encode(each).decode())
    folders = st.booleans()
    edit = {"old": st.just("old"), "new": st.sampled_from(["", "x"])}
    edits = st.lists(st.fixed_dictionaries(edit), min_size=1, max_size=1)
    return st.one_of(
        _calls("files/write", path=PATHS, base64=text, make_folders=folders),
        _calls("files/edit", path=PATHS, edits=edits),
        _calls("files/move", source=PATHS, destination=PATHS, overwrite=folders),
        _calls(
            "files/delete", path=st.sampled_from(["a", "f", "f/g"]), recursive=folders
        ),
    )


def slips(values: st.SearchStrategy[Any]) -> Any:
    return st.one_of(
        _calls("drawer/put", id=IDS, slip=values),
        _calls("drawer/put", id=st.just("a"), also=st.just("b"), slip=values),
    )


ROWS = st.one_of(
    _calls(
        "database/insert-row",
        table=st.just("users"),
        values=st.fixed_dictionaries({"id": NUMBERS, "name": CELLS}),
    ),
    _calls(
        "database/insert-row",
        table=st.just("members"),
        values=st.fixed_dictionaries({"team": CELLS, "number": NUMBERS}),
    ),
    _calls(
        "database/update-rows",
        table=st.just("users"),
        where=st.fixed_dictionaries({"name": CELLS}),
        values=st.fixed_dictionaries({"age": st.one_of(st.none(), NUMBERS)}),
    ),
    _calls(
        "database/delete-rows",
        table=st.sampled_from(["users"]),
        where=st.fixed_dictionaries({"id": NUMBERS}),
    ),
)
WRITES = st.lists(st.one_of(files(DATA), slips(SLIPS), ROWS), min_size=1, max_size=8)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    run_script(tmp_path / "content.db", TABLES)
    packs = [database_pack()]
    async with open_world(tmp_path, config=CONFIG, packs=packs) as world:
        yield world


def clear(world: World) -> None:
    """Start anew, as somebody outside would."""
    for name in ("content", "slips"):
        rmtree(world.folder / name)
        (world.folder / name).mkdir()
    run_script(world.folder / "content.db", CLEAR)


def everything(world: World) -> dict[str, Any]:
    """Give all that a write could have changed."""
    found: dict[str, Any] = {
        table: rows_of(world.folder / "content.db", table)
        for table in ("users", "members")
    }
    for name in ("content", "slips"):
        for path in (world.folder / name).rglob("*"):
            data = None if path.is_dir() else path.read_bytes()
            found[str(path)] = path.stat().st_mode, data
    return found


async def do(world: World, writes: Sequence[tuple[str, Any]]) -> list[Outcome]:
    outcomes = [await world.run(name, **arguments) for name, arguments in writes]
    for each in outcomes:
        assert each.status in {"ok", "failed", "refused"}, each
    return [each for each in outcomes if each.changes]


async def seq_of(world: World, outcome: Outcome) -> int:
    entries = await world.book.of_call(outcome.call)
    return next(entry.seq for entry in entries if entry.kind == "change")


@OFTEN
@given(WRITES)
async def test_writes_undone_in_reverse_give_the_start(
    world: World, writes: Any
) -> None:
    await run_in_thread(lambda: clear(world))
    start = await run_in_thread(lambda: everything(world))
    done = await do(world, writes)

    undone = [await world.undo(await seq_of(world, each)) for each in reversed(done)]

    assert [each.code for each in undone if not each.is_ok] == []
    assert await run_in_thread(lambda: everything(world)) == start


# --- what others do meanwhile -----------------------------------------------------


PLAIN = st.one_of(
    _calls("files/write", path=st.just("a"), text=st.sampled_from(["one", "two"])),
    _calls("drawer/put", id=st.just("a"), slip=st.sampled_from(["one", "two"])),
)
SQL = (
    "UPDATE users SET age = 9 WHERE id = 1",
    "UPDATE users SET age = 8",
    "DELETE FROM users WHERE id = 1",
    "INSERT OR IGNORE INTO users VALUES (1, 'zoe', 7)",
)
OUTSIDE = st.one_of(
    st.tuples(st.just("content"), PATHS, st.one_of(st.none(), LARGE)),
    st.tuples(st.just("slips"), IDS, st.sampled_from([None, b'"x"', PASSWORD])),
    st.tuples(st.just(""), st.sampled_from(SQL), st.none()),
)
UNDO = st.tuples(st.integers(-2, -1), st.booleans())
STEP = st.tuples(
    st.one_of(PLAIN, PLAIN, files(LARGE), slips(SECRET), ROWS),
    st.one_of(st.none(), OUTSIDE),
    st.one_of(st.none(), UNDO, UNDO),
)


def edit_outside(world: World, place: str, name: str, data: bytes | None) -> None:
    if not place:
        run_script(world.folder / "content.db", name)
        return
    path = world.folder / place / name
    if path.is_dir() or not path.parent.is_dir():
        return
    if data is None:
        path.unlink(missing_ok=True)
    else:
        path.write_bytes(data)


async def states(world: World, changes: Sequence[Change]) -> dict[Target, State]:
    found = {}
    for target in [change.target for change in changes]:
        domain = world.host.registry.get_domain(target.domain)
        found[target] = await domain.capture(target.name)
    return found


@OFTEN
@given(st.lists(STEP, min_size=2, max_size=8))
async def test_an_undo_gives_exactly_what_was_or_changes_nothing(
    world: World, steps: Any
) -> None:
    await run_in_thread(lambda: clear(world))
    done: list[Outcome] = []
    for write, outside, undo in steps:
        done += await do(world, [write])
        if outside is not None:
            await run_in_thread(partial(edit_outside, world, *outside))
        if done and undo is not None:
            number, is_forced = undo
            await check_undo(world, done[max(number, -len(done))], is_forced=is_forced)


async def check_undo(world: World, outcome: Outcome, *, is_forced: bool) -> None:
    seq = await seq_of(world, outcome)
    before = await run_in_thread(lambda: everything(world))
    found = await states(world, outcome.changes)
    listed = await world.ledger.get_change(seq)
    assert listed

    undone = await world.undo(seq, force=is_forced)

    after = await run_in_thread(lambda: everything(world))
    if not undone.is_ok:
        assert undone.status == "refused"
        assert after == before
        return
    was = {change.target: change.before for change in outcome.changes}
    left = {change.target: change.after for change in outcome.changes}
    assert not listed.is_rolled_back
    assert is_forced or found == left, "an undo wrote over what others had written"
    assert await states(world, outcome.changes) == was
    for target, state in found.items():
        assert state == was[target] or is_kept(state), "gone, and not kept"
    changed = {p for p in before.keys() | after if before.get(p) != after.get(p)}
    assert changed <= {place_of(world, target) for target in was}


def place_of(world: World, target: Target) -> str:
    """Say where in `everything` a target stands."""
    if target.domain == "database":
        return target.name.partition("/")[0]
    return str(world.folder / PLACES[target.domain] / target.name)


def is_kept(state: State) -> bool:
    """Answer whether the record keeps more of a state than its digest."""
    text = json.dumps(None if state is MISSING else state)
    return len(text) <= LIMIT and not any(word in text for word in ("pass", "token"))


@pytest.mark.parametrize(
    ("ability", "place", "data"),
    [
        ("files/write", "content", b"large " * 400),
        ("drawer/put", "slips", PASSWORD),
    ],
)
async def test_force_never_destroys_what_the_record_would_not_keep(
    world: World, ability: str, place: str, data: bytes
) -> None:
    names = (
        {"path": "a", "text": "one"} if place == "content" else {"id": "a", "slip": 1}
    )
    outcome = await world.run(ability, **names)
    path = world.folder / place / "a"
    await run_in_thread(lambda: path.write_bytes(data))

    refused = await world.undo(await seq_of(world, outcome), force=True)

    assert refused.code == "partial"
    assert await run_in_thread(path.read_bytes) == data


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
async def test_undoing_an_undo_turns_back_all_it_did(world: World, depth: int) -> None:
    outcome = await world.run("drawer/put", id="a", slip="one")
    chain = [await seq_of(world, outcome)]
    for _ in range(depth):
        chain.append(await seq_of(world, await world.undo(chain[-1])))

    listed = [await world.ledger.get_change(seq) for seq in chain]

    is_there = depth % 2 == 0
    assert await world.slips() == ({"a": "one"} if is_there else {})
    assert [each and each.is_rolled_back for each in listed] == [
        (depth - number) % 2 == 1 for number in range(depth + 1)
    ]
