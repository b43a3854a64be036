"""Tree: everything under a folder, in one stable order, without what is hidden."""

import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from abilities_files.folder import Folder
from abilities_files.handle import Handle
from abilities_files.paths import DEPTH_LIMIT, PART_NAME, Spelling, spell_names
from abilities_files.refusals import refusing
from abilities_files.spot import is_folder

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing under a folder.

    Attributes:
        key: the names of its path as shown; the order of the tree.
        handle: the open folder that holds it, until the next entry is asked for.
        name: its name as the operating system has it.
        status: of the thing itself, also of a link.
        is_usable: whether its path can be used.
    """

    key: Key
    handle: Handle
    name: str
    status: os.stat_result
    is_usable: bool

    @property
    def path(self) -> str:
        """The path as shown."""
        return "/".join(self.key)


def walk_tree(
    root: Folder,
    handle: Handle,
    key: Key = (),
    *,
    depth: int = DEPTH_LIMIT,
    after: Key = (),
    parts: bool = False,
) -> Generator[Entry, None, None]:
    """Go through everything under an open folder, a folder before what is in it.

    Args:
        root: the root; what it hides is left out.
        handle: the open folder.
        key: the names of its path.
        depth: how many levels; 1 for what is directly in it.
        after: the key of the last entry seen before, to go on from there.
        parts: whether unfinished writes are given too.

    Yields:
        The entries, sorted by key.

    Raises:
        AbilityFailed: when a folder holds too many names.
    """
    for spelling in spell_names(root.list_names(handle, "/".join(key))):
        inner = (*key, spelling.shown)
        if inner < after[: len(inner)]:
            continue  # all that is in it was seen too
        entry = _look(root, handle, inner, spelling)
        if entry is None or (PART_NAME.fullmatch(entry.name) and not parts):
            continue
        if inner > after:
            yield entry
        if depth > 1 and entry.is_usable and is_folder(entry.status):
            yield from _go_down(root, entry, depth - 1, after, parts=parts)


def _look(root: Folder, handle: Handle, key: Key, spelling: Spelling) -> Entry | None:
    try:
        status = handle.lstat(spelling.raw)
    except FileNotFoundError:
        return None  # gone since the folder was read
    if root.hides(handle, spelling.raw, status):
        return None
    return Entry(key, handle, spelling.raw, status, spelling.is_usable)


def _go_down(
    root: Folder, entry: Entry, depth: int, after: Key, *, parts: bool
) -> Iterator[Entry]:
    try:
        inner = entry.handle.enter(entry.name)
    except OSError:  # not ours to read, gone, or exchanged for a link
        return
    with inner, refusing(entry.path):
        if not root.hides(inner, "", inner.status()):
            yield from walk_tree(
                root, inner, entry.key, depth=depth, after=after, parts=parts
            )
