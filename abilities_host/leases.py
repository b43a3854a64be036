"""Lease: a lock file that is held for a host's whole life, so that its death shows."""

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from abilities_host.filelock import FileLock

_ID: Final = re.compile(r"[0-9a-f]{16}")


class Lease:
    """The sign of life of one running host; the kernel takes it away at any death.

    Neither a pid nor a clock says whether a host lives: a pid is used again, and a
    laptop sleeps.

    Args:
        folder: where the leases of all hosts of one store lie, on the same disk; made
            with mode 0700 when missing.

    Attributes:
        id: random, 16 hexadecimal characters; what the record of a write names.

    Raises:
        OSError: when the file cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.id = secrets.token_hex(8)
        self._folder: Final = folder
        # Locked before it has its name: nobody can find it free.
        self._lock: Final = FileLock(folder / f".{self.id}.new")
        self._lock.try_acquire()
        os.rename(self._lock.path, folder / self.id)  # noqa: PTH104 - a rename, never a replace

    def is_dead(self, lease: str) -> bool:
        """Answer whether the host of a lease has ended; looks at a file.

        Args:
            lease: its id, as it stands in the record.

        Returns:
            False while it runs, also when it is stopped and may go on; True for what
            is no lease.
        """
        if lease == self.id:
            return False
        path = self._folder / lease
        if not _ID.fullmatch(lease) or not path.exists():
            return True
        lock = FileLock(path)
        try:
            return lock.try_acquire()
        except OSError:  # nobody can tell: nothing of it is touched
            return False
        finally:
            lock.release()

    def forget(self, lease: str) -> None:
        """Remove the file of a dead host, once nothing in the record needs it."""
        if _ID.fullmatch(lease) and self.is_dead(lease):
            with suppress(OSError):
                (self._folder / lease).unlink()

    def list_dead(self) -> list[str]:
        """Give the ids of dead hosts whose files are still there."""
        names = [path.name for path in self._folder.iterdir()]
        return [name for name in names if _ID.fullmatch(name) and self.is_dead(name)]

    def end(self, *, is_settled: bool) -> None:
        """Give the lease back.

        Args:
            is_settled: nothing in the record waits for this host: its file goes too.
        """
        if is_settled:
            with suppress(OSError):
                (self._folder / self.id).unlink()
        self._lock.release()


class NoLease(Lease):
    """Of a host that only reads: it names nothing in a record and judges nobody."""

    def __init__(self) -> None:
        self.id = ""

    def is_dead(self, lease: str) -> bool:  # noqa: ARG002 - as of a lease
        """Answer that nobody is known to be dead."""
        return False

    def forget(self, lease: str) -> None:
        """Remove nothing."""

    def list_dead(self) -> list[str]:
        """Give nobody."""
        return []

    def end(self, *, is_settled: bool) -> None:
        """Give nothing back."""
