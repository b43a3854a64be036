"""A file lock excludes other objects and other processes, and dies with its owner."""

import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from abilities_host.filelock import FileLock

HOLD = """
import sys
from pathlib import Path
from abilities_host.filelock import FileLock
lock = FileLock(Path(sys.argv[1]))
print(lock.try_acquire(), flush=True)
sys.stdin.read()
"""


@contextmanager
def holder(path: Path) -> Iterator["subprocess.Popen[str]"]:
    arguments = [sys.executable, "-c", HOLD, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "True\n"
        try:
            yield child
        finally:
            child.kill()


def test_two_objects_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")

    seen = [first.try_acquire(), first.try_acquire(), second.try_acquire()]
    first.release()
    first.release()
    seen += [first.is_held, second.try_acquire()]
    second.release()

    assert seen == [True, True, False, False, True]


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    lock.try_acquire()
    lock.release()

    assert stat.S_IMODE((tmp_path / "lock").stat().st_mode) == 0o600


def test_waiting_ends_at_the_limit(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    first.try_acquire()

    assert second.wait(0.01) is False
    first.release()


def test_waiting_ends_when_the_lock_is_given_back(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    first.try_acquire()
    timer = threading.Timer(0.02, first.release)
    timer.start()

    assert second.wait(30) is True
    second.release()
    timer.join()


def test_a_killed_owner_holds_nothing(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    with holder(lock.path) as child:
        held_by_child = not lock.try_acquire()
        child.kill()
        child.wait()

    assert (held_by_child, lock.try_acquire()) == (True, True)
    lock.release()


def test_a_child_started_meanwhile_does_not_keep_the_lock(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    first.try_acquire()
    with holder(tmp_path / "other"):
        first.release()

        assert second.try_acquire() is True
    second.release()


def test_a_link_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="symbolic link"):
        FileLock(tmp_path / "lock").try_acquire()
    assert list(tmp_path.iterdir()) == [tmp_path / "lock"]
