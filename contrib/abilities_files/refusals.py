"""The reasons a file is not read or written, each with its sentence and its fix.

No sentence holds a path of the machine: a path is always relative to the root.
"""

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from abilities_host import AbilityFailed

_NAMED = 20


class InvalidPath(AbilityFailed, ValueError):
    """Raised for text that cannot be a path under any root; does not repeat it."""

    def __init__(self, problem: str, *, code: str = "invalid_path") -> None:
        super().__init__(
            f"That is not a usable path: {problem} Write it relative to the root, "
            "such as 'notes/today.md'.",
            code=code,
        )


class OutsideRoot(InvalidPath):
    """Raised for an absolute path or one with ``..``."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, code="outside_root")


class PathRefused(AbilityFailed):
    """Base of what can be wrong with one path.

    Args:
        path: relative to the root, empty for the root itself.
    """

    word: ClassVar[str]
    template: ClassVar[str]

    def __init__(self, path: str) -> None:
        shown = repr(path) if path else "the root folder"
        text = self.template.format(path=shown)
        super().__init__(text[0].upper() + text[1:], code=self.word, path=path)


class NotFound(PathRefused):
    """Raised when nothing has that path."""

    word = "not_found"
    template = "{path} does not exist. List its folder with files/list."


class OtherSpelling(PathRefused):
    """Raised when the file system folds case and knows the thing by another name."""

    word = "not_found"
    template = "{path} has other capital letters on disk. See files/list."


class ParentMissing(PathRefused):
    """Raised when the folder to write in does not exist."""

    word = "parent_missing"
    template = (
        "the folder that should hold {path} does not exist. files/write makes it "
        "when make_folders is true."
    )


class Protected(PathRefused):
    """Raised for what belongs to the host: configuration, store, plugins."""

    word = "protected"
    template = "{path} belongs to the host itself and is closed. Use another path."


class Linked(PathRefused):
    """Raised for a symbolic link, on the way or at the end."""

    word = "linked"
    template = "{path} is or passes through a link; links are not followed."


class HardLinked(PathRefused):
    """Raised when a file to change has another name somewhere."""

    word = "linked"
    template = (
        "{path} has a second name elsewhere (a hard link), so it is only readable. "
        "Write a new file instead."
    )


class NotAFile(PathRefused):
    """Raised for a pipe, a socket or a device."""

    word = "not_a_file"
    template = "{path} is neither a plain file nor a folder."


class IsFolder(PathRefused):
    """Raised when a file is needed and there is a folder."""

    word = "is_folder"
    template = "{path} is a folder and a file is needed. See files/list."


class NotAFolder(PathRefused):
    """Raised when a folder is needed and there is something else."""

    word = "not_a_folder"
    template = "{path} is or passes through a file where a folder is needed."


class NotEmpty(PathRefused):
    """Raised when a folder that still holds something would go."""

    word = "not_empty"
    template = "{path} still holds something. Move or delete what is in it first."


class Exists(PathRefused):
    """Raised when a name is taken and must not be overwritten."""

    word = "exists"
    template = "{path} exists already. Set overwrite to true, or use another path."


class ReadOnly(PathRefused):
    """Raised when the file's permission bits let nobody write."""

    word = "read_only"
    template = "{path} is marked read-only by its permission bits."


class Changed(PathRefused):
    """Raised when somebody else changed the file meanwhile; nothing was written."""

    word = "changed"
    template = "{path} was changed by somebody else just now. Read it and try again."


class Binary(PathRefused):
    """Raised when text is needed and the file is not UTF-8."""

    word = "binary"
    template = "{path} is not UTF-8 text. Read it with encoding 'base64'."


class NoAccess(PathRefused):
    """Raised when the operating system says no."""

    word = "no_access"
    template = "the operating system does not let this host use {path}."


class NoSpace(PathRefused):
    """Raised when the disk or the quota is full; the old contents are whole."""

    word = "write_failed"
    template = "{path} was not written: no space is left. Nothing was changed."


class SystemFailed(PathRefused):
    """Raised for any other error of the operating system."""

    word = "write_failed"
    template = "the operating system failed on {path}. Try again, or ask the operator."


class TooLarge(AbilityFailed):
    """Raised when a file or a folder is over the limit."""

    def __init__(self, path: str, limit: int, unit: str = "bytes") -> None:
        super().__init__(
            f"{path or 'The root folder'!r} would be over the limit of {limit:,} "
            f"{unit}. Use a smaller part.",
            code="too_large",
            path=path,
            limit=limit,
        )


class PartlyRestored(AbilityFailed):
    """Raised when putting paths back failed, and taking that back failed too."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__(
            f"Putting back failed in the middle, and {len(paths)} of the paths could "
            f"not be returned to what they were, such as {paths[0]!r}. Look at them.",
            code="partly_restored",
            paths=list(paths[:_NAMED]),
        )


class InvalidContent(AbilityFailed):
    """Raised when what shall be written cannot be bytes of a file."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, code="invalid_content")


class EditRefused(AbilityFailed):
    """Raised when one of the edits does not fit; none was applied."""

    def __init__(self, path: str, number: int, code: str, problem: str) -> None:
        super().__init__(
            f"Edit {number} of {path!r}: {problem} None of the edits was applied.",
            code=code,
            path=path,
            edit=number,
        )


_BY_ERRNO: dict[int, type[PathRefused]] = {
    errno.ENOENT: NotFound,
    errno.ENOTDIR: NotAFolder,
    errno.EISDIR: IsFolder,
    errno.ELOOP: Linked,
    errno.EEXIST: Exists,
    errno.ENOTEMPTY: NotEmpty,
    errno.ENXIO: NotAFile,
    errno.EACCES: NoAccess,
    errno.EPERM: NoAccess,
    errno.EROFS: NoAccess,
    errno.ENOSPC: NoSpace,
    errno.EDQUOT: NoSpace,
    errno.EFBIG: NoSpace,
}


@contextmanager
def refusing(path: str) -> Iterator[None]:
    """Turn an error of the operating system into a refusal that names the path.

    Args:
        path: relative to the root; the system's own text names the machine's.

    Raises:
        PathRefused: instead of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise _BY_ERRNO.get(error.errno or 0, SystemFailed)(path) from error
