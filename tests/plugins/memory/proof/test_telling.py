"""Who hears that something waits hears ids and a count; who fails harms nothing."""

import asyncio
import json
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from plugins.memory.memory_world import remembering

from abilities_host import hookimpl, run_in_thread
from abilities_host.filelock import FileLock
from abilities_memory.notifier import Notifier

SAID: Final = {
    "type": "fact",
    "text": "The secret of the shop.",
    "rationale": "Nobody else may read it.",
    "domain": "confidential",
    "recall": ["hush"],
}
SECONDS: Final = 20.0
KEEPING: Final = """
import sys
with open(sys.argv[1], "a") as file:
    file.write(sys.stdin.read())
"""
HANGING: Final = """
import os, sys, time
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getpid()}\\n")
time.sleep(1000)
"""
FORKING: Final = """
import os, sys, time
from pathlib import Path
from abilities_host.filelock import FileLock
lock = FileLock(Path(sys.argv[1] + ".lock"))
if os.fork():
    time.sleep(1000)
assert lock.try_acquire()
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getppid()}\\n")
time.sleep(1000)
"""
FAILING: Final = "import sys; sys.exit(3)"
DEAF: Final = "import os; os.close(0)"


def command(script: str, *given: object) -> list[str]:
    return [sys.executable, "-c", script, *map(str, given)]


def config(*notify: str) -> str:
    return f"[memory]\nnotify = {json.dumps(notify)}\n"


async def lines_of(path: Path, count: int) -> list[str]:
    """Wait until a file has so many lines."""

    def read() -> list[str]:
        return path.read_text().splitlines() if path.exists() else []

    async with asyncio.timeout(SECONDS):
        while len(found := await run_in_thread(read)) < count:
            await asyncio.sleep(0.005)
    return found


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while not is_so():
            await asyncio.sleep(0.005)


