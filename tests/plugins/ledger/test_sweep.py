"""What dead hosts left behind is settled once, with the facts, and not too soon."""

import asyncio
import random
import signal
from pathlib import Path
from typing import Any

import pytest
from plugins.ledger.child import Child, child
from plugins.ledger.desk import ANN, Desk, Room, brief, open_book, open_room

from abilities_host.ledger import Entry
from abilities_host.storage import Statement
from abilities_ledger.states import States
from abilities_ledger.sweep import Sweep

A = {"id": "a", "text": "new"}
DIED = ("outcome", "ran", "unknown", "host_died")
FULL = (
    "CREATE TRIGGER full BEFORE INSERT ON ledger_entry "
    "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
)


def ended(real: str) -> tuple[str, ...]:
    return ("outcome", "ran", "unknown", real, "host_died", "settled_late")


def changed(action: str, target: str = "a", *partial: str) -> tuple[str, ...]:
    said = ("change", target, action, "unknown", "changed", *partial)
    return (*said, "settled_late")


async def briefs(room: Room, after: int = 0) -> list[tuple[str, ...]]:
    return [brief(entry) for entry in await room.entries(after)]


async def open_runs(room: Room) -> list[tuple[Any, ...]]:
    return await room.book.store.read("SELECT call, phase FROM ledger_open")


def leases(folder: Path) -> set[str]:
    return {path.name for path in (folder / "host" / "leases").iterdir()}


def sweep_of(room: Room) -> Sweep:
    site = room.host.site_of(room.host.packs[0])
    return Sweep(site, room.book, States(site.get_domain, 1 << 20))


async def killed(folder: Path, name: str, **arguments: str) -> None:
    """Have a host die in the middle of a call."""
    async with child(folder, (f"notes/{name}", {**A, **arguments})) as host:
        assert await host.line() == "stopped"
        await host.kill()


# --- one dead host --------------------------------------------------------------


async def test_a_host_that_died_before_it_changed_anything(tmp_path: Path) -> None:
    await killed(tmp_path, "stand")

    async with open_room(tmp_path) as room:
        assert await briefs(room) == [("intent", "a"), DIED, ended("unchanged")]
        assert await open_runs(room) == []
        assert leases(tmp_path) == {room.host.lease.id}
        unknown, known = (await room.entries())[1:]
        assert await room.ledger.get_change(unknown.seq) is None
        assert await room.ledger.get_change(known.seq) is not None


async def test_a_host_that_died_after_the_change(tmp_path: Path) -> None:
    await killed(tmp_path, "wait")

    async with open_room(tmp_path) as room:
        assert await briefs(room) == [
            ("intent", "a"),
            DIED,
            changed("created"),
            ended("changed"),
        ]
        intent, _, change, known = await room.entries()
        assert (change.call, change.actor) == (intent.call, "ann")
        assert await room.book.state(change.after) == "new"
        assert (change.details["after_bytes"], change.details["seen_by"]) == (5, None)
        assert known.details["changes"] == 1
        assert (await room.ledger.verify()).verdict == "unanchored"


async def test_what_was_touched_while_running_is_read_too(tmp_path: Path) -> None:
    await killed(tmp_path, "wait-touched")

    async with open_room(tmp_path) as room:
        assert await briefs(room) == [
            ("intent",),
            ("touch", "a"),
            DIED,
            changed("created"),
            ended("changed"),
        ]


