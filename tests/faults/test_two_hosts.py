"""Two hosts on one store: what one left, undoes or settles is no trap for the other."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from faults.children import Nursery
from faults.truth import check_record, explain, shown
from faults.world import World, open_world, prepare

from abilities_host import MISSING, Target, run_in_thread

A, B = Target("drawer", "a"), Target("drawer", "b")
NOTHING = {A: MISSING, B: MISSING}
SHORT_WAIT = "[limits]\nlock_seconds = 0.3\n"


@asynccontextmanager
async def two_worlds(folder: Path) -> AsyncIterator[tuple[World, World]]:
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(open_world(folder))
        yield one, await stack.enter_async_context(open_world(folder))


async def kill_at(nursery: Nursery, folder: Path, step: str) -> None:
    child = await nursery.start("put", folder=str(folder), step=step)
    await child.until(step)
    await child.kill()


@pytest.mark.parametrize("way", ["one by one", "session"])
async def test_what_was_written_before_a_dead_host_was_settled_is_undone_first(
    tmp_path: Path, nursery: Nursery, way: str
) -> None:
    async with open_world(tmp_path) as world:
        await kill_at(nursery, tmp_path, "changed")
        await world.run("drawer/put", id="a", slip="newer")
        await world.sweep()
        newer, *late = [e.seq for e in await world.entries() if e.kind == "change"]

        if way == "session":
            outcome = await world.run("ledger/rollback-session", session="s1")
        else:
            refused = [(await world.undo(seq)).code for seq in late]
            outcome = await world.undo(newer)
            assert refused == ["target_drifted"] * 2
            assert (await world.undo(late[0])).is_ok

        assert outcome.is_ok
        assert await world.slips() == {}
        assert explain(await world.entries(), NOTHING) == {A: None, B: None}


async def test_two_hosts_that_settle_at_once_settle_each_run_once(
    tmp_path: Path, nursery: Nursery
) -> None:
    async with two_worlds(tmp_path) as (one, other):
        children = [
            await nursery.start("put", folder=str(tmp_path), step="changed", pair=pair)
            for pair in ("ab", "cd", "ef", "gh")
        ]
        for child in children:
            await child.until("changed")
        for child in children:
            await child.kill()

        await asyncio.gather(one.sweep(), other.sweep())

        ends = [e.call for e in await one.entries() if e.kind == "outcome"]
        assert len(ends) == 2 * len(set(ends)) == 8
    async with open_world(tmp_path) as world:
        await check_record(world, NOTHING)


async def test_a_stopped_host_is_not_dead_and_goes_on(
    tmp_path: Path, nursery: Nursery
) -> None:
    await run_in_thread(lambda: prepare(tmp_path, SHORT_WAIT))
    async with open_world(tmp_path) as world:
        child = await nursery.start("put", folder=str(tmp_path), step="changed")
        await child.until("changed")
        await child.send(signal.SIGSTOP)
        await world.sweep()
        refused = await world.run("drawer/put", id="a", slip="mine")
        stopped = shown(await world.entries())
        await run_in_thread((tmp_path / "go-on").touch)
        await child.send(signal.SIGCONT)
        await child.until("acknowledged")
        await child.kill()
        await world.sweep()

        assert refused.code == "target_busy"
        assert stopped == [("intent", "a"), ("touch", "b")]
        assert shown(await world.entries()) == [
            *stopped,
            ("change", "a", "created", "ok", "ok"),
            ("change", "b", "created", "ok", "ok"),
            ("outcome", "ran", "ok", "ok"),
        ]
        await check_record(world, NOTHING)


async def test_an_undo_in_one_host_and_a_write_in_the_other_never_cross(
    tmp_path: Path,
) -> None:
    async with two_worlds(tmp_path) as (one, other):
        for turn in range(25):
            put = await one.run("drawer/put", id="a", slip=f"old {turn}")
            [change] = [
                e
                for e in await one.book.of_call(put.call)
                if e.seq and e.kind == "change"
            ]

            undone, written = await asyncio.gather(
                one.undo(change.seq),
                other.run("drawer/put", id="a", slip=f"new {turn}"),
            )

            assert written.is_ok
            assert (await one.slips())["a"] == f"new {turn}"
            assert undone.code in {"", "target_drifted"}
        assert explain(await one.entries(), NOTHING)[A] is not None
    async with open_world(tmp_path) as world:
        await check_record(world, NOTHING)
