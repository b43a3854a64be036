"""A host is dead when its lease is free, and by no other sign."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abilities_host.filelock import FileLock
from abilities_host.leases import Lease, NoLease

HOLDER = """
import subprocess, sys
from pathlib import Path
from abilities_host.leases import Lease, NoLease

lease = Lease(Path(sys.argv[1]))
if len(sys.argv) > 2:
    subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL)
print(lease.id, flush=True)
sys.stdin.read()
"""


@contextmanager
def held(folder: Path, *more: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Have another process hold a lease."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder), *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()


def test_a_running_host_is_alive_and_a_killed_one_is_dead(tmp_path: Path) -> None:
    lease = Lease(tmp_path)
    with held(tmp_path) as (other, process):
        assert not lease.is_dead(other)

        process.send_signal(signal.SIGKILL)
        process.wait()

        assert lease.is_dead(other)
        assert lease.list_dead() == [other]


def test_a_stopped_host_is_not_dead(tmp_path: Path) -> None:
    lease = Lease(tmp_path)
    with held(tmp_path) as (other, process):
        process.send_signal(signal.SIGSTOP)

        assert not lease.is_dead(other)
        assert lease.list_dead() == []


def test_a_child_program_does_not_keep_a_dead_host_alive(tmp_path: Path) -> None:
    lease = Lease(tmp_path)
    with held(tmp_path, "with a child") as (other, process):
        process.kill()
        process.wait()

        assert lease.is_dead(other)


def test_a_host_does_not_take_itself_for_dead(tmp_path: Path) -> None:
    lease = Lease(tmp_path)

    assert not lease.is_dead(lease.id)
    assert lease.list_dead() == []
    lease.forget(lease.id)
    assert [path.name for path in tmp_path.iterdir()] == [lease.id]


def test_two_hosts_of_one_process_see_each_other(tmp_path: Path) -> None:
    one, two = Lease(tmp_path), Lease(tmp_path)
    assert not one.is_dead(two.id)

    two.end(is_settled=False)

    assert one.is_dead(two.id)
    assert (tmp_path / two.id).exists()
    one.forget(two.id)
    assert not (tmp_path / two.id).exists()


def test_a_host_that_ended_well_leaves_no_file(tmp_path: Path) -> None:
    one, two = Lease(tmp_path), Lease(tmp_path)

    two.end(is_settled=True)

    assert not (tmp_path / two.id).exists()
    assert one.is_dead(two.id)


def test_looking_at_the_dead_does_not_wake_them(tmp_path: Path) -> None:
    one, two = Lease(tmp_path), Lease(tmp_path)
    two.end(is_settled=False)

    assert [one.is_dead(two.id) for _ in range(3)] == [True] * 3
    lock = FileLock(tmp_path / two.id)
    assert lock.try_acquire()
    lock.release()


def test_what_is_no_lease_is_dead_and_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "leases"
    lease = Lease(folder)
    (tmp_path / "precious").touch()
    (folder / "notes.txt").touch()

    for name in ("", ".", "..", "../precious", "notes.txt", "0" * 16):
        assert lease.is_dead(name)
        lease.forget(name)

    assert lease.list_dead() == []
    assert (tmp_path / "precious").exists()
    assert (folder / "notes.txt").exists()
    assert not (folder / ("0" * 16)).exists()


def test_where_nobody_can_tell_a_host_is_alive(tmp_path: Path) -> None:
    lease = Lease(tmp_path)
    other = "0123456789abcdef"
    (tmp_path / other).mkdir()  # cannot be opened as a file is

    assert not lease.is_dead(other)


def test_the_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    lease = Lease(tmp_path / "leases")

    assert (tmp_path / "leases").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "leases" / lease.id).stat().st_mode & 0o777 == 0o600


def test_a_host_that_only_reads_has_no_lease_and_judges_nobody(tmp_path: Path) -> None:
    lease, dead = NoLease(), Lease(tmp_path)
    dead.end(is_settled=False)

    assert (lease.id, lease.is_dead(dead.id), lease.list_dead()) == ("", False, [])
    lease.forget(dead.id)
    lease.end(is_settled=True)
    assert (tmp_path / dead.id).exists()
