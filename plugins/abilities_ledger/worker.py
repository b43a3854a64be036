"""Worker: a process that checks ranges, so that another processor takes part."""

import json
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import IO, Any, Final

from abilities_ledger import ranges
from abilities_ledger.chain import COLUMNS


class Unanswered(Exception):
    """Raised when a process cannot be started, has ended, or cannot read a range."""


class Worker:
    """One process, started when it is first asked; all of it blocks.

    Args:
        python: the interpreter.
        path: the database, resolved.
    """

    def __init__(self, python: str, path: Path) -> None:
        self._python: Final = python
        self._path: Final = path
        self._lock: Final = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def check(self, name: str, asked: Sequence[Any]) -> Any:
        """Have one range checked; see `Ranges.start`.

        Args:
            name: of the check.
            asked: its arguments.

        Returns:
            What it found, as JSON.

        Raises:
            Unanswered: when there is no answer; why does not matter, since whoever
                checks the same here is told.
        """
        try:
            process = self._started()
            _say(process, [name, *asked])
            found = json.loads(_piped(process.stdout).readline())
        except (OSError, ValueError) as error:
            self.close()  # the next answer might be to this question
            raise Unanswered from error
        if found is None:
            raise Unanswered
        return found

    def _started(self) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self._is_closed:
                raise Unanswered
            if self._process is None:
                self._process = _start(self._python)
                _say(self._process, [_uri(self._path), COLUMNS])
            return self._process

    def close(self) -> None:
        """End the process; whoever waits for an answer gets none."""
        with self._lock:
            self._is_closed = True
            if self._process is None:
                return
            self._process.kill()
            with suppress(OSError):  # what was not read yet goes nowhere
                self._process.__exit__(None, None, None)


def _start(python: str) -> "subprocess.Popen[bytes]":
    # It knows nothing of the packages here, so it starts in 50 ms and not in 500.
    return subprocess.Popen(  # noqa: S603 - a file of this package
        [python, "-I", "-S", ranges.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _say(process: "subprocess.Popen[bytes]", message: Sequence[Any]) -> None:
    pipe = _piped(process.stdin)
    pipe.write(json.dumps(message).encode() + b"\n")
    pipe.flush()


def _piped(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise Unanswered
    return pipe


def _uri(path: Path) -> str:
    """Name the database so that nothing is made beside it.

    While somebody has it open, as whoever verifies does, the index of its log is there.
    Only a store that is opened to be read alone has none.
    """
    is_shared = path.with_name(f"{path.name}-shm").exists()
    return f"{path.as_uri()}?{'mode=ro' if is_shared else 'mode=ro&immutable=1'}"
