import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from contrib.files.world import Told, names_in, open_folder

from abilities_files.folder import Folder
from abilities_files.reading import read_file
from abilities_files.refusals import PathRefused
from abilities_files.settings import Settings
from abilities_files.strays import sweep_strays
from abilities_files.writing import write_file

ROUNDS = 1500

EXCHANGE = """
import ctypes, os, sys, time
here, link, *pause = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
def exchange():
    try:
        swap = libc.renameat2
    except AttributeError:
        os.rename(here, here + ".x")
        os.rename(link, here)
        os.rename(here + ".x", link)
    else:
        if swap(-100, here.encode(), -100, link.encode(), 2):
            raise OSError(ctypes.get_errno())
exchange()
print("ready", flush=True)
while True:
    exchange()
    if pause:
        time.sleep(float(pause[0]))
"""

WRITE = """
import sys
from pathlib import Path
from abilities_files.folder import Folder
from abilities_files.settings import Settings
from abilities_files.writing import write_file
class Told:
    def made(self, domain, target, state):
        pass
root = Folder(Path(sys.argv[1]), lambda path, status: False)
while True:
    for letter in "ab":
        write_file(root, Settings(), {"path": "file", "text": letter * 300_000}, Told())
        print(letter, flush=True)
"""


@contextmanager
def _process(source: str, *arguments: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", source, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline()
            yield process
        finally:
            process.kill()


def _lay_out(tmp_path: Path) -> tuple[Path, Path]:
    (root := tmp_path / "root").mkdir()
    (outside := tmp_path / "outside").mkdir()
    (root / "folder").mkdir()
    (root / "folder" / "file").write_text("inside")
    (outside / "file").write_text("SECRET")
    (root / "link").symlink_to(outside)
    return root, outside


def _read(root: Folder) -> str:
    try:
        return str(read_file(root, Settings(), {"path": "folder/file"})["text"])
    except PathRefused:
        return "refused"


def _write(root: Folder, path: str) -> bool:
    try:
        write_file(root, Settings(), {"path": path, "text": "x"}, Told())
    except PathRefused:
        return False
    return True


def _read_resolved(root: Path) -> str:
    """Read as a check of the resolved path would; the control of the experiment."""
    path = root / "folder" / "file"
    try:
        if path.resolve().is_relative_to(root):
            return path.read_text()
    except OSError:
        pass
    return "refused"


def _until(found: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found():
            return True
    return False


def test_reads_never_leak_while_a_folder_is_exchanged_for_a_link(
    tmp_path: Path,
) -> None:
    root, _ = _lay_out(tmp_path)
    folder = open_folder(root)
    with _process(EXCHANGE, root / "folder", root / "link"):
        # Without this the race could be one that nobody ever loses.
        assert _until(lambda: _read_resolved(root) == "SECRET", seconds=40)
        assert _until(lambda: _read(folder) == "inside", seconds=10)
        answers = {_read(folder) for _ in range(ROUNDS)}
    assert answers <= {"inside", "refused"}


def test_writes_never_land_outside_while_a_folder_is_exchanged(tmp_path: Path) -> None:
    root, outside = _lay_out(tmp_path)
    folder = open_folder(root)
    with _process(EXCHANGE, root / "folder", root / "link"):
        for number in range(ROUNDS // 5):
            _write(folder, f"folder/{number % 10}")
    with _process(EXCHANGE, root / "folder", root / "link", Path("0.005")):
        # With time to breathe some go through, or all of this would prove nothing.
        assert _until(lambda: _write(folder, "folder/through"), seconds=40)
    assert names_in(outside) == ["file"]
    assert (outside / "file").read_text() == "SECRET"


def test_a_killed_write_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    for kills in range(6):
        with _process(WRITE, tmp_path) as process:
            assert process.stdout is not None
            for _ in range(kills):
                process.stdout.readline()
        text = (tmp_path / "file").read_text()
        assert text in {"a" * 300_000, "b" * 300_000}
    left = sorted(set(names_in(tmp_path)) - {"file"})
    assert sweep_strays(open_folder(tmp_path), older_than=-60) == len(left)
    assert names_in(tmp_path) == ["file"]


def test_only_old_unfinished_writes_are_swept(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    names = [f".abilities-{number:016x}.part" for number in range(3)]
    for place in [tmp_path, tmp_path / "deep" / "er"]:
        for name in [*names[:2], "kept", ".other.part"]:
            (place / name).touch()
        os.utime(place / names[0], (0, 0))
        os.utime(place / "kept", (0, 0))
        os.utime(place / ".other.part", (0, 0))
        (place / names[2]).mkdir()
        os.utime(place / names[2], (0, 0))
    assert sweep_strays(open_folder(tmp_path)) == 2
    assert names_in(tmp_path / "deep" / "er") == [
        names[1],
        names[2],
        ".other.part",
        "kept",
    ]


def test_a_root_that_cannot_be_swept_is_left(tmp_path: Path) -> None:
    assert sweep_strays(open_folder(tmp_path / "gone")) == 0
