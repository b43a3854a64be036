"""Identity: which file a store is, so that another one is not taken for it."""

import os
from pathlib import Path
from typing import Final

from abilities_host.errors import StoreError, StoreMissing
from abilities_host.storage.faults import GONE

_READ_ONLY: Final = (
    "the file was made read-only; nothing was stored. Give the right to write back: "
    "chmod u+w. Reads go on."
)


class Identity:
    """The file that a path led to when the store was opened.

    Args:
        path: the store, resolved.

    Raises:
        StoreMissing: when it is not there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = str(path)
        status = _status(path, self._name)
        self._known = status.st_dev, status.st_ino

    def check(self) -> None:
        """Look whether the path still leads there; a microsecond.

        Raises:
            StoreMissing: when not: SQLite would go on with a file that no longer has a
                name, and lose it all.
        """
        self._look()

    def check_writable(self) -> None:
        """Look also whether the file may be written.

        Raises:
            StoreMissing: when the path no longer leads there.
            StoreError: when it was made read-only, which those who have it open would
                not notice.
        """
        if not self._look().st_mode & 0o222:
            raise StoreError(self._path, _READ_ONLY)

    def _look(self) -> os.stat_result:
        status = _status(self._path, self._name)
        if (status.st_dev, status.st_ino) != self._known:
            raise StoreMissing(self._path, GONE)
        return status


def _status(path: Path, name: str) -> os.stat_result:
    try:
        return os.stat(name)  # noqa: PTH116 - every call asks, and this is faster
    except FileNotFoundError:
        raise StoreMissing(path, GONE) from None
