"""Several processes and writers on one file, killed at random: nothing is lost."""

import asyncio
import random
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

from abilities_host.storage import Migration
from abilities_host.storage.sqlite import open_sqlite

CHAIN = Migration(
    "0001-chain",
    ("CREATE TABLE link (number INTEGER PRIMARY KEY, id TEXT, head TEXT)",),
)

# Four writers that add to one chain, and note in a file what was acknowledged. A pipe
# that nobody reads would hold them up.
WRITERS = """
import asyncio, os, sys
from pathlib import Path
from abilities_host.storage import Migration
from abilities_host.storage.sqlite import open_sqlite

path, name, told = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
LAST = "SELECT number, id FROM link ORDER BY number DESC LIMIT 1"
ADD = "INSERT INTO link (number, id, head) VALUES (:number, :id, :head)"

def adding(id_):
    def work(changing):
        [(number, head)] = changing.execute(LAST) or [(0, "")]
        changing.execute(ADD, {"number": number + 1, "id": id_, "head": head})
    return work

async def write(store, worker, acknowledged):
    number = 0
    while True:
        id_ = f"{name}{worker}.{number}"
        await store.transact(adding(id_), bump=number % 3 == 0)
        os.write(acknowledged, f"{id_}\\n".encode())
        number += 1

async def main():
    acknowledged = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    async with open_sqlite(path) as store:
        print("open", flush=True)
        await asyncio.gather(*(write(store, n, acknowledged) for n in range(4)))
asyncio.run(main())
"""


async def start(path: Path, name: str) -> Process:
    told = path.with_name(f"told-{name}")
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", WRITERS, str(path), name, str(told)),
        stdout=PIPE,
        stderr=PIPE,
    )
    assert child.stdout
    assert await child.stdout.readline() == b"open\n"
    return child


def count_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


async def until_told(path: Path, count: int) -> None:
    async with asyncio.timeout(30):
        while count_lines(path) < count:
            await asyncio.sleep(0.005)


def lines_of(path: Path) -> set[str]:
    """Give every whole line of what was noted beside a store."""
    every = [each.read_text() for each in path.parent.glob("told-*")]
    return {line for text in every for line in text.split("\n")[:-1]}


async def kill(child: Process) -> bytes:
    assert child.returncode is None
    child.kill()
    _, errors = await child.communicate()
    return errors


async def test_no_acknowledged_row_is_lost_when_writers_are_killed(
    tmp_path: Path,
) -> None:
    path, chance = tmp_path / "store.db", random.Random(7)  # noqa: S311 - when to kill is no secret
    async with open_sqlite(path) as store:
        await store.migrate("chain", [CHAIN])
    errors = b""
    for turn in range(2):
        pair = await asyncio.gather(*(start(path, f"{name}{turn}-") for name in "ab"))
        for child, name in zip(pair, "ab", strict=True):
            told = path.with_name(f"told-{name}{turn}-")
            await until_told(told, chance.randint(1, 60))
            errors += await kill(child)

    async with open_sqlite(path) as store:
        rows = await store.read("SELECT number, id, head FROM link ORDER BY number")
        check = await store.read("PRAGMA integrity_check")
    stored = [id_ for _, id_, _ in rows]
    told_ids = lines_of(path)
    assert errors == b""
    assert told_ids <= set(stored)
    # Each writer of each process may not have heard of its last.
    assert len(set(stored) - told_ids) <= 2 * 2 * 4
    assert [number for number, _, _ in rows] == list(range(1, len(rows) + 1))
    assert [head for _, _, head in rows] == ["", *stored[:-1]]
    assert check == [("ok",)]
