"""Carl files: reads a folder of somebody else, and nothing that is not in it."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOTDIR
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import orjson

from abilities_host import CallError
from abilities_memory.document import named

FILES: Final = 1_000
"""How many names a folder may have."""

FILE_BYTES: Final = 8 * 1024 * 1024

_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    # Nobody waits for the other end of a pipe.
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
_HAS_FOLDERS: Final = os.open in os.supports_dir_fd and os.scandir in os.supports_fd


class CarlUnreadable(CallError):
    """A CARL folder or a file of it cannot be read, so nothing was taken."""

    code = "memory_carl_unreadable"

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(
            f"CARL's {named(name)} cannot be read: {problem}. Nothing was imported.",
            name=name,
        )


class CarlFolder:
    """One folder; what is in it is opened through it, and no link is followed.

    Args:
        path: of the folder; it may be a link itself.
        label: what the folder is called where something is wrong.
        within: the folder around it, opened; then it may be no link.
        by_path: open what is in it by its path, where no folder can be opened.

    Raises:
        CarlUnreadable: when it is no folder, or cannot be opened.
    """

    def __init__(
        self,
        path: Path,
        label: str = "folder",
        *,
        within: int | None = None,
        by_path: bool = not _HAS_FOLDERS,
    ) -> None:
        self._path: Final = path
        self._label: Final = label
        self._by_path: Final = by_path
        with _faults(label):
            if by_path and not path.is_dir():
                raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR))
            self._opened: Final = None if by_path else _opened(path, within)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._opened is not None:
            os.close(self._opened)

    def names(self) -> dict[str, int]:
        """Give every name in the folder with the type of what it names, in order."""
        found: dict[str, int] = {}
        at = self._path if self._opened is None else self._opened
        with _faults(self._label), os.scandir(at) as entries:
            for entry in entries:
                if len(found) == FILES:
                    problem = f"it holds more than {FILES} names"
                    raise CarlUnreadable(self._label, problem)
                found[entry.name] = _type(entry)
        return dict(sorted(found.items()))

    def text(self, name: str) -> str:
        """Read a plain file of the folder.

        Args:
            name: from `names`.

        Returns:
            What it says.

        Raises:
            CarlUnreadable: when it is no plain file, too large, or not in UTF-8.
        """
        with (
            _faults(name),
            open(  # noqa: PTH123 - a descriptor
                self._open(name), "rb"
            ) as file,
        ):
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise CarlUnreadable(name, "it is no plain file")
            content = file.read(FILE_BYTES + 1)
        if len(content) > FILE_BYTES:
            raise CarlUnreadable(name, f"it is larger than {FILE_BYTES} bytes")
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise CarlUnreadable(name, "it is not in UTF-8") from error

    def json(self, name: str) -> Any:
        """Read a plain file of JSON; see `text`."""
        try:
            return orjson.loads(self.text(name))
        except orjson.JSONDecodeError as error:
            problem = f"line {error.lineno} is not JSON"
            raise CarlUnreadable(name, problem) from error

    def folder(self, name: str) -> "CarlFolder":
        """Open a folder of the folder, which is no link; see `CarlFolder`."""
        path, within = self._at(name), self._opened
        return CarlFolder(path, name, within=within, by_path=self._by_path)

    def _open(self, name: str) -> int:
        path = self._at(name)
        if self._opened is None:
            return os.open(path, _FLAGS)
        return os.open(name, _FLAGS, dir_fd=self._opened)

    def _at(self, name: str) -> Path:
        path = self._path / name
        if Path(name).name != name:
            raise CarlUnreadable(name, "it is in another folder")
        if self._by_path and path.is_symlink():
            raise CarlUnreadable(name, "it is a link")
        return path


def _opened(path: Path, within: int | None) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY
    if within is None:
        return os.open(path, flags)
    return os.open(path.name, flags | os.O_NOFOLLOW, dir_fd=within)


def _type(entry: "os.DirEntry[str]") -> int:
    if entry.is_symlink():
        return stat.S_IFLNK
    if entry.is_dir(follow_symlinks=False):
        return stat.S_IFDIR
    return stat.S_IFREG if entry.is_file(follow_symlinks=False) else 0


@contextmanager
def _faults(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CarlUnreadable(name, error.strerror or "no reason was given") from error
