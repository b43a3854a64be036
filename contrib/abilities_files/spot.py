"""Spot: the place of one path, with what is there or is not."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass

from abilities_files.handle import Handle
from abilities_files.refusals import (
    IsFolder,
    Linked,
    NotAFile,
    NotFound,
    Protected,
    TooLarge,
)

Hides = Callable[[Handle, str, os.stat_result | None], bool]


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of one path in its open folder.

    Attributes:
        hides: answers whether something belongs to the host.
        handle: the open folder that holds it.
        name: its name as the operating system has it.
        path: canonical, relative to the root.
    """

    hides: Hides
    handle: Handle
    name: str
    path: str

    def find_status(self) -> os.stat_result | None:
        """Look at what is there without opening it.

        Returns:
            The status of a file or a folder, or None for nothing.

        Raises:
            Protected: when it belongs to the host, even if it does not exist.
            Linked: for a link.
            NotAFile: for a pipe, a socket or a device.
        """
        try:
            status = self.handle.lstat(self.name)
        except FileNotFoundError:
            status = None
        self.check(status)
        return status

    def get_status(self) -> os.stat_result:
        """Look at what must be there.

        Returns:
            The status of a file or a folder.

        Raises:
            NotFound: when nothing is there.
            AbilityFailed: see `find_status`.
        """
        status = self.find_status()
        if status is None:
            raise NotFound(self.path)
        return status

    def check(self, status: os.stat_result | None) -> None:
        """Check that what is there may be used.

        Args:
            status: of the name or of its descriptor, None for nothing.

        Raises:
            AbilityFailed: see `find_status`.
        """
        if self.hides(self.handle, self.name, status):
            raise Protected(self.path)
        if status is not None:
            self._check_kind(status)

    def read(self, limit: int) -> tuple[bytes, os.stat_result]:
        """Read the whole file.

        Args:
            limit: largest size in bytes.

        Returns:
            The bytes, and the status of what they were read from.

        Raises:
            TooLarge: when it is larger.
            IsFolder: when it is not a file.
            AbilityFailed: see `find_status`.
        """
        self._check_file()
        descriptor = self.handle.open_file(self.name)
        try:
            status = os.fstat(descriptor)
            self.check(status)
            return self._read_all(descriptor, limit), status
        finally:
            os.close(descriptor)

    def _check_file(self) -> None:
        """Look before opening: to open a device can already do something."""
        try:
            status = self.handle.lstat(self.name)
        except FileNotFoundError:
            raise NotFound(self.path) from None
        self._check_kind(status)
        if is_folder(status):
            raise IsFolder(self.path)

    def _check_kind(self, status: os.stat_result) -> None:
        if stat.S_ISLNK(status.st_mode):
            raise Linked(self.path)
        if not is_file(status) and not is_folder(status):
            raise NotAFile(self.path)

    def _read_all(self, descriptor: int, limit: int) -> bytes:
        """Read to the end; a file that grows meanwhile ends at the limit too."""
        chunks = []
        left = limit + 1
        while left and (chunk := os.read(descriptor, min(left, 1 << 20))):
            chunks.append(chunk)
            left -= len(chunk)
        if not left:
            raise TooLarge(self.path, limit)
        return b"".join(chunks)


def is_file(status: os.stat_result) -> bool:
    """Answer whether it is a plain file."""
    return stat.S_ISREG(status.st_mode)


def is_folder(status: os.stat_result) -> bool:
    """Answer whether it is a folder."""
    return stat.S_ISDIR(status.st_mode)
