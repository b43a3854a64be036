"""Path: the one spelling of a thing under the root, and of names found on disk."""

import os
import re
from collections.abc import Iterable
from typing import NamedTuple
from unicodedata import category, normalize

from abilities_files.refusals import InvalidPath, OutsideRoot

DEPTH_LIMIT = 64
NAME_BYTES = 255
PATH_CHARACTERS = 4096

PART_NAME = re.compile(r"\.abilities-[0-9a-f]{16}\.part", re.IGNORECASE)

# They turn text around on a screen, so that one path can look like another.
_BIDIRECTIONAL = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})
_WINDOWS_DEVICE = re.compile(
    r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE
)


class Spelling(NamedTuple):
    """How a name found on disk is shown.

    Attributes:
        shown: the name in a path, or an escaped form that is not one.
        raw: the name as the operating system has it.
        is_usable: whether `shown` can be used in a path.
    """

    shown: str
    raw: str
    is_usable: bool


def split_path(path: str) -> tuple[str, ...]:
    """Split a path into its names, in their one spelling.

    Args:
        path: relative to the root with ``/`` between names, at most 4,096 characters
            and 64 names of 255 bytes; ``.``, ``//`` and a last ``/`` mean nothing.

    Returns:
        The names in Unicode normal form C; none of them for the root itself.

    Raises:
        OutsideRoot: for an absolute path or one with ``..``.
        InvalidPath: for text that cannot be a path.
    """
    if len(path) > PATH_CHARACTERS:
        raise InvalidPath(f"it is longer than {PATH_CHARACTERS} characters.")
    path = normalize("NFC", path)
    if path.startswith("/"):
        raise OutsideRoot("it is absolute.")
    names = tuple(name for name in path.split("/") if name not in {"", "."})
    if ".." in names:
        raise OutsideRoot("'..' leaves the root.")
    if len(names) > DEPTH_LIMIT:
        raise InvalidPath(f"it is more than {DEPTH_LIMIT} folders deep.")
    for name in names:
        if problem := _find_problem(name):
            raise InvalidPath(problem)
    return names


def canonical_path(path: str) -> str:
    """Give the one spelling of a path to something under the root.

    Args:
        path: any spelling, see `split_path`.

    Returns:
        The names joined by ``/``.

    Raises:
        InvalidPath: when it is not one, or is the root itself.
    """
    names = split_path(path)
    if not names:
        raise InvalidPath("it names the root itself.")
    return "/".join(names)


def list_ancestors(path: str) -> list[str]:
    """List the folders above a path, the outermost first.

    Args:
        path: canonical.

    Returns:
        Canonical paths, without the root.
    """
    names = path.split("/")
    return ["/".join(names[:count]) for count in range(1, len(names))]


def check_new_name(name: str) -> None:
    """Check that a name may be made: every system must be able to hold it.

    Args:
        name: one name of a canonical path.

    Raises:
        InvalidPath: for a trailing dot or blank, or a device name of Windows.
    """
    if name[-1] in {".", " "}:
        raise InvalidPath("a new name must not end in a dot or a blank.")
    if _WINDOWS_DEVICE.fullmatch(name) or (os.name == "nt" and ":" in name):
        raise InvalidPath("a new name must not be a device of Windows.")


def spell_names(names: Iterable[str]) -> list[Spelling]:
    """Decide how the names in one folder are shown, so that no two look the same.

    Args:
        names: as the operating system has them, undecodable bytes as surrogates.

    Returns:
        One spelling a name, sorted by what is shown.
    """
    chosen: dict[str, str] = {}
    every = sorted(names, key=_exact_first)
    for raw in every:
        chosen.setdefault(normalize("NFC", raw), raw)
    return sorted(_spell(raw, chosen) for raw in every)


def choose_name(name: str, names: Iterable[str]) -> str | None:
    """Find the name on disk that a canonical name stands for.

    Args:
        name: canonical.
        names: as the operating system has them.

    Returns:
        The exact one, else one that differs only in its Unicode form, else None.
    """
    same = [raw for raw in names if normalize("NFC", raw) == name]
    return min(same, key=_exact_first, default=None)


def _exact_first(raw: str) -> tuple[bool, str]:
    return normalize("NFC", raw) != raw, raw


def _spell(raw: str, chosen: dict[str, str]) -> Spelling:
    name = normalize("NFC", raw)
    if chosen[name] == raw and not _find_problem(name):
        return Spelling(name, raw, is_usable=True)
    # Byte by byte: two names that differ at all differ in this form too.
    escaped = os.fsencode(raw).decode("latin-1").encode("unicode_escape")
    return Spelling(escaped.decode("ascii"), raw, is_usable=False)


def _find_problem(name: str) -> str:
    if "\\" in name:
        return "it holds a backslash; names are separated by '/'."
    if any(category(c) in _UNPRINTABLE or c in _BIDIRECTIONAL for c in name):
        return "it holds a control, bidirectional or broken character."
    if len(name.encode()) > NAME_BYTES:
        return f"a name in it is longer than {NAME_BYTES} bytes."
    if not name.strip(". "):
        return "a name in it is nothing but dots and blanks."
    if PART_NAME.fullmatch(name):
        return "names of that form are kept for unfinished writes."
    return ""
