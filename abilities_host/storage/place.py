"""Where a store may lie: a private folder on a local disk."""

import os
import re
from pathlib import Path
from typing import Final

from abilities_host.access import others_may_write
from abilities_host.errors import StoreError, StoreForeign, StoreUnsafe
from abilities_host.storage.faults import FOREIGN

# Their locks or their shared memory do not reach every process that sees the file.
NETWORK: Final = frozenset(
    {"afs", "beegfs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "gfs2", "gpfs"}
    | {"lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs"}
)
_MOUNTS: Final = Path("/proc/self/mountinfo")
_SIDES: Final = ("-wal", "-shm", "-journal", "-lock", "-mark")


def beside(path: Path, end: str) -> Path:
    """Name a file that belongs to the store, such as ``store.db-wal``."""
    return path.with_name(path.name + end)


def check_place(path: Path) -> None:
    """Check that nobody else can change a store, before it is opened or made.

    Args:
        path: the store, resolved; its folder exists.

    Raises:
        StoreForeign: when something that is no file, or an empty file, is there.
        StoreUnsafe: when others may write there, or it is on a network file system.
    """
    # SQLite takes an empty file for an empty database, and opening a FIFO hangs.
    if path.exists() and not (path.is_file() and path.stat().st_size):
        raise StoreForeign(path, FOREIGN)
    for each in (path.parent, path, *(beside(path, end) for end in _SIDES)):
        if each.exists() and others_may_write(each.stat()):
            raise StoreUnsafe(
                path, f"others may write {each}. Run: chmod go-w '{each}'"
            )
    check_local(path, _read_mounts())


def check_writable(path: Path) -> None:
    """Check that a store and its folder may be written.

    Args:
        path: the store, resolved; it exists.

    Raises:
        StoreError: when not; says which of the two.
    """
    for each, kind in ((path, "file"), (path.parent, "folder")):
        # Root may write what is marked read-only, and should not.
        if not (each.stat().st_mode & 0o222 and os.access(each, os.W_OK)):
            problem = f"the {kind} {each} is read-only. Give the right to write, or "
            raise StoreError(path, f"{problem}start with --read-only.")


def _read_mounts() -> str:
    try:
        return _MOUNTS.read_text(errors="surrogateescape")
    except OSError:  # no Linux: it cannot be told
        return ""


def check_local(path: Path, mounts: str) -> None:
    """Check that a store is not on a network file system, as far as can be told.

    Args:
        path: the store, resolved.
        mounts: the text of ``/proc/self/mountinfo``, empty where there is none.

    Raises:
        StoreUnsafe: when it is on one.
    """
    kind = file_system(path.parent, mounts)
    if kind in NETWORK:
        problem = f"it lies on a network file system ({kind}). Use a local disk."
        raise StoreUnsafe(path, problem)


def file_system(path: Path, mounts: str) -> str:
    """Say what kind of file system a folder is on.

    Args:
        path: the folder, resolved.
        mounts: the text of ``/proc/self/mountinfo``.

    Returns:
        Its kind, such as ``ext4``; empty when `mounts` does not tell.
    """
    best, kind = -1, ""
    for line in mounts.splitlines():
        fields, _, device = line.partition(" - ")
        point = Path(_unescape(fields.split(" ")[4]))
        # A later mount on the same point hides the earlier one.
        if len(point.parts) >= best and path.is_relative_to(point):
            best, kind = len(point.parts), device.split(" ")[0]
    return kind


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
