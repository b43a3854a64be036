"""A secret comes from the terminal in front of a person, or not at all."""

from pathlib import Path

import pytest
from cli.at_terminal import MAIN, Desk, Ended, at_terminal
from cli.record_world import ANA, WARNING, Scripted, make_accounts, make_host
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.accounts import UnsuitableSecret
from abilities_host.cli.exits import exit_of
from abilities_host.cli.secret import (
    LINE_BYTES,
    NeedsPerson,
    ask_new_secret,
    typed_keys,
)

ASKING = """
import ctypes, fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from abilities_host.cli.secret import NeedsPerson, Terminal
terminal = Terminal()
try:
    PREPARE
    print("seen:", terminal.ask("Name:"))
    print("secrets:", [terminal.ask_secret("Secret:") for _ in range(2)])
except NeedsPerson as error:
    print("refused:", str(error).split(": ")[1].split(" Nothing")[0])
prctl = getattr(ctypes.CDLL(None), "prctl", None)
print("memory is open:", prctl(3, 0, 0, 0, 0) if prctl else 0)
"""
# The screen goes away too, so what is said goes into a file.
HANGING = """
import fcntl, pathlib, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
from abilities_host.cli.secret import NeedsPerson, Terminal
try:
    Terminal().ask_secret("Secret:")
except NeedsPerson as error:
    pathlib.Path("said").write_text(str(error).split(": ")[1].split(" Nothing")[0])
"""
CHOOSE_ANA = "New secret of ana, at least 10 characters: "
REFUSED = (
    "error: This needs a person at a terminal: {} Nothing was changed. A secret is "
    "never taken from an argument, a variable, a file or a pipe.\n"
)


def asking(prepare: str = "pass") -> str:
    return ASKING.replace("PREPARE", prepare)


def test_a_line_is_seen_and_a_secret_is_not(tmp_path: Path) -> None:
    with Desk(tmp_path, asking()) as desk:
        desk.wait_for(b"Name: ")
        echo = [desk.is_echoing()]
        desk.type(b"an\x7fna\n")
        desk.wait_for(b"Secret: ")
        echo.append(desk.is_echoing())
        desk.type(b"\x1a\x1an\xc3\xa9w \x04words\x7fs\n")
        desk.wait_for(b"Secret: ")
        desk.type(b"\n")
        desk.wait_for(b"memory")
        echo.append(desk.is_echoing())
        ended = desk.finish()

    assert echo == [True, False, True]
    assert ended == Ended(
        0,
        "Name: an\b \bna\nseen: ana\n"
        f"{WARNING}Secret: \nSecret: \n"
        "secrets: ['\\x1a\\x1an\u00e9w words', '']\nmemory is open: 0\n",
    )


def test_what_was_typed_ahead_is_dropped(tmp_path: Path) -> None:
    ready = "print('ready', flush=True); os.read(0, 100)"
    with Desk(tmp_path, asking(ready)) as desk:
        desk.wait_for(b"ready")
        desk.type(b"go\nana\nahead\nahead\nahead\n")
        desk.wait_for(b"Secret: ")
        desk.type(b"one\n")
        desk.wait_for(b"Secret: ")
        desk.type(b"two\n")
        ended = desk.finish()

    assert "seen: ana\n" in ended.screen
    assert "secrets: ['one', 'two']\n" in ended.screen


@pytest.mark.parametrize(
    ("prepare", "why"),
    [
        ("os.dup2(os.pipe()[0], 0)", "standard input or error is not the terminal."),
        ("os.dup2(os.pipe()[1], 2)", "standard input or error is not the terminal."),
        (
            "os.fork() and os._exit(os.wait()[1]) or os.setpgid(0, 0)",
            "this process runs in the background.",
        ),
        (
            "os.fork() and os._exit(os.wait()[1]) or os.setsid()",
            "this process has none.",
        ),
    ],
)
def test_whoever_is_not_in_front_of_the_terminal_is_refused(
    tmp_path: Path, prepare: str, why: str
) -> None:
    with Desk(tmp_path, asking(prepare)) as desk:
        ended = desk.finish()

    assert ended.screen.startswith(f"refused: {why}\n")


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        (b"\x04", "the input ended."),
        (b"\xff\xfe\n", "what was typed is not UTF-8 text."),
        (b"x" * 3000 + b"\x04" + b"x" * 3000 + b"\n", "a line has 4096 bytes at most."),
    ],
)
def test_what_is_no_line_of_text_is_refused(
    tmp_path: Path, keys: bytes, why: str
) -> None:
    make_host(tmp_path)

    ended = at_terminal(
        tmp_path, "admin", "add", "ana", answers=[(CHOOSE_ANA.encode(), keys)]
    )

    code = exit_of(NeedsPerson(""))
    assert ended == (code, f"{WARNING}{CHOOSE_ANA}\n{REFUSED.format(why)}")


def test_an_interrupted_prompt_ends_at_once_and_mends_the_terminal(
    tmp_path: Path,
) -> None:
    make_host(tmp_path)

    with Desk(tmp_path, MAIN, "admin", "add", "ana") as desk:
        desk.wait_for(CHOOSE_ANA.encode())
        desk.type(b"half a sec\x03")
        desk.wait_for(b"interrupted")
        is_echoing = desk.is_echoing()
        ended = desk.finish()

    assert is_echoing
    assert ended == (130, f"{WARNING}{CHOOSE_ANA}\nerror: interrupted.\n")


def test_a_terminal_that_goes_away_is_no_answer(tmp_path: Path) -> None:
    with Desk(tmp_path, HANGING) as desk:
        desk.wait_for(b"Secret: ")
        desk.hang_up()
        desk.process.wait(30)

    said = (tmp_path / "said").read_text()
    assert said == "the terminal cannot be used (Input/output error)."


def test_three_secrets_that_cannot_be_taken_are_enough(
    capsys: pytest.CaptureFixture[str],
) -> None:
    person = Scripted("short", "long enough", "long enougH", "short")

    with pytest.raises(UnsuitableSecret, match=r"That was try 3 of 3\.$"):
        ask_new_secret(person, "ana")

    short = "This secret cannot be taken: it has fewer than 10 characters. A few words"
    assert len(person.asked) == 4
    assert " ".join(capsys.readouterr().err.split()) == (
        f"{short} that nobody knows are good. The two are not the same."
    )


@given(st.text(st.characters(exclude_characters="\r\n\x03\b"), max_size=50))
def test_keys_make_a_line(line: str) -> None:
    keys = iter(f"x\b\b{line}y\b\r")

    assert typed_keys(lambda: next(keys)) == line


def test_a_console_has_an_end_and_ctrl_c() -> None:
    keys = iter("ab\x03")

    with pytest.raises(KeyboardInterrupt):
        typed_keys(lambda: next(keys))

    assert len(typed_keys(lambda: "x")) == LINE_BYTES + 1


def test_the_rest_of_the_commands_is_asked_with_one_warning(tmp_path: Path) -> None:
    make_accounts(make_host(tmp_path), ana=ANA)
    answers = [
        (b"Secret of ana: ", f"{ANA}\n".encode()),
        (b"New secret of ben, at least 10 characters: ", b"\x03"),
    ]

    ended = at_terminal(tmp_path, "admin", "add", "ben", answers=answers)

    assert ended.screen.count(WARNING) == 1