async def test_what_the_sweep_found_can_be_undone(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", "a", "old")
    await killed(tmp_path, "wait")

    async with open_room(tmp_path) as room:
        [change] = [e for e in await room.entries(3) if e.kind == "change"]
        undone = await room.host.execute(
            "ledger/rollback-change", {"id": change.seq}, actor=ANN
        )
        assert undone.is_ok
        assert await room.desk.notes.capture("a") == "old"


async def test_a_secret_is_compared_by_its_digest(tmp_path: Path) -> None:
    await killed(tmp_path, "wait", id="secret-a")
    await killed(tmp_path, "stand", id="secret-a")

    async with open_room(tmp_path) as room:
        assert (await briefs(room))[2:] == [
            changed("created", "secret-a", "secret"),
            ended("changed"),
            ("intent", "secret-a", "secret"),
            DIED,
            ended("unchanged"),
        ]


async def test_runs_inside_runs_are_settled_each_for_itself(tmp_path: Path) -> None:
    await killed(tmp_path, "outer-wait")

    async with open_room(tmp_path) as room:
        assert await briefs(room) == [
            ("intent",),
            ("touch", "outer"),
            ("touch", "a"),
            ("intent", "a"),
            DIED,
            changed("created", "outer"),
            changed("created"),
            ended("changed"),
            DIED,
            changed("created"),
            ended("changed"),
        ]
        outer, inner = (e for e in await room.entries() if e.kind == "intent")
        assert [e.call for e in (await room.entries())[4:]] == [
            *[outer.call] * 4,
            *[inner.call] * 3,
        ]
        assert await open_runs(room) == []


async def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    await killed(tmp_path, "wait")
    desk = Desk(tmp_path / "notes")
    desk.notes.is_broken = True

    async with open_room(tmp_path, desk=desk) as room:
        known = (await room.entries())[-1]
        assert (known.real, known.details["unreadable"]) == ("", ["notes:a"])
        assert await open_runs(room) == []


async def test_a_lost_thread_of_a_dead_host_is_unknown_once(tmp_path: Path) -> None:
    async with child(tmp_path, ("notes/hang", A), ("notes/stand", {"id": "b"})) as host:
        await host.line()
        async with open_room(tmp_path) as room, asyncio.timeout(20):
            while ("outcome", "ran", "unknown", "thread_lost") not in await briefs(
                room
            ):
                await asyncio.sleep(0.01)
        await host.kill()

    async with open_room(tmp_path) as room:
        lost = next(
            e for e in await room.entries() if e.details.get("flags") == ["thread_lost"]
        )
        ends = [brief(e) for e in await room.book.of_call(lost.call)]
        assert ends == [
            ("intent", "a"),
            ("outcome", "ran", "unknown", "thread_lost"),
            ended("unchanged"),
        ]


# --- who is dead ----------------------------------------------------------------


async def test_a_stopped_host_is_not_dead(tmp_path: Path) -> None:
    async with child(tmp_path, ("notes/wait", A)) as host:
        await host.line()
        host.process.send_signal(signal.SIGSTOP)

        async with open_room(tmp_path) as room:
            assert await sweep_of(room).run() == 0
            assert await briefs(room) == [("intent", "a")]
            assert len(leases(tmp_path)) == 2

        host.process.send_signal(signal.SIGCONT)
        await host.go()
        assert await host.process.wait() == 0

    async with open_room(tmp_path) as room:
        assert await briefs(room) == [
            ("intent", "a"),
            ("change", "a", "created", "ok", "ok"),
            ("outcome", "ran", "ok", "ok"),
        ]


async def test_a_host_does_not_sweep_its_own_runs(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        task = asyncio.create_task(room.run("wait"))
        await room.desk.reached.wait()

        assert await sweep_of(room).run() == 0

        room.desk.go_on.set()
        assert (await task).is_ok
        assert len(await room.entries()) == 3


async def test_a_host_that_lost_its_outcome_is_swept_after_it_ended(
    tmp_path: Path,
) -> None:
    async with open_room(tmp_path) as room:
        task = asyncio.create_task(room.run("wait"))
        await room.desk.reached.wait()
        await room.book.store.write([Statement(FULL)])
        room.desk.go_on.set()
        assert (await task).status == "unknown"

    async with open_book(tmp_path / "host", "abilities.db") as book:
        await book.store.write([Statement("DROP TRIGGER full")])
    async with open_room(tmp_path) as room:
        assert (await briefs(room))[1:] == [DIED, changed("created"), ended("changed")]


# --- dying while sweeping, and sweeping at once ---------------------------------


async def test_a_host_that_dies_while_it_sweeps_is_swept_itself(
    tmp_path: Path,
) -> None:
    await killed(tmp_path, "wait")
    async with child(tmp_path, ("notes/nothing", A), at="capture") as host:
        await host.line()  # it says unknown, and reads what is true
        await host.kill()

    async with open_room(tmp_path) as room:
        assert await briefs(room) == [
            ("intent", "a"),
            DIED,
            changed("created"),
            ended("changed"),
        ]
        assert await open_runs(room) == []
        assert leases(tmp_path) == {room.host.lease.id}


async def test_two_hosts_that_sweep_at_once_settle_once(tmp_path: Path) -> None:
    calls = [("notes/wait", {**A, "id": f"n{n}"}) for n in range(8)]
    async with open_room(tmp_path) as one, open_room(tmp_path) as two:
        async with child(tmp_path, *calls) as host, asyncio.timeout(30):
            while len(await open_runs(one)) < len(calls):
                await asyncio.sleep(0.01)
            await host.kill()

        settled = await asyncio.gather(sweep_of(one).run(), sweep_of(two).run())

        # Who looks at a lease in the very moment another does leaves it to that one.
        assert sum(settled) + await sweep_of(one).run() == len(calls)
        found = await one.entries()
        for call in {entry.call for entry in found}:
            ends = [e for e in found if e.call == call and e.kind == "outcome"]
            assert [e.details["flags"] for e in ends] == [
                ["host_died"],
                ["host_died", "settled_late"],
            ]
        assert await open_runs(one) == []
        assert leases(tmp_path) == {one.host.lease.id, two.host.lease.id}


async def test_a_sweep_that_is_stopped_gives_back_what_it_took(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        async with child(tmp_path, ("notes/wait", A)) as host:
            await host.line()
            [(lease,)] = await room.book.store.read("SELECT lease FROM ledger_open")
            await host.kill()
        room.desk.notes.stops_at = {"capture"}
        sweeping = asyncio.create_task(sweep_of(room).run())
        await room.desk.reached.wait()
        sweeping.cancel()
        await asyncio.wait([sweeping])

        rows = await room.book.store.read("SELECT lease, phase FROM ledger_open")
        assert rows == [(lease, "unknown")]
        room.desk.notes.stops_at = set()
        assert await sweep_of(room).run() == 1
        assert (await briefs(room))[1:] == [DIED, changed("created"), ended("changed")]


async def test_what_cannot_be_settled_is_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_room(tmp_path) as room:
        async with child(tmp_path, ("notes/wait", A)) as host:
            await host.line()
            await host.kill()
        late = FULL.replace("BEGIN", "WHEN new.real <> '' BEGIN", 1)
        await room.book.store.write([Statement(late)])
        sweep = sweep_of(room)

        assert await sweep.run() == 0
        assert await sweep.run() == 0
        assert "cannot be settled yet" in caplog.text
        await room.book.store.write([Statement("DROP TRIGGER full")])

        assert await sweep.run() == 1
        assert (await briefs(room))[1:] == [DIED, changed("created"), ended("changed")]


async def test_what_cannot_even_be_given_back_is_not_forgotten(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_room(tmp_path) as room:
        async with child(tmp_path, ("notes/wait", A)) as host:
            await host.line()
            [(lease,)] = await room.book.store.read("SELECT lease FROM ledger_open")
            await host.kill()
        stuck = (
            f"CREATE TRIGGER stuck BEFORE UPDATE ON ledger_open WHEN new.lease = "
            f"'{lease}' BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )
        late = FULL.replace("BEGIN", "WHEN new.real <> '' BEGIN", 1)
        await room.book.store.write([Statement(late), Statement(stuck)])
        sweep = sweep_of(room)
        for _ in range(2):
            assert await sweep.run() == 0
        assert caplog.text.count("cannot be given back yet") == 2
        assert lease in leases(tmp_path)
        drop = [Statement("DROP TRIGGER full"), Statement("DROP TRIGGER stuck")]
        await room.book.store.write(drop)

        assert await sweep.run() == 1
        assert (await briefs(room))[1:] == [DIED, changed("created"), ended("changed")]
        assert leases(tmp_path) == {room.host.lease.id}


# --- what others did since ------------------------------------------------------


async def test_what_another_host_wrote_since_is_not_taken_for_the_dead_ones(
    tmp_path: Path,
) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", "a", "old")
        async with child(tmp_path, ("notes/wait", A)) as host:
            await host.line()
            await host.kill()
        await room.run("put", "a", "later")

        assert await sweep_of(room).run() == 1

        change = next(e for e in await room.entries(7) if e.kind == "change")
        assert await room.book.state(change.before) == "old"
        assert await room.book.state(change.after) == "new"
        later = next(e for e in await room.entries(4) if e.ability == "notes/put")
        assert (change.details["seen_by"], later.kind) == (later.seq, "intent")
        undone = await room.host.execute(
            "ledger/rollback-change", {"id": change.seq}, actor=ANN
        )
        assert undone.code == "target_drifted"


async def test_two_dead_hosts_one_after_the_other_have_a_change_each(
    tmp_path: Path,
) -> None:
    calls = [("notes/wait", {**A, "text": text}) for text in ("one", "two")]
    async with (
        open_room(tmp_path) as room,
        child(tmp_path, calls[0], waits=True) as one,
        child(tmp_path, calls[1], waits=True) as two,
    ):
        for host in (one, two):
            assert await host.line() == "ready"
        for host in (one, two):
            await host.go()
            assert await host.line() == "stopped"
            await host.kill()

        assert await sweep_of(room).run() == 2

        changes = [e for e in await room.entries() if e.kind == "change"]
        states = [await _states(room, change) for change in changes]
        assert states == [("(none)", "one"), ("one", "two")]


async def _states(room: Room, change: Entry) -> tuple[Any, Any]:
    before = "(none)" if change.before is None else await room.book.state(change.before)
    return before, await room.book.state(change.after)


# --- undos ----------------------------------------------------------------------


async def test_an_undo_whose_host_died_counts_as_far_as_it_came(
    tmp_path: Path,
) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", "a", "old")
        await room.run("put", "a", "new")
    undo = ("ledger/rollback-change", {"id": 5})
    async with child(tmp_path, undo, at="restored") as host:
        await host.line()
        await host.kill()

    async with open_room(tmp_path) as room:
        assert (await briefs(room, 6))[1:] == [
            DIED,
            changed("updated"),
            ended("changed"),
            ("rollback", "a", "undone"),
        ]
        assert await room.book.store.read("SELECT seq, by FROM ledger_undone") == [
            (5, 11)
        ]
        change = await room.ledger.get_change(5)
        assert change is not None
        assert change.is_rolled_back
        assert (await room.ledger.verify()).verdict == "unanchored"


async def test_an_undo_of_an_undo_whose_host_died_counts_too(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", "a", "old")
        await room.run("put", "a", "new")
        undone = await room.host.execute("ledger/rollback-change", {"id": 5}, actor=ANN)
        assert undone.is_ok
        [change] = [e for e in await room.entries(6) if e.kind == "change"]
    undo = ("ledger/rollback-change", {"id": change.seq})
    async with child(tmp_path, undo, at="restored") as host:
        await host.line()
        await host.kill()

    async with open_room(tmp_path) as room:
        rows = await room.book.store.read("SELECT seq FROM ledger_undone")
        assert rows == [(change.seq,)]
        assert (await room.ledger.verify()).verdict == "unanchored"


# --- at any moment --------------------------------------------------------------


async def acknowledged(host: Child, seconds: float) -> list[str]:
    lines = []
    try:
        async with asyncio.timeout(20):
            lines.append(await host.line())
        async with asyncio.timeout(seconds):
            while True:
                lines.append(await host.line())
    except TimeoutError:
        await host.kill()
    while line := await host.line():
        lines.append(line)
    return lines


async def test_whenever_hosts_are_killed_nothing_that_was_acknowledged_is_lost(
    tmp_path: Path,
) -> None:
    calls: list[str] = []
    for seed in range(3):
        moments = random.Random(seed)  # noqa: S311 - no secret
        async with child(tmp_path) as one, child(tmp_path) as two:
            for lines in await asyncio.gather(
                acknowledged(one, moments.uniform(0, 0.4)),
                acknowledged(two, moments.uniform(0, 0.4)),
            ):
                calls += lines

    async with open_room(tmp_path) as room:
        found = await room.book.select("ORDER BY seq LIMIT 100000", {})
        intents = {e.call for e in found if e.kind == "intent"}
        ends = [e for e in found if e.kind == "outcome"]
        assert {e.call for e in found if e.kind in ("change", "outcome")} <= intents
        assert {e.call for e in ends} == intents
        # The last line of a killed host may be cut.
        whole = {call for call in calls if len(call) >= 16}
        assert len(whole) > 6
        assert whole <= {e.call for e in ends if e.result == "ok"}
        assert await open_runs(room) == []
        assert (await room.ledger.verify()).verdict in ("intact", "unanchored")
