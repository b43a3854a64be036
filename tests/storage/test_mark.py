"""The mark moves before a commit that counts, so that standing still means current."""

import asyncio
import signal
import stat
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from abilities_host.storage.mark import Mark
from abilities_host.storage.sqlite import open_sqlite

DIES = """
import sys, time
from pathlib import Path
from tempfile import TemporaryDirectory
from abilities_host.storage.mark import Mark
mark = Mark(Path(sys.argv[1]))
mark.begin()
print("begun", flush=True)
time.sleep(60)
"""


def test_a_new_mark_is_settled_at_nothing_and_private(tmp_path: Path) -> None:
    mark = Mark(tmp_path / "mark")
    assert (mark.begun(), mark.settled()) == (0, 0)
    assert stat.S_IMODE((tmp_path / "mark").stat().st_mode) == 0o600


def test_two_see_the_same_mark_move(tmp_path: Path) -> None:
    one, two = Mark(tmp_path / "mark"), Mark(tmp_path / "mark")
    one.begin()
    under_way = (two.begun(), two.settled())
    one.finish()
    assert (under_way, two.settled()) == ((1, None), 1)


@given(st.lists(st.booleans(), max_size=20))
def test_it_only_grows_whoever_dies_in_between(finished: list[bool]) -> None:
    with TemporaryDirectory() as folder:
        mark, seen = Mark(Path(folder) / "mark"), []
        for is_finished in finished:
            mark.begin()
            if is_finished:
                mark.finish()
            seen.append(mark.begun())
        mark.close()
    assert seen == list(range(1, len(finished) + 1))


async def test_a_process_that_dies_in_a_commit_only_makes_others_ask(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    async with open_sqlite(path) as one, open_sqlite(path) as two:
        before = one.generation()
        await asyncio.to_thread(die_in_a_commit, tmp_path / "store.db-mark")
        unsettled = one.generation()
        await two.write([], bump=True)
        after = [one.generation(), two.generation()]
    assert (unsettled - before, [value - before for value in after]) == (0, [1, 1])


def die_in_a_commit(mark: Path) -> None:
    command = [sys.executable, "-c", DIES, str(mark)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"begun\n"
        child.send_signal(signal.SIGKILL)


async def test_the_next_look_after_another_stores_commit_is_current(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    async with open_sqlite(path) as one, open_sqlite(path) as two:
        start = one.generation()
        seen = []
        for _ in range(20):
            await two.write([], bump=True)
            seen.append(one.generation() - start)
    assert seen == list(range(1, 21))
