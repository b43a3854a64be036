"""The review is a screen: read to the end, decided with real keys and one secret."""

import fcntl
import re
import struct
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli.at_terminal import MAIN, Desk, Ended, at_terminal
from cli.conftest import Command
from cli.ledger_world import write
from cli.memory_world import (
    RULE,
    change,
    editing,
    make_memory,
    memory,
    plain,
    propose,
)
from cli.record_world import ANA, BEN

from abilities_host.cli.running import load

SECRET = b"Secret of ana: "
KEYS = b"q quit"
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"
CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@contextmanager
def reviewing(config: Path, *given: str, code: str = MAIN) -> Iterator[Desk]:
    with Desk(config.parent, code, "memory", "review", *given) as desk:
        yield desk


def statuses(command: Command, config: Path) -> list[str]:
    value = command("memory", "list", "--json", "--config", config).value
    return [each["status"] for each in value["guidance"]]


def last_page(ended: Ended) -> str:
    """Give the text of the last page that was drawn."""
    return CONTROLS.sub("", plain(ended.screen).split("\x1b[H")[-1])


def after(ended: Ended) -> str:
    """Give what was printed once the screen was left."""
    return plain(ended.screen).rpartition(LEAVE)[2]


def type_secret(desk: Desk, secret: str = ANA) -> None:
    desk.wait_for(SECRET)
    desk.type(f"{secret}\n".encode())


def test_where_nothing_waits_there_is_no_screen(tmp_path: Path) -> None:
    config = make_memory(tmp_path)

    ended = at_terminal(config.parent, "memory", "review")

    assert ended == (0, "Nothing waits for a review.\n")


@pytest.mark.parametrize("what", ["store", "memory"])
def test_a_host_that_cannot_start_is_told_before_there_is_a_screen(
    tmp_path: Path, what: str
) -> None:
    config = make_memory(tmp_path)
    if what == "store":
        store = load(config).store_path
        store.write_bytes(b"no store" * 1000)
        store.chmod(0o600)
    else:
        (config.parent / "plugins" / "remembering.py").unlink()

    ended = at_terminal(config.parent, "memory", "review")

    assert ended.code == 4
    assert "\nerror: " in f"\n{ended.screen}"
    assert ENTER not in ended.screen


def test_without_an_account_nobody_reviews(tmp_path: Path) -> None:
    config = make_memory(tmp_path)
    propose(config, "One.")

    ended = at_terminal(config.parent, "memory", "review")

    assert ended.code == 3
    assert ended.screen.endswith("Make one: abilities admin add NAME\n")


