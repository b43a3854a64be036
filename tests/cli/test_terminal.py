"""On a real terminal, a person is asked, and tables fit its width."""

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from cli.world import environment, make_demo

WIDTH = 80
SECONDS = 40.0


# Without a controlling terminal Ctrl+C is only a character.
MAIN = """
import fcntl, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from abilities_host.cli import main
main()
"""


class Ended(NamedTuple):
    """How a command on a terminal ended, and what the screen got."""

    code: int
    screen: str


def on_terminal(
    config: Path, *arguments: str, answers: tuple[bytes, ...] = ()
) -> Ended:
    """Run the command on a terminal, and answer each question as it comes."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments, "--config", str(config)],
        env={**environment(config.parent), "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        screen = _watch(ours, list(answers))
        code = process.wait(SECONDS)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return Ended(code, screen.replace("\r\n", "\n"))


def _watch(terminal: int, answers: list[bytes]) -> str:
    screen, asked = b"", 0
    end = time.monotonic() + SECONDS
    while select.select([terminal], [], [], max(0.0, end - time.monotonic()))[0]:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # Linux says so when the other side is closed
            piece = b""
        if not piece:
            return screen.decode()
        screen += piece
        while screen.count(b"[y/N] ") > asked:
            os.write(terminal, answers[asked])
            asked += 1
    raise TimeoutError(screen)


NOT_RUN = "may lose something, so it was not run. Add --yes to confirm it."
QUESTION = "demo/empty (Empty) may lose something. Run it? [y/N] "


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        (b"y\n", 0, "y\nemptied\nall \\u202eof it\n"),
        (
            b"no\n",
            3,
            f"no\nerror: 'demo/empty' {NOT_RUN}\n",
        ),
    ],
)
def test_a_person_is_asked_before_something_is_lost(
    tmp_path: Path, answer: bytes, code: int, said: str
) -> None:
    config = make_demo(tmp_path)

    ended = on_terminal(config, "call", "demo/empty", "{}", answers=(answer,))

    assert ended == (code, f"{QUESTION}{said}")


def test_the_end_of_the_input_is_no_yes(tmp_path: Path) -> None:
    config = make_demo(tmp_path)

    ended = on_terminal(config, "call", "demo/empty", "{}", answers=(b"\x04",))

    assert ended == (3, f"{QUESTION}\nerror: 'demo/empty' {NOT_RUN}\n")


def test_questions_of_policy_and_ability_are_asked_and_answered(tmp_path: Path) -> None:
    config = make_demo(tmp_path)
    odd = '{"key": "a", "text": "odd"}'

    agreed = on_terminal(config, "call", "demo/put", odd, answers=(b"yes\n",))
    refused = on_terminal(config, "call", "demo/put", odd, answers=(b"\n",))
    asked = on_terminal(config, "call", "demo/question", "{}", answers=(b"n\n",))

    meant = "Is this meant? [y/N] "
    stopped = "The write 'demo/put' was stopped by 'plugins_dir/demo': a person said no"
    put = '{\n  "put": "a"\n}\nchanged: shelf:a\n'
    really = "Really, \\u001b[2Jreally? [y/N] "
    assert agreed == (0, f"{meant}yes\n{put}")
    assert refused == (3, f"{meant}\nerror: {stopped}\n")
    assert asked == (0, f'{really}n\n{{\n  "agreed": false\n}}\n')


def test_an_interrupted_question_ends_at_once(tmp_path: Path) -> None:
    config = make_demo(tmp_path)

    ended = on_terminal(config, "call", "demo/empty", "{}", answers=(b"\x03",))

    assert ended == (130, f"{QUESTION}^C\nerror: interrupted.\n")


def test_a_table_is_folded_to_the_width_of_the_terminal(tmp_path: Path) -> None:
    server = '[server]\nexclude = ["demo/echo"]'
    config = make_demo(tmp_path, end=server)

    ended = on_terminal(config, "list", "--all")

    plain = re.sub(r"\x1b\[[0-9;]*m", "", ended.screen)
    lines = plain.splitlines()
    assert ended.code == 0
    assert ended.screen.startswith("\x1b[1mNAME")
    assert max(map(len, lines)) <= WIDTH
    assert lines[0].split() == ["NAME", "KIND", "STATE", "WHY", "PACK"]
    assert "demo/echo      read   here   not for clients: server" in plain