def is_gone(pid: int) -> bool:
    """Answer whether nothing has this number; a zombie still has."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


class Listener:
    """A pack that hears of proposals, and fails or hangs when it is told to."""

    def __init__(self, *, fails: bool = False, hangs: bool = False) -> None:
        self.heard: list[tuple[Any, ...]] = []
        self._fails = fails
        self._hangs = hangs

    @hookimpl
    async def on_proposal(self, ids: tuple[str, ...], waiting: int) -> None:
        self.heard.append((ids, waiting))
        if self._fails:
            raise RuntimeError
        if self._hangs:
            await asyncio.Event().wait()


async def test_a_hook_and_a_command_hear_ids_and_a_count_and_nothing_else(
    tmp_path: Path,
) -> None:
    listener, kept = Listener(), tmp_path / "kept"
    notify = config(*command(KEEPING, kept))
    async with remembering(tmp_path, notify, more=[("listener", listener)]) as world:
        await world.told("memory/remember", SAID)
        first = await lines_of(kept, 1)
        await world.propose("By a person.")
        lines = await lines_of(kept, 2)

    assert first == lines[:1]
    assert [json.loads(line) for line in lines] == [
        {"ids": ["gm-001"], "waiting": 1},
        {"ids": ["gm-002"], "waiting": 2},
    ]
    assert listener.heard == [(("gm-001",), 1), (("gm-002",), 2)]


@pytest.mark.parametrize("way", ["fails", "hangs"])
async def test_a_hook_that_fails_or_hangs_harms_no_proposal_and_no_other_hook(
    tmp_path: Path, way: str
) -> None:
    bad, good = Listener(**{way: True}), Listener()
    limit = "[limits]\nhook_seconds = 0.2\n"
    packs = [("bad", bad), ("good", good)]
    async with remembering(tmp_path, limit, more=packs) as world:
        kept = await world.told("memory/remember", SAID)
        counts = await world.memory.counts()

    assert (kept["id"], counts["pending"]) == ("gm-001", 1)
    assert bad.heard == good.heard == [(("gm-001",), 1)]


NO_COMMANDS: Final = {
    "missing": ["/no/such/program"],
    "no program": ["/"],
    "fails": command(FAILING),
    "deaf": command(DEAF),
    "null": ["a\0b"],
}


@pytest.mark.parametrize("what", NO_COMMANDS)
async def test_a_command_that_cannot_be_run_harms_nothing(
    tmp_path: Path, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "abilities_memory.notifier")
    notifier = Notifier(lambda: NO_COMMANDS[what])
    async with notifier.running():
        notifier.tell(["gm-001"], 1)
        if what != "deaf":
            await until(lambda: len(caplog.records) == 1)
        notifier.tell(["gm-002"], 2)
        if what != "deaf":
            await until(lambda: len(caplog.records) == 2)

    assert all("notify" in record.getMessage() for record in caplog.records)


async def test_a_command_that_does_not_exist_harms_no_proposal(tmp_path: Path) -> None:
    async with remembering(tmp_path, config("/no/such/program")) as world:
        kept = [await world.told("memory/remember", SAID) for _ in range(3)]

    assert [each["id"] for each in kept] == ["gm-001", "gm-002", "gm-003"]


async def test_a_command_that_hangs_is_killed_with_what_it_started_and_the_next_runs(
    tmp_path: Path,
) -> None:
    hung = tmp_path / "hung"
    notifier = Notifier(lambda: command(FORKING, hung), seconds=2.0)
    async with notifier.running():
        notifier.tell(["gm-001"], 1)
        [first] = await lines_of(hung, 1)
        await until(lambda: is_gone(int(first)))
        notifier.tell(["gm-002"], 2)
        [_, second] = await lines_of(hung, 2)  # so nothing has the lock any more
        await until(lambda: is_gone(int(second)))
    lock = FileLock(tmp_path / "hung.lock")

    assert first != second
    assert await run_in_thread(lambda: lock.wait(SECONDS))
    await run_in_thread(lock.release)


async def test_what_a_host_was_told_last_is_told_before_it_stops(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    slow = config("/bin/sh", "-c", 'sleep 0.2; cat >> "$0"', str(kept))
    async with remembering(tmp_path, slow) as world:
        await world.told("memory/remember", SAID)

    assert await lines_of(kept, 1) == ['{"ids":["gm-001"],"waiting":1}']


async def test_a_host_that_stops_leaves_no_command_behind(tmp_path: Path) -> None:
    hung = tmp_path / "hung"
    notify = config(*command(HANGING, hung))
    async with remembering(tmp_path, notify) as world:
        await world.told("memory/remember", SAID)
        [pid] = await lines_of(hung, 1)

    assert is_gone(int(pid))


async def test_what_comes_while_a_command_runs_is_told_together_afterwards(
    tmp_path: Path,
) -> None:
    kept, gate = tmp_path / "kept", tmp_path / "gate"
    script = f"""
import os, time
while not os.path.exists({str(gate)!r}):
    time.sleep(0.005)
{KEEPING}"""
    notifier = Notifier(lambda: command(script, kept))
    async with notifier.running():
        notifier.tell(["gm-000"], 1)
        await asyncio.sleep(0)  # it is told of the first before the others come
        for number in range(1, 301):
            notifier.tell([f"gm-{number:03}"], number + 1)
            await asyncio.sleep(0)
        await run_in_thread(gate.touch)
        first, rest = [json.loads(line) for line in await lines_of(kept, 2)]

    assert first == {"ids": ["gm-000"], "waiting": 1}
    assert rest["ids"] == [f"gm-{number:03}" for number in range(101, 301)]
    assert rest["waiting"] == 301


async def test_a_command_that_is_set_later_is_run_and_one_taken_away_is_not(
    tmp_path: Path,
) -> None:
    kept, now = tmp_path / "kept", list[list[str]]([[]])
    notifier = Notifier(lambda: now[0])
    async with notifier.running():
        notifier.tell(["gm-001"], 1)
        await asyncio.sleep(0)
        now[0] = list(command(KEEPING, kept))
        notifier.tell(["gm-002"], 2)
        [line] = await lines_of(kept, 1)
        now[0] = []
        notifier.tell(["gm-003"], 3)

    assert json.loads(line) == {"ids": ["gm-002"], "waiting": 2}
    assert len(kept.read_text().splitlines()) == 1
