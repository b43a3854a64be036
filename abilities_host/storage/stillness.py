"""Stillness: proof that nobody changed a file that is read without locks."""

import os
from pathlib import Path
from typing import Final

from abilities_host.errors import StoreError, StoreMissing, StoreUnsafe
from abilities_host.storage.faults import GONE
from abilities_host.storage.place import beside

_LOGS: Final = ("-wal", "-journal")
_CHANGED: Final = "it was changed while it was only read. Start again."


class Stillness:
    """What a store's files look like when it is opened without locks.

    Args:
        path: the store, resolved.

    Raises:
        StoreMissing: when it is not there.
        StoreUnsafe: when a log beside it holds what the file does not.
    """

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._names: Final = [str(path), *(str(beside(path, end)) for end in _LOGS)]
        self._known: Final = [_look(name) for name in self._names]
        if not self._known[0]:
            raise StoreMissing(path, GONE)
        for name, known in zip(self._names[1:], self._known[1:], strict=True):
            if known:
                raise StoreUnsafe(
                    path,
                    f"{Path(name).name} beside it holds changes that are not in the "
                    "file yet. Start and stop a host without --read-only once, or use "
                    "a copy made by 'abilities backup'.",
                )

    def check(self) -> None:
        """Look whether they still do; a few microseconds.

        Raises:
            StoreError: when not: what was read meanwhile may be half old, half new.
        """
        if [_look(name) for name in self._names] != self._known:
            raise StoreError(self._path, _CHANGED)


def _look(name: str) -> tuple[int, ...]:
    try:
        status = os.lstat(name)  # without a thread: it is asked on every call
    except FileNotFoundError:
        return ()
    if not status.st_size:  # an empty log says nothing
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
