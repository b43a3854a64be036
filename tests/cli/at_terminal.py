"""A command in a process of its own, at a terminal where somebody types."""

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from cli.world import environment

SECONDS = 50.0

# Without a controlling terminal there is nobody to ask.
MAIN = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from abilities_host.cli import main
main()
"""


class Ended(NamedTuple):
    """How a command at a terminal ended, and what the screen got."""

    code: int
    screen: str


class Desk:
    """A terminal of 80 columns, with one process at it.

    Args:
        folder: where the process runs.
        code: Python that it runs.
        arguments: those of the process.
        variables: of its environment.
    """

    def __init__(
        self, folder: Path, code: str, *arguments: str, **variables: str
    ) -> None:
        self.terminal, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            cwd=folder,
            env={**environment(folder), "TERM": "xterm", **variables},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = b""
        self._told = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Take the terminal away, as a closed window does."""
        if self.terminal >= 0:
            os.close(self.terminal)
        self.terminal = -1

    def wait_for(self, prompt: bytes) -> None:
        """Wait until the screen gets a prompt, after the one before."""
        end = time.monotonic() + SECONDS
        while (found := self.seen.find(prompt, self._told)) < 0:
            if not self._read(end):
                raise TimeoutError(self.seen)
        self._told = found + len(prompt)

    def type(self, keys: bytes) -> None:
        os.write(self.terminal, keys)

    def is_echoing(self) -> bool:
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)

    def finish(self) -> Ended:
        end = time.monotonic() + SECONDS
        while self._read(end):
            pass
        code = self.process.wait(SECONDS)
        return Ended(code, self.seen.decode().replace("\r\n", "\n"))

    def _read(self, end: float) -> bool:
        if not select.select([self.terminal], [], [], end - time.monotonic())[0]:
            raise TimeoutError(self.seen)
        try:
            piece = os.read(self.terminal, 4096)
        except OSError:  # Linux says so when the other side is closed
            piece = b""
        self.seen += piece
        return bool(piece)


def at_terminal(
    folder: Path,
    *arguments: str,
    answers: Sequence[tuple[bytes, bytes]] = (),
    **variables: str,
) -> Ended:
    """Run a command, and type an answer after each prompt."""
    with Desk(folder, MAIN, *arguments, **variables) as desk:
        for prompt, keys in answers:
            desk.wait_for(prompt)
            desk.type(keys)
        return desk.finish()
