import asyncio
import os
import signal
import sqlite3
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from contrib.database.world import changes_of, open_world, rows_of, run_script, run_sql

COUNTER = """
CREATE TABLE counter (id INTEGER PRIMARY KEY, n INT);
INSERT INTO counter VALUES (1, 0);
"""
JOURNALS = ("DELETE", "WAL")
TESTS = Path(__file__).parents[2]
ROUNDS = 12


@contextmanager
def holding(path: Path, *statements: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
        yield connection


async def start(folder: Path) -> Process:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "contrib.database.writer", str(folder), str(ROUNDS)),
        stdin=PIPE,
        stdout=PIPE,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    return process


@pytest.mark.parametrize("journal", JOURNALS)
async def test_two_processes_claim_each_change_once(
    tmp_path: Path, journal: str
) -> None:
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "content.db"
    run_script(path, f"PRAGMA journal_mode = {journal};{COUNTER}")
    processes = [await start(tmp_path), await start(tmp_path)]
    answers = await asyncio.gather(*(each.communicate(b"go\n") for each in processes))
    claimed = [line for out, _ in answers for line in out.decode().splitlines()]
    assert sorted(claimed, key=lambda line: int(line.split()[0])) == [
        f"{number} {number + 1}" for number in range(2 * ROUNDS)
    ]
    assert rows_of(path, "counter") == [(1, 2 * ROUNDS)]


@pytest.mark.parametrize("journal", JOURNALS)
async def test_a_writer_outside_makes_the_call_wait_and_then_give_up(
    tmp_path: Path, journal: str
) -> None:
    schema = f"PRAGMA journal_mode = {journal};{COUNTER}"
    values = {"table": "counter", "values": {"n": 5}}
    async with open_world(tmp_path, schema, seconds=1) as world:
        with holding(world.path, "BEGIN IMMEDIATE", "UPDATE counter SET n = 1"):
            assert await world.code("insert-row", **values) == "busy"
            rows = (await world.run("query", sql="SELECT n FROM counter"))["rows"]
        assert rows == [[0]]
        await world.run("insert-row", **values)


async def test_a_reader_outside_that_never_ends_stops_the_commit(
    tmp_path: Path,
) -> None:
    async with open_world(tmp_path, COUNTER, seconds=1) as world:
        with holding(world.path, "BEGIN", "SELECT * FROM counter") as reader:
            reader.execute("SELECT * FROM counter").fetchall()
            outcome = await world.call(
                "update-rows", table="counter", where={"id": 1}, values={"n": 9}
            )
            assert (outcome.code, outcome.changes) == ("busy", ())
        assert rows_of(world.path, "counter") == [(1, 0)]
        assert await world.run("delete-rows", table="counter", where={"id": 1})


async def test_a_caller_that_leaves_during_the_commit_leaves_no_lock(
    tmp_path: Path,
) -> None:
    async with open_world(tmp_path, COUNTER, seconds=30) as world:
        with holding(world.path, "BEGIN") as reader:
            reader.execute("SELECT * FROM counter").fetchall()
            task = asyncio.create_task(
                world.call("delete-rows", table="counter", where={"id": 1})
            )
            while is_readable(world.path):
                await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.wait([task])
        await world.run("insert-row", table="counter", values={"id": 2})
        assert task.cancelled()
        assert rows_of(world.path, "counter") == [(1, 0), (2, None)]


def is_readable(path: Path) -> bool:
    """A commit that waits for readers lets no new one in."""
    with closing(sqlite3.connect(path, timeout=0)) as connection:
        try:
            connection.execute("SELECT * FROM counter").fetchall()
        except sqlite3.OperationalError:
            return False
    return True


async def test_what_others_do_meanwhile_is_not_claimed(tmp_path: Path) -> None:
    async with open_world(tmp_path, COUNTER) as world:
        outcome = await world.call(
            "update-rows", table="counter", where={"id": 1}, values={"n": 1}
        )
        run_sql(world.path, "UPDATE counter SET n = 2")
        assert changes_of(outcome) == {
            "counter/1": ({"id": 1, "n": 0}, {"id": 1, "n": 1})
        }


CUT_OFF = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE counter SET n = 7")
connection.execute("CREATE TABLE more AS SELECT hex(randomblob(2000)) FROM counter")
for _ in range(6):
    connection.execute("INSERT INTO more SELECT * FROM more")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("journal", JOURNALS)
async def test_what_a_killed_writer_left_is_cleared_up(
    tmp_path: Path, journal: str
) -> None:
    schema = f"PRAGMA journal_mode = {journal};{COUNTER}"
    async with open_world(tmp_path, schema) as world:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", CUT_OFF, str(world.path))
        )
        assert await process.wait() == -signal.SIGKILL
        left = [path.suffix for path in world.path.parent.iterdir()]
        assert left != [".db"]
        assert await world.domain.capture("counter/1") == {"id": 1, "n": 0}


async def test_a_read_only_pack_clears_nothing_up(tmp_path: Path) -> None:
    async with open_world(tmp_path, COUNTER, read_only=True) as world:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", CUT_OFF, str(world.path))
        )
        await process.wait()
        before = world.path.read_bytes()
        assert await world.code("query", sql="SELECT 1") == "read_only"
        assert world.path.read_bytes() == before