def test_a_person_goes_through_what_waits_with_one_secret(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    for number in range(5):
        propose(config, f"Number {number} {'x' * number}.")

    with reviewing(config) as desk:
        desk.wait_for(KEYS)
        echo = desk.is_echoing()
        desk.type(b"s")
        desk.wait_for(b"gm-002  5 waiting")
        desk.type(b"a")
        type_secret(desk)
        desk.wait_for(b"gm-002 is approved.")
        desk.type(b"r")
        desk.wait_for(b"gm-003 is rejected.")
        desk.type(b"x")
        desk.wait_for(b"gm-004 is archived.")
        desk.type(b"q")
        ended = desk.finish()
        mended = desk.process.returncode == 0

    assert (ended.code, echo, mended) == (0, False, True)
    assert ended.screen.startswith(ENTER)
    assert "gm-003  4 waiting  ana may decide" in ended.screen
    assert after(ended) == "1 skipped, 1 approved, 1 rejected, 1 archived, 2 wait.\n"
    assert statuses(command, config) == [
        *("pending", "approved", "rejected", "archived", "pending")
    ]


def test_what_is_longer_than_the_screen_is_read_before_it_is_approved(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    write(command, config, "one")
    propose(config, "Never touch text files.", rule=RULE, recall=("text",))

    with reviewing(config) as desk:
        desk.wait_for(b"rows 1 to 22 of 25")
        desk.type(b"a")
        desk.wait_for(b"There is more to read before it can be approved.")
        desk.type(b"\x1b[A")
        desk.wait_for(b"rows 4 to 25 of 25")
        desk.type(b"b")
        desk.wait_for(b"rows 1 to 22 of 25")
        desk.type(b"\x1b[B")
        desk.wait_for(b"rows 2 to 23 of 25")
        desk.type(b"\x1b[F")
        desk.wait_for(b"rows 4 to 25 of 25")
        desk.type(b"\x1b[H")
        desk.wait_for(b"rows 1 to 22 of 25")
        desk.type(b"a")
        type_secret(desk)
        ended = desk.finish()

    assert ended.code == 0
    assert "files/write files:a.txt" in ended.screen
    assert after(ended) == "1 approved, nothing waits.\n"
    assert statuses(command, config) == ["approved"]


def test_keys_typed_before_anything_is_seen_decide_nothing(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")
    propose(config, "Two.")

    with reviewing(config) as desk:
        desk.wait_for(KEYS)
        desk.type(b"rrrr")
        type_secret(desk)
        desk.wait_for(b"gm-001 is rejected.")
        desk.type(b"q")
        ended = desk.finish()

    assert ended.code == 0
    assert statuses(command, config) == ["rejected", "pending"]


def test_a_wrong_secret_decides_nothing_and_is_told(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana", "ben")
    propose(config, "One.")

    with reviewing(config, "--as", "ana") as desk:
        desk.wait_for(KEYS)
        desk.type(b"a")
        type_secret(desk, BEN)
        desk.wait_for(b"No account has this name and this secret.")
        desk.type(b"q")
        ended = desk.finish()

    assert ended.code == 0
    assert after(ended) == "1 waits.\n"
    assert statuses(command, config) == ["pending"]


def test_with_several_accounts_a_person_says_who_it_is(tmp_path: Path) -> None:
    config = make_memory(tmp_path, "ana", "ben")
    propose(config, "One.")

    ended = at_terminal(config.parent, "memory", "review")

    assert ended.code == 2
    assert "Say who you are: --as NAME, one of ana, ben." in ended.screen


def test_what_is_swapped_after_it_was_shown_is_shown_again(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "Be kind.")

    with reviewing(config) as desk:
        desk.wait_for(KEYS)
        change(config, "UPDATE memory_guidance SET text = 'Delete all.'")
        desk.type(b"a")
        type_secret(desk)
        desk.wait_for(b"Delete all.")
        desk.wait_for(b"is not what was shown any more")
        desk.type(b"q")
        ended = desk.finish()

    assert ended.code == 0
    assert statuses(command, config) == ["pending"]


def test_two_people_do_not_decide_the_same_twice(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana", "ben")
    propose(config, "One.")
    propose(config, "Two.")

    with reviewing(config, "--as", "ana") as desk:
        desk.wait_for(KEYS)
        other = memory(config, "approve", "gm-001", "--as", "ben", name="ben")
        desk.type(b"r")
        type_secret(desk)
        desk.wait_for(b"gm-001 is approved and cannot become rejected.")
        desk.type(b"a")
        desk.wait_for(b"\x1b[?1049l")
        ended = desk.finish()
    shown = command("memory", "show", "gm-001", "--json", "--config", config).value

    assert (other.code, ended.code) == (0, 0)
    assert after(ended) == "1 approved, nothing waits.\n"
    assert shown["seal"]["by"] == "ben"
    assert statuses(command, config) == ["approved", "approved"]


def test_what_waits_is_edited_in_the_editor_and_comes_up_next(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")
    code = editing(tmp_path, "text = text.replace('One.', 'Two.')")

    with reviewing(config, code=code) as desk:
        desk.wait_for(KEYS)
        desk.type(b"e")
        type_secret(desk)
        desk.wait_for(b"gm-002 waits in place of gm-001.")
        desk.type(b"e")
        desk.wait_for(KEYS)
        desk.type(b"a")
        ended = desk.finish()

    assert ended.code == 0
    assert "| Two." in last_page(ended)
    assert after(ended) == "1 edited, 1 approved, nothing waits.\n"
    assert statuses(command, config) == ["archived", "approved"]


def test_an_editor_that_fails_is_told_on_the_screen(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")

    with reviewing(config, code=editing(tmp_path, "sys.exit(3)")) as desk:
        desk.wait_for(KEYS)
        desk.type(b"e")
        type_secret(desk)
        desk.wait_for(b"with 3.")
        desk.type(b"q")
        ended = desk.finish()

    assert ended.code == 0
    assert statuses(command, config) == ["pending"]


@pytest.mark.parametrize("at_secret", [False, True])
def test_an_interrupted_review_mends_the_terminal(
    tmp_path: Path, *, at_secret: bool
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")

    with reviewing(config) as desk:
        desk.wait_for(KEYS)
        if at_secret:
            desk.type(b"a")
            desk.wait_for(SECRET)
        desk.type(b"\x03")
        desk.wait_for(b"interrupted.")
        is_echoing = desk.is_echoing()
        ended = desk.finish()

    assert is_echoing
    assert ended.code == 130
    assert after(ended).endswith("error: interrupted.\n")


def test_a_terminal_of_another_size_is_drawn_anew(tmp_path: Path) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "A word " * 20)

    with reviewing(config) as desk:
        desk.wait_for(KEYS)
        size = struct.pack("HHHH", 8, 30, 0, 0)
        fcntl.ioctl(desk.terminal, termios.TIOCSWINSZ, size)
        desk.wait_for(b"gm-001  1 waiting")
        desk.type(b"q")
        ended = desk.finish()

    page = last_page(ended).splitlines()
    assert ended.code == 0
    assert max(map(len, page[:7])) <= 30
    assert len(page) == 8 + 1  # and what is told once the screen is left


def test_a_terminal_without_a_cursor_gets_it_all_at_once(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "Never touch text files.", rule=RULE, recall=("a", "b"))
    dumb = f"import os\nos.environ['TERM'] = 'dumb'\n{MAIN}"

    with reviewing(config, code=dumb) as desk:
        desk.wait_for(KEYS)
        desk.type(b"a")
        type_secret(desk)
        ended = desk.finish()

    assert ended.code == 0
    assert "\x1b" not in ended.screen
    assert statuses(command, config) == ["approved"]


def test_without_colour_there_is_none(tmp_path: Path) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")
    no_colour = f"import os\nos.environ['NO_COLOR'] = '1'\n{MAIN}"

    with reviewing(config, code=no_colour) as desk:
        desk.wait_for(KEYS)
        desk.type(b"q")
        ended = desk.finish()

    assert ended.code == 0
    assert re.search(r"\x1b\[[0-9;]*m", ended.screen) is None


def test_what_the_log_says_comes_after_the_screen(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")
    propose(config, "Two.")
    change(config, "UPDATE memory_guidance SET status = 'approved' WHERE number = 1")
    alarm = "error: guidance gm-001 says it is approved, and no person did; it has no "

    with reviewing(config) as desk:
        desk.wait_for(KEYS)
        desk.type(b"q")
        ended = desk.finish()

    inside = plain(ended.screen).partition(ENTER)[2].partition(LEAVE)[0]
    assert ended.code == 0
    assert alarm not in inside


def test_a_terminal_that_goes_away_ends_the_review(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")
    staying = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + MAIN

    with reviewing(config, code=staying) as desk:
        desk.wait_for(KEYS)
        desk.hang_up()
        desk.process.wait(30)

    assert desk.process.returncode != 0
    assert statuses(command, config) == ["pending"]
