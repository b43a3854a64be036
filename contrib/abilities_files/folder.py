"""Folder: the root that every path of the pack stays under."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from abilities_files.handle import Handle
from abilities_files.paths import canonical_path, choose_name, split_path
from abilities_files.refusals import (
    Linked,
    NotAFolder,
    NotFound,
    OtherSpelling,
    ParentMissing,
    Protected,
    TooLarge,
    refusing,
)
from abilities_files.spot import Spot, is_folder

NAMES_LIMIT = 50_000

Protects = Callable[[Path, os.stat_result | None], bool]
OpenRoot = Callable[[str], Handle]


class Folder:
    """The root folder and what of it belongs to the host.

    The root is opened anew for each piece of work, so that one the operator replaced
    is seen; from there on everything is relative to what was opened.

    Args:
        path: absolute and resolved.
        protects: answers for a path, and the device and inode of its status, whether
            it belongs to the host.
        folds_case: whether the file system takes ``A`` for ``a``; found out when None.
        open_root: how the root is opened.
        names_limit: names in one folder; one with more cannot be listed in order.
    """

    def __init__(
        self,
        path: Path,
        protects: Protects,
        *,
        folds_case: bool | None = None,
        open_root: OpenRoot = Handle.open_root,
        names_limit: int = NAMES_LIMIT,
    ) -> None:
        self.path: Final = path
        self.folds_case: Final = _folds(path) if folds_case is None else folds_case
        self._protects: Final = protects
        self._open_root: Final = open_root
        self._names_limit: Final = names_limit

    def __repr__(self) -> str:
        return f"Folder({str(self.path)!r})"

    def hides(self, handle: Handle, name: str, status: os.stat_result | None) -> bool:
        """Answer whether a name in an open folder belongs to the host.

        Args:
            handle: the open folder.
            name: as the operating system has it.
            status: what is known of it, None when it does not exist.

        Returns:
            True when it must not be shown, read or written.
        """
        return self._protects(Path(handle.join(name)), status)

    def list_names(self, handle: Handle, path: str) -> list[str]:
        """List the names in an open folder.

        Args:
            handle: the open folder.
            path: its path, for the error.

        Returns:
            Names as the operating system has them, in no order.

        Raises:
            TooLarge: when there are more than the limit.
        """
        names = handle.list_names(self._names_limit + 1)
        if len(names) > self._names_limit:
            raise TooLarge(path, self._names_limit, "names in one folder")
        return names

    @contextmanager
    def enter(self, path: str) -> Iterator[Handle]:
        """Open a folder for the time of a ``with`` block.

        Args:
            path: any spelling; empty for the root.

        Yields:
            The open folder.

        Raises:
            AbilityFailed: when it is not a folder that may be used.
        """
        names = split_path(path)
        with refusing("/".join(names)):
            handle = self._walk(names)
        with handle:
            yield handle

    @contextmanager
    def spot(self, path: str) -> Iterator[Spot]:
        """Open the folder that holds a path for the time of a ``with`` block.

        Args:
            path: any spelling, not the root.

        Yields:
            The place of the path, whether or not something is there.

        Raises:
            AbilityFailed: when the folder does not exist or may not be used.
        """
        path = canonical_path(path)
        *names, name = path.split("/")
        try:
            with refusing(path):
                handle = self._walk(names)
        except NotFound:
            raise ParentMissing(path) from None
        with handle, refusing(path):
            yield Spot(self.hides, handle, self._find(handle, name, path) or name, path)

    def _walk(self, names: Sequence[str]) -> Handle:
        handle = self._open_root(str(self.path))
        try:
            self._check_open(handle, "")
            for count, name in enumerate(names, 1):
                inner = self._step(handle, name, "/".join(names[:count]))
                handle.close()
                handle = inner
        except BaseException:
            handle.close()
            raise
        return handle

    def _step(self, handle: Handle, name: str, path: str) -> Handle:
        found = self._find(handle, name, path)
        if found is None:
            raise NotFound(path)
        with refusing(path):
            status = handle.lstat(found)
            _check_way(status, path)
            inner = handle.enter(found)
        try:
            self._check_open(inner, path)
        except BaseException:
            inner.close()
            raise
        return inner

    def _check_open(self, handle: Handle, path: str) -> None:
        # What was opened, not what its path leads to now.
        if self._protects(Path(handle.path), handle.status()):
            raise Protected(path)

    def _find(self, handle: Handle, name: str, path: str) -> str | None:
        """Find the name on disk: it may differ in its Unicode form."""
        if not self.folds_case:
            if _is_there(handle, name):
                return name
            if name.isascii():
                return None
        names = self.list_names(handle, path)
        found = choose_name(name, names)
        if found is None and self.folds_case:
            _check_case(name, names, path)
        return found


def _check_way(status: os.stat_result, path: str) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise Linked(path)
    if not is_folder(status):
        raise NotAFolder(path)


def _check_case(name: str, names: Sequence[str], path: str) -> None:
    if any(raw.casefold() == name.casefold() for raw in names):
        raise OtherSpelling(path)


def _is_there(handle: Handle, name: str) -> bool:
    try:
        handle.lstat(name)
    except FileNotFoundError:
        return False
    return True


def _folds(path: Path) -> bool:
    every = (path, *path.parents)
    named = next((p for p in every if p.name != p.name.swapcase()), path)
    try:
        other = named.with_name(named.name.swapcase())
        return os.path.samestat(other.stat(), named.stat())
    except (OSError, ValueError):  # nothing has that name, or there was none to try
        return False
