"""Protected paths: what no pack may touch, by whatever spelling it is reached."""

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

Identity = tuple[int, int]
Key = tuple[str, ...]

ENTRIES = 100_000
_SETTLED_NANOSECONDS = 2_000_000_000
_NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


class ProtectedPaths:
    """Files and folders that are out of bounds; the list can only be extended.

    It decides by resolved name and by (device, inode), so ``..``, links, letter case
    and Unicode spellings do not pass. Every method reads the disk: call it in a thread.

    Args:
        paths: files and folders, which need not exist yet; a folder protects all that
            is in it.
        entries: how many entries of one protected folder are looked through for a
            second name of a file; in a larger one every file with several names counts
            as protected.
    """

    def __init__(self, paths: Iterable[Path], *, entries: int = ENTRIES) -> None:
        self.paths = tuple(dict.fromkeys(path.absolute() for path in paths))
        self._entries = entries
        self._keys = {key: path for path in self.paths for key in _keys(path)}
        self._trees: dict[Path, _Tree] = {}

    def __repr__(self) -> str:
        return f"ProtectedPaths({len(self.paths)} paths)"

    def protects(self, path: Path, status: os.stat_result | None = None) -> bool:
        """Answer whether a path must not be touched.

        Args:
            path: any spelling; a relative one starts at the working directory.
            status: of the opened file, so that it cannot be exchanged in between;
                read from the path when None.

        Returns:
            True for what is protected, and for what cannot be looked at.
        """
        try:
            return self._is_named(path) or self._is_same(path, status)
        except (OSError, ValueError):
            return True

    def overlap(self, path: Path) -> Path | None:
        """Find a protected path that a folder is, contains or lies inside.

        Args:
            path: a root or a database, which need not exist yet.

        Returns:
            The protected path, or None.

        Raises:
            OSError: when the path cannot be looked at.
            ValueError: when it cannot be a path.
        """
        mine, above = _keys(path), _identities(path)
        for key, protected in self._keys.items():
            if any(_is_inside(key, k) or _is_inside(k, key) for k in mine):
                return protected
        here = _identity(_status(path))
        for protected in self.paths:
            if _identity(_status(protected)) in above or here in _identities(protected):
                return protected
        return None

    def extended(self, paths: Iterable[Path]) -> "ProtectedPaths":
        """Make a longer list.

        Args:
            paths: more files and folders.

        Returns:
            A new object that protects these too.
        """
        return ProtectedPaths((*self.paths, *paths), entries=self._entries)

    def _is_named(self, path: Path) -> bool:
        return any(
            key[:length] in self._keys
            for key in _keys(path)
            for length in range(1, len(key) + 1)
        )

    def _is_same(self, path: Path, status: os.stat_result | None) -> bool:
        found = status or _status(path)
        above = _identities(path) | {_identity(found)}
        known = [(path, _status(path)) for path in self.paths]
        if any(_identity(theirs) in above for _, theirs in known if theirs):
            return True
        if found is None or found.st_nlink <= 1 or stat.S_ISDIR(found.st_mode):
            return False
        return any(
            self._is_linked_from(folder, found)
            for folder, theirs in known
            if theirs and stat.S_ISDIR(theirs.st_mode)
        )

    def _is_linked_from(self, folder: Path, status: os.stat_result) -> bool:
        tree = self._trees.get(folder)
        if tree is None or not tree.is_current():
            tree = _read_tree(folder, self._entries)
            self._trees[folder] = tree
        return not tree.is_whole or _identity(status) in tree.files


class _Tree(NamedTuple):
    """The files of one protected folder, as they were when it was looked through."""

    files: frozenset[Identity]
    folders: Mapping[str, int]
    is_whole: bool
    is_settled: bool

    def is_current(self) -> bool:
        return self.is_settled and all(
            (status := _status(folder)) is not None and status.st_mtime_ns == changed
            for folder, changed in self.folders.items()
        )


def _read_tree(root: Path, entries: int) -> _Tree:
    started = time.time_ns()
    files: set[Identity] = set()
    folders: dict[str, int] = {}
    walk = _walk(root)
    for folder, status, entry in islice(walk, entries):
        folders[folder] = status.st_mtime_ns
        if entry is not None:
            files.add((status.st_dev, entry.inode()))
    # A folder changed a moment ago may change again within one tick of its clock.
    settled = max(folders.values(), default=0) < started - _SETTLED_NANOSECONDS
    return _Tree(frozenset(files), folders, next(walk, None) is None, settled)


def _walk(
    root: Path,
) -> Iterator[tuple[str, os.stat_result, "os.DirEntry[str] | None"]]:
    waiting = [os.fspath(root)]
    while waiting:
        folder = waiting.pop()
        status = _status(folder)
        if status is None:  # it was removed in between
            continue
        yield folder, status, None
        with os.scandir(folder) as listing:
            for entry in listing:
                yield folder, status, entry
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)


def _status(path: Path | str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - a Path for each costs more than the look
    except OSError as error:
        if error.errno in _NOTHING_THERE:
            return None
        raise


def _identity(status: os.stat_result | None) -> Identity | None:
    return (status.st_dev, status.st_ino) if status else None


def _identities(path: Path) -> set[Identity | None]:
    """Give what is there and all folders above, as they really are."""
    real = os.path.realpath(path)
    found = {_identity(_status(real))}
    while (above := os.path.split(real)[0]) != real:
        real = above
        found.add(_identity(_status(real)))
    return found - {None}


def _keys(path: Path) -> set[Key]:
    """Give the comparable spellings of a path: where it leads and where it is."""
    place = os.path.join(os.path.realpath(path.parent), path.name)  # noqa: PTH118 - texts only
    return {_key(os.path.realpath(path)), _key(place)}


def _key(path: str) -> Key:
    folded = normalize("NFC", normalize("NFD", path).casefold())
    return Path(folded).parts


def _is_inside(inner: Key, outer: Key) -> bool:
    return inner[: len(outer)] == outer
