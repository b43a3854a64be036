"""Where nothing can be stored nothing is written; what was read goes on being read."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from faults.standing import Stand
from faults.truth import check_record, shown
from faults.world import open_world, prepare

from abilities_host import run_in_thread

MOUNT = 'mount -t tmpfs -o size=4m none "$1" && shift && exec "$@"'
TESTS = Path(__file__).parent.parent


def on_small_disk(folder: str) -> list[str]:
    """Give what runs a command with a disk of its own, nowhere else to be seen."""
    return ["unshare", "-rm", "sh", "-c", MOUNT, "sh", folder]


def has_small_disks() -> bool:
    if shutil.which("unshare") is None:
        return False
    command = [*on_small_disk("/mnt"), "true"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.mark.parametrize("kind", ["limit", *(["disk"] if has_small_disks() else [])])
async def test_on_a_full_disk_no_write_is_done_that_is_not_recorded(
    tmp_path: Path, kind: str
) -> None:
    before = on_small_disk(str(tmp_path)) if kind == "disk" else []
    child = await asyncio.create_subprocess_exec(
        *(*before, sys.executable, "-m", "faults.full", str(tmp_path), kind),
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        stdout=PIPE,
        stderr=PIPE,
    )
    answer, errors = await child.communicate()

    assert child.returncode == 0, errors.decode()
    seen = json.loads(answer)
    assert set(seen.pop("full")) <= {"", "store_unwritable", "record_failed"}
    assert seen == {
        "refused": "store_unwritable",
        "others": ["ok", "ok", "ok"],
        "many": True,
    }


@contextmanager
def read_only(host: Path) -> Iterator[None]:
    (host / "abilities.db").chmod(0o400)
    yield
    (host / "abilities.db").chmod(0o600)


@contextmanager
def without_lock(host: Path) -> Iterator[None]:
    lock = host / "abilities.db-lock"
    lock.unlink()
    lock.mkdir()
    yield
    lock.rmdir()


@contextmanager
def without_target_locks(host: Path) -> Iterator[None]:
    (host / "locks").rename(host / "gone")
    (host / "locks").touch()
    yield
    (host / "locks").unlink()
    (host / "gone").rename(host / "locks")


@pytest.mark.parametrize("lost", [read_only, without_lock, without_target_locks])
async def test_without_the_right_to_store_reads_go_on_and_writes_are_refused(
    tmp_path: Path, lost: Callable[[Path], AbstractContextManager[None]]
) -> None:
    async with open_world(tmp_path) as world:
        await world.run("files/write", path="a", text="before")
        before = await world.entries()
        [change] = [each.seq for each in before if each.kind == "change"]
        with lost(tmp_path / "host"):
            refused = [
                await world.run("files/write", path="a", text="lost"),
                await world.run("files/delete", path="a"),
                await world.undo(change),
            ]
            read = await world.run("files/read", path="a")
            listed = await world.run("ledger/list-changes")
        entries, files = await world.entries(), await world.files()
        after = await world.run("files/write", path="a", text="after")

        assert [each.code for each in refused] == ["store_unwritable"] * 3
        assert (read.result["text"], len(listed.result["changes"])) == ("before", 1)
        assert (entries, files) == (before, {"a": b"before"})
        assert after.is_ok
    async with open_world(tmp_path) as world:
        await check_record(world, {})


class Taken(Stand):
    """Takes the right to write the store away at a step."""

    def __init__(self, step: str, store: Path) -> None:
        super().__init__("", None, store)
        self._taken_at = step
        self._store = store

    def at(self, step: str) -> None:
        if step == self._taken_at:
            self._store.chmod(0o400)


async def test_a_run_whose_end_could_not_be_stored_is_settled_by_the_next_host(
    tmp_path: Path,
) -> None:
    store = tmp_path / "host" / "abilities.db"
    async with open_world(tmp_path, Taken("half", store)) as world:
        outcome = await world.run("drawer/put", id="a", slip="new")
    await run_in_thread(lambda: store.chmod(0o600))

    async with open_world(tmp_path) as world:
        assert (outcome.status, outcome.code) == ("unknown", "record_failed")
        assert shown(await world.entries()) == [
            ("intent", "a"),
            ("outcome", "ran", "unknown", "host_died"),
            ("change", "a", "created", "unknown", "changed", "settled_late"),
            ("outcome", "ran", "unknown", "changed", "host_died", "settled_late"),
        ]
        await check_record(world, {})


async def test_a_run_whose_end_could_not_be_stored_is_recorded_once_it_can(
    tmp_path: Path,
) -> None:
    store = tmp_path / "host" / "abilities.db"
    await run_in_thread(lambda: prepare(tmp_path, "[limits]\nlock_seconds = 0.3\n"))
    async with open_world(tmp_path, Taken("half", store)) as world:
        outcome = await world.run("drawer/put", id="a", slip="new")
        await run_in_thread(lambda: store.chmod(0o600))
        meanwhile = await world.run("drawer/put", id="a", slip="newer")
        async with asyncio.timeout(20):
            while await world.store.read("SELECT call FROM ledger_open"):
                await asyncio.sleep(0.01)

        assert (outcome.status, outcome.code) == ("unknown", "record_failed")
        assert meanwhile.code == "target_busy"
        assert shown(await world.entries()) == [
            ("intent", "a"),
            ("change", "a", "created", "ok", "ok"),
            ("outcome", "ran", "ok", "ok", "settled_late"),
        ]
        [change] = [e.seq for e in await world.entries() if e.kind == "change"]
        assert (await world.undo(change)).is_ok
        assert await world.slips() == {}


class Unheard(Stand):
    """Never says that a transaction was committed, the first time at a step."""

    def __init__(self, step: str, folder: Path) -> None:
        super().__init__("", None, folder)
        self._unheard = {step}

    async def reach(self, step: str) -> None:
        if step in self._unheard:
            self._unheard.discard(step)
            await asyncio.Event().wait()


async def test_an_outcome_that_was_stored_unheard_is_not_stored_again(
    tmp_path: Path,
) -> None:
    stand = Unheard("outcome-committed", tmp_path)
    limits = "[limits]\nsettle_seconds = 0.2\n"
    names = ("intent", "outcome")
    async with open_world(tmp_path, stand, names=names, config=limits) as world:
        outcome = await world.run("drawer/put", id="a", slip="new")
        again = await world.run("drawer/put", id="a", slip="newer")

        assert (outcome.code, again.code) == ("record_failed", "")
        assert [e.kind for e in await world.entries()] == [
            *("intent", "change", "outcome"),
            *("intent", "change", "outcome"),
        ]
        await check_record(world, {})
