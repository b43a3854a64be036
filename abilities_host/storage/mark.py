"""Mark: a counter in memory shared by all processes, moved before a commit that counts.

Whoever has seen the mark where it is now has seen the last commit, without asking the
database: that makes the question cheap enough for every call.
"""

import mmap
import os
import struct
from pathlib import Path
from typing import Final

_LAYOUT: Final = struct.Struct("<QQ")  # begun, done


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
            if os.fstat(descriptor).st_size < _LAYOUT.size:
                os.ftruncate(descriptor, _LAYOUT.size)
            self._shared: Final = mmap.mmap(descriptor, _LAYOUT.size)
        finally:
            os.close(descriptor)

    def begun(self) -> int:
        """Give how many counting commits have begun."""
        begun, _ = _LAYOUT.unpack_from(self._shared)
        return int(begun)

    def settled(self) -> int | None:
        """Give the same number, or None while a commit is under way.

        A process that died in between leaves it unsettled; then the database is asked
        every time, until the next commit.
        """
        begun, done = _LAYOUT.unpack_from(self._shared)
        return int(begun) if begun == done else None

    def begin(self) -> None:
        """Move the mark; from now on nobody trusts what was seen before."""
        begun, done = _LAYOUT.unpack_from(self._shared)
        _LAYOUT.pack_into(self._shared, 0, max(begun, done) + 1, done)

    def finish(self) -> None:
        """Say that the commit is over, well or not."""
        begun = self.begun()
        _LAYOUT.pack_into(self._shared, 0, begun, begun)

    def close(self) -> None:
        """Let go of the memory."""
        self._shared.close()
