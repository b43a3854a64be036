"""Handle: an open folder, from which every step goes one name down."""

import errno
import os
import stat
from itertools import islice
from types import TracebackType
from typing import Final, Self

_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_READ: Final = (
    os.O_RDONLY
    | _NO_FOLLOW
    | getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer must not hold us up
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER: Final = os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_DIRECTORY", 0)
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | (_READ & ~os.O_RDONLY)


def has_descriptors() -> bool:
    """Answer whether this system can open a name relative to an open folder."""
    # By name: a function that a debugger has wrapped must not weaken the pack.
    able = {function.__name__ for function in os.supports_dir_fd}
    needed = {"open", "stat", "mkdir", "unlink", "rmdir", "rename", "link"}
    return needed <= able and hasattr(os, "O_NOFOLLOW")


class Handle:
    """An open folder.

    With a descriptor a name is looked up in the folder that was opened, whatever its
    path leads to by now, and a link is never followed: no race can lead outside.
    Without one (Windows) each step compares the resolved path instead, which a process
    that exchanges folders quickly enough can outrun.

    Args:
        path: absolute and resolved.
        descriptor: of the open folder, or None where there are none.
    """

    __slots__ = ("descriptor", "path")

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path: Final = path
        self.descriptor: Final = descriptor

    @classmethod
    def open_root(cls, path: str) -> Self:
        """Open the root folder.

        Args:
            path: absolute and resolved.

        Returns:
            A handle that the caller closes.

        Raises:
            OSError: when it is not there, not a folder, or has become a link.
        """
        by_path = cls.open_root_by_path
        return cls(path, os.open(path, _FOLDER)) if has_descriptors() else by_path(path)

    @classmethod
    def open_root_by_path(cls, path: str) -> Self:
        """Open the root folder without a descriptor; the weaker way.

        Args:
            path: absolute and resolved.

        Returns:
            A handle that the caller closes.

        Raises:
            OSError: when it is not there, not a folder, or has become a link.
        """
        _check_plain_folder(path)
        return cls(path, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the descriptor back."""
        if self.descriptor is not None:
            os.close(self.descriptor)

    def join(self, name: str) -> str:
        """Give the absolute path of a name in this folder."""
        return os.path.join(self.path, name)  # noqa: PTH118 - names are raw bytes here

    def enter(self, name: str) -> Self:
        """Open a folder in this one.

        Args:
            name: one name, as the operating system has it.

        Returns:
            A handle that the caller closes.

        Raises:
            OSError: when it is a link or not a folder.
        """
        if self.descriptor is None:
            _check_plain_folder(self.join(name))
            return type(self)(self.join(name), None)
        inner = os.open(name, _FOLDER, dir_fd=self.descriptor)
        return type(self)(self.join(name), inner)

    def status(self) -> os.stat_result:
        """Read what the operating system knows of this folder."""
        return os.stat(self._self())  # noqa: PTH116 - mostly a descriptor

    def lstat(self, name: str) -> os.stat_result:
        """Read what the operating system knows of a name; a link is not followed."""
        return os.stat(self._at(name), dir_fd=self.descriptor, follow_symlinks=False)

    def list_names(self, limit: int) -> list[str]:
        """List the names in this folder.

        Args:
            limit: how many are read at most.

        Returns:
            Names as the operating system has them, in no order.
        """
        with os.scandir(self._self()) as entries:
            return [entry.name for entry in islice(entries, limit)]

    def open_file(self, name: str) -> int:
        """Open a file for reading, without waiting and without following a link."""
        if self.descriptor is None and stat.S_ISLNK(self.lstat(name).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return os.open(self._at(name), _READ, dir_fd=self.descriptor)

    def create_file(self, name: str, mode: int) -> int:
        """Make a file that must not exist and open it for writing.

        Args:
            name: the new name.
            mode: permission bits, from which the process's mask is taken.

        Returns:
            A descriptor that the caller closes.
        """
        return os.open(self._at(name), _CREATE, mode, dir_fd=self.descriptor)

    def make_folder(self, name: str) -> None:
        """Make a folder that must not exist."""
        os.mkdir(self._at(name), 0o755, dir_fd=self.descriptor)

    def remove_file(self, name: str) -> None:
        """Remove a name that is not a folder."""
        os.unlink(self._at(name), dir_fd=self.descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(self._at(name), dir_fd=self.descriptor)

    def replace(self, name: str, other: "Handle", new: str) -> None:
        """Give a thing another name in one step, in place of what has that name."""
        os.replace(
            self._at(name),
            other._at(new),  # noqa: SLF001 - the same class
            src_dir_fd=self.descriptor,
            dst_dir_fd=other.descriptor,
        )

    def link(self, name: str, other: "Handle", new: str) -> None:
        """Give a file a second name, which must not exist."""
        os.link(
            self._at(name),
            other._at(new),  # noqa: SLF001 - the same class
            src_dir_fd=self.descriptor,
            dst_dir_fd=other.descriptor,
            follow_symlinks=False,
        )

    def set_mode(self, mode: int) -> None:
        """Set the permission bits of this folder."""
        os.chmod(self._self(), mode)  # noqa: PTH101 - mostly a descriptor

    def sync(self) -> None:
        """Make the names in this folder durable, where the system can."""
        if self.descriptor is not None:
            os.fsync(self.descriptor)

    def _self(self) -> str | int:
        return self.path if self.descriptor is None else self.descriptor

    def _at(self, name: str) -> str:
        return self.join(name) if self.descriptor is None else name


def _check_plain_folder(path: str) -> None:
    status = os.lstat(path)
    # A junction of Windows is not a link to lstat, but resolves elsewhere.
    if stat.S_ISLNK(status.st_mode) or os.path.realpath(path) != path:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
