"""FileLock: an advisory lock on a file that dies with the process that holds it."""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _unlock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    # lockf() would be lost as soon as this process closes any descriptor of the file.
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
_SHORTEST, _LONGEST = 0.0002, 0.001  # seconds between two tries


class FileLock:
    """An exclusive lock between processes, and between two objects in one process.

    The file is made when needed, with mode 0600, and never removed: removing it would
    let two owners lock two files of one name. Use one object from one thread at a time.

    Args:
        path: the lock file; its folder must exist.
    """

    __slots__ = ("_descriptor", "path")

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor >= 0

    def try_acquire(self) -> bool:
        """Take the lock if it is free; a few microseconds, never waits.

        Returns:
            Whether this object holds it now.

        Raises:
            OSError: when the file cannot be opened.
        """
        if self.is_held:
            return True
        # os.open lets no child inherit the descriptor, so a child cannot keep the lock.
        descriptor = os.open(self.path, _FLAGS, 0o600)
        try:
            with suppress(BlockingIOError, PermissionError):
                _lock(descriptor)
                self._descriptor = descriptor
        finally:
            if not self.is_held:
                os.close(descriptor)
        return self.is_held

    def wait(self, seconds: float) -> bool:
        """Take the lock, trying for a while; blocks, so only for worker threads.

        Args:
            seconds: how long to try, at least once.

        Returns:
            Whether this object holds it now.

        Raises:
            OSError: when the file cannot be opened.
        """
        # A blocking flock has no limit: a stopped owner would stop this thread too.
        deadline = time.monotonic() + seconds
        pause = _SHORTEST
        while not self.try_acquire():
            if time.monotonic() >= deadline:
                return False
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST)
        return True

    def release(self) -> None:
        """Give the lock back; nothing happens if it is not held."""
        if not self.is_held:
            return
        descriptor, self._descriptor = self._descriptor, -1
        try:
            # Closing alone would leave it with a child forked while it was held.
            _unlock(descriptor)
        finally:
            os.close(descriptor)
