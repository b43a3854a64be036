"""Mark: a counter in memory shared by all processes, moved before a commit that counts.

Whoever has seen the mark where it is now has seen the last commit, without asking the
database: that makes the question cheap enough for every call.
"""

import mmap
import os
from pathlib import Path
from typing import Final

_BEGUN, _DONE = 0, 1
_SIZE: Final = 16  # two numbers of 8 bytes


class Mark:
    """The mark of one store; only who holds the store's lock moves it.

    Args:
        path: a small file beside the store, made when missing with mode 0600.

    Raises:
        OSError: when the file cannot be made or mapped.
    """

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, 0o600)
        try:
            # Growing keeps what another process has written there meanwhile.
            if os.fstat(descriptor).st_size < _SIZE:
                os.ftruncate(descriptor, _SIZE)
            self._memory: Final = mmap.mmap(descriptor, _SIZE)
        finally:
            os.close(descriptor)
        self._counts: Final = memoryview(self._memory).cast("Q")

    def begun(self) -> int:
        """Give how many counting commits have begun."""
        return self._counts[_BEGUN]

    def settled(self) -> int | None:
        """Give the same number, or None while a commit is under way.

        A process that died in between leaves it unsettled; then the database is asked
        every time, until the next commit.
        """
        begun, done = self._counts
        return begun if begun == done else None

    def begin(self) -> None:
        """Move the mark; from now on nobody trusts what was seen before."""
        self._counts[_BEGUN] = max(self._counts) + 1

    def finish(self) -> None:
        """Say that the commit is over, well or not."""
        self._counts[_DONE] = self._counts[_BEGUN]

    def close(self) -> None:
        """Let go of the memory."""
        self._counts.release()
        self._memory.close()
