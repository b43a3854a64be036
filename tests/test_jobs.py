"""Background work is done by one host at a time, again and again, whatever fails."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from abilities_host.filelock import FileLock
from abilities_host.jobs import LIMIT, Job, Jobs
from abilities_host.storage import Statement
from abilities_host.storage.sqlite import SqliteStore, open_sqlite


class World:
    """Two hosts of one store."""

    def __init__(self, store: SqliteStore, folder: Path) -> None:
        self.store = store
        self.locks = folder / "locks"
        self.one = Jobs(store, self.locks)
        self.two = Jobs(store, self.locks)
        self.done: list[str] = []

    async def problems(self) -> dict[str, str]:
        return {run.name: run.problem for run in await self.one.list_runs()}


@asynccontextmanager
async def open_world(folder: Path) -> AsyncIterator[World]:
    async with open_sqlite(folder / "own" / "store.db") as store:
        world = World(store, folder)
        await world.one.migrate()
        yield world


@asynccontextmanager
async def running(jobs: Jobs) -> AsyncIterator["asyncio.Task[None]"]:
    task = asyncio.create_task(jobs.run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.005)


async def test_a_job_is_done_again_and_again(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.one.every("a-job", 0.02, _async(world.done, "a"))

        async with running(world.one):
            await until(lambda: len(world.done) >= 3)

        [run] = await world.one.list_runs()
        assert (run.name, run.problem) == ("a-job", "")


async def test_a_job_that_is_given_while_they_run_is_done(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world, running(world.one):
        await asyncio.sleep(0)
        world.one.every("late", 0.02, _async(world.done, "late"))

        await until(lambda: "late" in world.done)


async def test_what_another_host_has_done_is_not_done_again(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        job = Job("a-job", 60, _async(world.done, "a"))

        assert await world.one.run_now(job)
        assert not await world.two.run_now(job)

        assert world.done == ["a"]


async def test_what_another_host_is_at_is_left_to_it(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        started, go_on = asyncio.Event(), asyncio.Event()

        async def work() -> None:
            started.set()
            await go_on.wait()
            world.done.append("one")

        slow = asyncio.create_task(world.one.run_now(Job("a-job", 0.001, work)))
        await started.wait()
        again = Job("a-job", 0.001, _async(world.done, "two"))
        assert not await world.two.run_now(again)

        go_on.set()
        assert await slow
        assert world.done == ["one"]


async def test_a_clock_that_was_set_back_stops_no_job(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        job = Job("a-job", 60, _async(world.done, "a"))
        await world.one.run_now(job)
        ahead = Statement("UPDATE job_run SET at = at + 1000000")
        await world.store.write([ahead])

        assert await world.one.run_now(job)


async def test_what_fails_is_noted_and_the_others_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails() -> NoReturn:
        raise LookupError

    async def is_cancelled() -> NoReturn:
        raise asyncio.CancelledError

    async def times_out() -> NoReturn:
        raise TimeoutError

    async with open_world(tmp_path) as world:
        world.one.every("fails", 0.01, fails)
        world.one.every("cancels", 0.01, is_cancelled)
        world.one.every("times-out", 0.01, times_out)
        world.one.every("works", 0.01, _async(world.done, "x"))

        async with running(world.one) as task:
            await until(lambda: len(world.done) >= 3)
            assert not task.done()

        assert await world.problems() == {
            "fails": "LookupError",
            "cancels": "CancelledError",
            "times-out": "TimeoutError",
            "works": "",
        }
        assert "job fails failed" in caplog.text


async def test_a_job_that_is_forgotten_while_it_runs_is_not_done_again(
    tmp_path: Path,
) -> None:
    async with open_world(tmp_path) as world:

        async def once() -> None:
            world.done.append("once")
            world.one.forget("once")

        world.one.every("once", 0.01, once)
        world.one.every("other", 0.01, _async(world.done, "other"))
        async with running(world.one):
            await until(lambda: world.done.count("other") >= 5)

            # A time that is due and has no job would keep the loop busy for ever.
            assert set(world.one._due) == {"other"}  # noqa: SLF001 - as above

        assert world.done.count("once") == 1
        assert [job.name for job in world.one.all] == ["other"]
        world.one.forget("unknown")


async def test_a_store_that_cannot_be_written_stops_no_job(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_world(tmp_path) as world:
        job = Job("a-job", 60, _async(world.done, "a"))
    with caplog.at_level(logging.ERROR):
        assert not await world.one.run_now(job)

    assert "job a-job cannot be done now" in caplog.text


async def test_who_is_stopped_while_it_takes_the_lock_keeps_it_not(
    tmp_path: Path,
) -> None:
    async with open_world(tmp_path) as world:
        task = asyncio.create_task(world.one.run_now(Job("a-job", 60, _async([], ""))))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

        lock = FileLock(world.locks / "job-a-job")
        assert lock.try_acquire()
        lock.release()


@pytest.mark.parametrize("name", ["", "A-Job", "../job", "a_job", "a--b", "a/b"])
async def test_a_job_has_a_plain_name(tmp_path: Path, name: str) -> None:
    async with open_world(tmp_path) as world:
        with pytest.raises(ValueError, match="needs lower-case words"):
            world.one.every(name, 1, _async([], ""))


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
async def test_a_job_is_not_done_all_the_time(tmp_path: Path, seconds: float) -> None:
    async with open_world(tmp_path) as world:
        with pytest.raises(ValueError, match="seconds greater than 0"):
            world.one.every("a-job", seconds, _async([], ""))


async def test_names_are_unique_and_jobs_are_not_without_number(
    tmp_path: Path,
) -> None:
    async with open_world(tmp_path) as world:
        for n in range(LIMIT):
            world.one.every(f"job-{n}", 60, _async([], ""))

        for name in ("job-0", "one-more"):
            with pytest.raises(ValueError, match="is there already"):
                world.one.every(name, 60, _async([], ""))


def _async(done: list[str], name: str) -> "Callable[[], asyncio.Future[None]]":
    async def work() -> None:
        done.append(name)

    return lambda: asyncio.ensure_future(work())
