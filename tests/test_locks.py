"""Target locks: order, re-entrance, limits, cancellation, and other processes."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest

from abilities_host.domain import Target
from abilities_host.errors import StoreError, TargetBusy
from abilities_host.locks import BUCKETS, TargetLocks

A, B, C = Target("files", "a"), Target("files", "b"), Target("notes", "a")

HOLD = """
import asyncio, sys
from pathlib import Path
from abilities_host.domain import Target
from abilities_host.locks import TargetLocks

async def main():
    locks = TargetLocks(Path(sys.argv[1]), seconds=30)
    held = await locks.acquire([Target("files", name) for name in sys.argv[2:]], "x")
    print("held", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    held.release()
    print("free", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)

asyncio.run(main())
"""

# Adds one to a number in a file, read and written under the lock, a hundred times.
COUNT = """
import asyncio, sys
from pathlib import Path
from abilities_host.domain import Target
from abilities_host.locks import TargetLocks

async def main():
    locks, number = TargetLocks(Path(sys.argv[1]), seconds=50), Path(sys.argv[2])
    for turn in range(100):
        held = await locks.acquire([Target("files", "a")], str(turn))
        number.write_text(str(int(number.read_text()) + 1))
        held.release()

asyncio.run(main())
"""


@asynccontextmanager
async def holder(folder: Path, *names: str) -> AsyncIterator[Process]:
    arguments = ("-c", HOLD, str(folder), *names)
    child = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdin=PIPE, stdout=PIPE
    )
    assert child.stdout is not None
    assert await child.stdout.readline() == b"held\n"
    try:
        yield child
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


def steps_of(locks: TargetLocks, *targets: Target) -> int:
    """Step an acquire by hand: how often did it suspend?"""
    waiting, steps = locks.acquire(targets, "x"), 0
    with suppress(StopIteration):
        while True:
            waiting.send(None)
            steps += 1
    return steps


async def test_free_targets_are_taken_without_suspending() -> None:
    assert steps_of(TargetLocks(None, seconds=1), C, A, B) == 0


async def test_the_second_owner_waits_until_the_first_has_released() -> None:
    locks, events = TargetLocks(None, seconds=30), []
    first = await locks.acquire([A], "one")

    async def second() -> None:
        held = await locks.acquire([A], "two")
        events.append("two")
        held.release()

    task = asyncio.create_task(second())
    await asyncio.sleep(0)
    events.append("one")
    first.release()
    await task

    assert events == ["one", "two"]


async def test_those_who_wait_are_served_in_the_order_they_came() -> None:
    locks, served = TargetLocks(None, seconds=30), []
    first = await locks.acquire([A], "first")

    async def other(name: str) -> None:
        held = await locks.acquire([A], name)
        served.append(name)
        held.release()

    tasks = [asyncio.create_task(other(name)) for name in "dcba"]
    await asyncio.sleep(0)
    first.release()
    await asyncio.gather(*tasks)

    assert served == ["d", "c", "b", "a"]


@pytest.mark.parametrize("shared", [False, True])
async def test_opposite_orders_never_wait_for_each_other(
    tmp_path: Path, *, shared: bool
) -> None:
    locks = TargetLocks(tmp_path if shared else None, seconds=20)
    done = []

    async def work(owner: str, targets: list[Target]) -> None:
        for _ in range(50):
            held = await locks.acquire(targets, owner)
            await asyncio.sleep(0)
            held.release()
        done.append(owner)

    await asyncio.gather(work("one", [A, B, C]), work("two", [C, B, A]))

    assert sorted(done) == ["one", "two"]


async def is_free(locks: TargetLocks, target: Target) -> bool:
    try:
        async with asyncio.timeout(0.01):
            (await locks.acquire([target], "probe")).release()
    except TimeoutError:
        return False
    return True


async def test_targets_are_taken_in_one_order_whoever_names_them() -> None:
    locks = TargetLocks(None, seconds=30)
    other = await locks.acquire([B], "other")
    waiting = asyncio.create_task(locks.acquire([C, B, A], "mine"))
    await asyncio.sleep(0)

    assert [await is_free(locks, each) for each in (C, A)] == [True, False]
    other.release()
    (await waiting).release()


async def test_lock_files_are_taken_in_one_order_whoever_names_them(
    tmp_path: Path,
) -> None:
    # Two objects are two processes to the files, and here the order of the targets is
    # the reverse of the order of their files.
    first, last = Target("a", "t"), Target("b", "t")
    while bucket(first) < bucket(last):
        first = Target("a", first.name + "t")
    one, two = (TargetLocks(tmp_path, seconds=30) for _ in range(2))
    other = await two.acquire([first], "other")
    waiting = asyncio.create_task(one.acquire([first, last], "mine"))
    await asyncio.sleep(0)

    assert await is_free(two, last) is False
    other.release()
    (await waiting).release()


def bucket(target: Target) -> int:
    digest = sha256("\0".join(target).encode()).digest()
    return int.from_bytes(digest[:4], "big") % BUCKETS


@pytest.mark.parametrize("shared", [False, True])
async def test_an_owner_may_take_what_it_holds(tmp_path: Path, *, shared: bool) -> None:
    locks = TargetLocks(tmp_path if shared else None, seconds=0.01)
    outer = await locks.acquire([A], "root")
    inner = await locks.acquire([A, B], "root")
    outer.release()

    with pytest.raises(TargetBusy):
        await locks.acquire([A], "other")
    inner.release()
    free = await locks.acquire([A, B], "other")

    assert [sorted(each.targets) for each in (outer, inner, free)] == [[], [], [A, B]]
    free.release()


async def test_all_of_an_owner_that_wait_get_their_turn_together() -> None:
    locks = TargetLocks(None, seconds=20)
    first = await locks.acquire([A], "first")
    tasks = [
        asyncio.create_task(locks.acquire([A], owner))
        for owner in ("root", "other", "root")
    ]
    await asyncio.sleep(0)
    first.release()
    both = [await tasks[0], await tasks[2]]

    waiting = not tasks[1].done()
    for held in both:
        held.release()
    (await tasks[1]).release()
    assert waiting


@pytest.mark.parametrize("shared", [False, True])
async def test_the_wait_limit_names_the_target_and_leaves_nothing_held(
    tmp_path: Path, *, shared: bool
) -> None:
    locks = TargetLocks(tmp_path if shared else None, seconds=0.01)
    other = await locks.acquire([B], "other")

    with pytest.raises(TargetBusy) as refused:
        await locks.acquire([A, B, C], "mine")
    (await locks.acquire([A, C], "third")).release()

    assert refused.value.details == {"target": "files:b"}
    assert "files:b is being changed by another call; waited 0.01 s" in str(
        refused.value
    )
    other.release()


async def test_a_waiter_whose_task_is_cancelled_leaves_nothing() -> None:
    locks = TargetLocks(None, seconds=30)
    first = await locks.acquire([A], "first")
    waiter = asyncio.create_task(locks.acquire([A], "second"))
    third = asyncio.create_task(locks.acquire([A], "third"))
    await asyncio.sleep(0)
    waiter.cancel()
    await asyncio.wait([waiter])
    first.release()

    held = await third
    assert (waiter.cancelled(), sorted(held.targets)) == (True, [A])
    held.release()
    assert steps_of(locks, A) == 0


@pytest.mark.parametrize("first_cancel", [False, True])
async def test_a_turn_given_to_a_cancelled_waiter_goes_on_to_the_next(
    *, first_cancel: bool
) -> None:
    locks = TargetLocks(None, seconds=30)
    first = await locks.acquire([A], "first")
    waiter = asyncio.create_task(locks.acquire([A], "second"))
    third = asyncio.create_task(locks.acquire([A], "third"))
    await asyncio.sleep(0)
    for act in (waiter.cancel, first.release)[:: 1 if first_cancel else -1]:
        act()

    held = await third
    assert (waiter.cancelled(), sorted(held.targets)) == (True, [A])
    held.release()
    assert steps_of(locks, A) == 0


@pytest.mark.parametrize("shared", [False, True])
async def test_more_targets_are_added_and_a_failure_keeps_the_earlier(
    tmp_path: Path, *, shared: bool
) -> None:
    locks = TargetLocks(tmp_path if shared else None, seconds=0.01)
    other = await locks.acquire([C], "other")
    held = await locks.acquire([A], "mine")
    await held.add([A, B])

    with pytest.raises(TargetBusy):
        await held.add([Target("files", "c"), C])
    (await locks.acquire([Target("files", "c")], "third")).release()

    assert held.targets == {A, B}
    held.release()
    (await locks.acquire([A, B], "third")).release()
    other.release()


async def test_nothing_stays_held_when_release_overtakes_an_add() -> None:
    locks = TargetLocks(None, seconds=30)
    other = await locks.acquire([B], "other")
    held = await locks.acquire([A], "mine")
    adding = asyncio.create_task(held.add([B]))
    await asyncio.sleep(0)
    held.release()
    other.release()

    with pytest.raises(RuntimeError, match="released"):
        await adding
    assert (sorted(held.targets), steps_of(locks, A, B)) == ([], 0)


async def test_two_targets_under_one_file_do_not_exclude_each_other_here(
    tmp_path: Path,
) -> None:
    twin = next(
        each
        for each in (Target("twin", str(i)) for i in count())
        if bucket(each) == bucket(A)
    )
    here, elsewhere = (TargetLocks(tmp_path, seconds=30) for _ in range(2))
    one, two = await here.acquire([A], "one"), await here.acquire([twin], "two")
    one.release()

    busy_elsewhere = not await is_free(elsewhere, A)
    two.release()
    assert (busy_elsewhere, await is_free(elsewhere, A)) == (True, True)


async def test_another_process_is_excluded_until_it_releases(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "locks"
    async with holder(folder, "a", "b") as child:
        locks = TargetLocks(folder, seconds=0.01)
        with pytest.raises(TargetBusy):
            await locks.acquire([A], "mine")
        (await locks.acquire([Target("files", "c")], "mine")).release()
        waiting = asyncio.create_task(
            TargetLocks(folder, seconds=30).acquire([A, B], "mine")
        )
        assert child.stdin
        child.stdin.write(b"\n")
        held = await waiting

        assert held.targets == {A, B}
        held.release()
    assert folder.stat().st_mode & 0o777 == 0o700


async def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    async with holder(tmp_path, "a", "b") as child:
        waiting = asyncio.create_task(
            TargetLocks(tmp_path, seconds=30).acquire([A, B], "mine")
        )
        child.kill()
        held = await waiting

        assert held.targets == {A, B}
        held.release()


async def test_processes_that_count_together_lose_nothing(tmp_path: Path) -> None:
    number = tmp_path / "number"
    number.write_text("0")
    arguments = ("-c", COUNT, str(tmp_path / "locks"), str(number))
    children = [
        await asyncio.create_subprocess_exec(sys.executable, *arguments)
        for _ in range(2)
    ]
    codes = [await child.wait() for child in children]

    assert (codes, number.read_text()) == ([0, 0], "200")


@pytest.mark.parametrize("folder", ["file/locks", "file"])
async def test_a_folder_that_cannot_be_is_told(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_text("")
    locks = TargetLocks(tmp_path / folder, seconds=1)

    with pytest.raises(StoreError, match="no lock file can be made here"):
        await locks.acquire([A], "mine")
    assert steps_of(TargetLocks(None, seconds=1), A) == 0


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


async def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    locks, other = (
        TargetLocks(tmp_path, seconds=0.002),
        TargetLocks(tmp_path, seconds=1),
    )
    before = descriptors()
    for turn in range(20):
        held = await other.acquire([B], "other")
        with pytest.raises(TargetBusy):
            await locks.acquire([A, B, C], str(turn))
        waiting = asyncio.create_task(other.acquire([A, B], "another"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        held.release()

    assert descriptors() == before


async def test_a_lock_that_cannot_be_given_back_keeps_no_other(tmp_path: Path) -> None:
    locks = TargetLocks(tmp_path, seconds=0.05)
    held = await locks.acquire([A, B, C], "mine")
    close_two(tmp_path)

    with pytest.raises(OSError, match="descriptor"):
        held.release()

    again = await TargetLocks(tmp_path, seconds=1).acquire([A, B, C], "another")
    again.release()
    (await locks.acquire([A, B, C], "mine again")).release()


def close_two(folder: Path) -> None:
    for file in sorted(folder.iterdir())[:2]:
        os.close(descriptor_of(file))


def descriptor_of(file: Path) -> int:
    """Find the descriptor that this process has of a file."""
    wanted = file.stat()
    for name in Path("/dev/fd").iterdir():
        with suppress(OSError):
            if os.path.samestat(os.fstat(int(name.name)), wanted):
                return int(name.name)
    raise LookupError(file)
