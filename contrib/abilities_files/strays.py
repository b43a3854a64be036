"""Strays: what writes left behind when their process ended in the middle."""

import time
from collections.abc import Generator
from contextlib import closing, suppress
from itertools import islice

from abilities_files.folder import Folder
from abilities_files.paths import PART_NAME
from abilities_files.refusals import PathRefused, TooLarge
from abilities_files.spot import is_file
from abilities_files.tree import Entry, walk_tree

STRAY_SECONDS = 3600.0
SWEEP_LIMIT = 10_000


def sweep_strays(root: Folder, older_than: float = STRAY_SECONDS) -> int:
    """Remove unfinished writes that nobody can still be working on.

    Args:
        root: the root; at most 10,000 names under it are looked at.
        older_than: age in seconds.

    Returns:
        How many were removed; those that cannot be are left.
    """
    limit = time.time() - older_than
    with suppress(PathRefused, TooLarge), root.enter("") as handle:
        return _sweep(walk_tree(root, handle, parts=True), limit)
    return 0


def _sweep(tree: Generator[Entry, None, None], limit: float) -> int:
    with closing(tree):
        return sum(_remove_stray(entry, limit) for entry in islice(tree, SWEEP_LIMIT))


def _remove_stray(entry: Entry, limit: float) -> bool:
    is_part = PART_NAME.fullmatch(entry.name) and is_file(entry.status)
    if not is_part or entry.status.st_mtime >= limit:
        return False
    with suppress(OSError):
        entry.handle.remove_file(entry.name)
        return True
    return False
