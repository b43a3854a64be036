"""The token: made once, kept from others, and never taken from a file in doubt."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from server.world import write_config

from abilities_host.config import protected_paths_of
from abilities_host.errors import StartRefused
from abilities_host.server.tokens import Token, ensure_token

SECRET = "s" * 43


def test_it_is_made_once_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "token"
    made = ensure_token(path)
    found = ensure_token(path)

    assert (made.is_new, found.is_new) == (True, False)
    assert made.value == found.value
    assert len(made.value) == 43
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == f"{made.value}\n"
    assert made.value not in repr(made)
    assert ensure_token(tmp_path / "other").value != made.value


def test_several_starts_at_once_agree(tmp_path: Path) -> None:
    found: list[Token] = []
    path = tmp_path / "token"
    starts = [Thread(target=lambda: found.append(ensure_token(path))) for _ in range(8)]
    for start in starts:
        start.start()
    for start in starts:
        start.join()

    assert len({token.value for token in found}) == 1
    assert [token.is_new for token in found].count(True) == 1


def test_one_that_another_process_is_about_to_write_is_waited_for(
    tmp_path: Path,
) -> None:
    path = tmp_path / "token"
    path.touch(mode=0o600)
    found: list[Token] = []
    reader = Thread(target=lambda: found.append(ensure_token(path)))
    reader.start()
    path.write_text(f"{SECRET}\n")
    reader.join()

    assert [token.value for token in found] == [SECRET]


def link(path: Path) -> None:
    target = path.with_name("elsewhere")
    target.write_text(SECRET)
    target.chmod(0o600)
    path.symlink_to(target)


def readable(path: Path) -> None:
    path.write_text(SECRET)
    path.chmod(0o640)


def writable(path: Path) -> None:
    path.write_text(SECRET)
    path.chmod(0o602)


def empty(path: Path) -> None:
    path.touch(mode=0o600)


def short(path: Path) -> None:
    path.write_text("short\n")
    path.chmod(0o600)


def two_lines(path: Path) -> None:
    path.write_text(f"{SECRET}\n{SECRET}\n")
    path.chmod(0o600)


def fifo(path: Path) -> None:
    os.mkfifo(path, 0o600)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (link, "is a link"),
        (readable, "is open to others"),
        (writable, "is open to others"),
        (empty, "holds no token"),
        (short, "holds no token"),
        (two_lines, "holds no token"),
        (fifo, "is no file"),
    ],
)
def test_a_file_in_doubt_is_refused_with_what_to_do(
    tmp_path: Path, make: Callable[[Path], None], problem: str
) -> None:
    path = tmp_path / "token"
    make(path)
    with pytest.raises(StartRefused) as refused:
        ensure_token(path)

    sentence = str(refused.value)
    assert f"The token file {path} {problem}" in sentence
    assert "Remove it, and the next start makes a new token" in sentence
    assert SECRET not in sentence


def test_what_cannot_be_opened_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(StartRefused, match="cannot be used: Is a directory"):
        ensure_token(tmp_path / "folder")
    with pytest.raises(StartRefused, match="cannot be used: No such file"):
        ensure_token(tmp_path / "none" / "token")


def test_no_pack_may_touch_it(tmp_path: Path) -> None:
    loaded = write_config(tmp_path)
    ensure_token(loaded.token_path)
    other = tmp_path / "other-name"
    other.hardlink_to(loaded.token_path)

    protected = protected_paths_of(loaded)

    assert loaded.token_path == tmp_path / "token"
    assert protected.protects(tmp_path / "TOKEN")
    assert protected.protects(other)
