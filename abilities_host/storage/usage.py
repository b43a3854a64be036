"""Usage: the lock that tells whether anybody has a store open."""

import os
import sys
from pathlib import Path
from typing import Final

from abilities_host.errors import StoreBusy
from abilities_host.storage.faults import store_faults
from abilities_host.storage.place import beside

if sys.platform == "win32":
    # There is no shared lock; a file that is open cannot be replaced there anyway.
    def _try_lock(descriptor: int, *, alone: bool) -> bool:  # noqa: ARG001 - it is the other one's twin
        return True
else:
    import fcntl

    def _try_lock(descriptor: int, *, alone: bool) -> bool:
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_RESTORED: Final = "it is being restored just now. Try again when that has ended."
_OPEN: Final = "a host has it open. Stop every host and try again."


class Usage:
    """A lock on a store's use; it ends with the process at the latest.

    Args:
        descriptor: of the locked file, or None where there is nothing to lock.
    """

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    def close(self) -> None:
        """Give the lock back."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def take_shared(path: Path, *, read_only: bool = False) -> Usage:
    """Show that a store is open.

    Args:
        path: the store, resolved; its folder exists.
        read_only: make nothing; where no host has ever written there is no lock.

    Returns:
        The lock, shared with everybody who has the store open.

    Raises:
        StoreBusy: when it is being restored.
        StoreError: when the lock file cannot be used.
    """
    if read_only and not os.access(beside(path, "-mark"), os.R_OK):
        return Usage(None)
    flags = os.O_RDONLY if read_only else os.O_RDWR | os.O_CREAT
    return _take(path, flags, alone=False)


def take_alone(path: Path) -> Usage:
    """Keep everybody from opening a store.

    Args:
        path: the store, resolved; its folder exists.

    Returns:
        The lock.

    Raises:
        StoreBusy: when somebody has it open.
        StoreError: when the lock file cannot be used.
    """
    return _take(path, os.O_RDWR | os.O_CREAT, alone=True)


def _take(path: Path, flags: int, *, alone: bool) -> Usage:
    with store_faults(path):
        # The mark is always there and never removed; its content is not touched.
        descriptor = os.open(beside(path, "-mark"), flags | _NO_LINK, 0o600)
        if _try_lock(descriptor, alone=alone):
            return Usage(descriptor)
    os.close(descriptor)
    raise StoreBusy(path, _OPEN if alone else _RESTORED)
