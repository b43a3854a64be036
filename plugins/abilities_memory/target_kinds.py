"""Target kinds: what the names of things of one sort have in common, as a pattern."""

import re
from typing import Final

from abilities_memory.wording import findings

FOLDERS: Final = 2
"""How many folders of a name are kept."""

FOLDER_CHARACTERS: Final = 40
KIND_CHARACTERS: Final = 96

_ANY: Final = "*"
_EXTENSION: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,9}")
# What a pattern or the key of a row is written with.
_NOT_OF_A_FOLDER: Final = frozenset('*?[]{}"\\')
_NUMBER: Final = re.compile(r"[0-9][0-9._-]*|(?=.*[0-9])[0-9a-f._-]{8,}", re.IGNORECASE)


def kind_of(name: str) -> str:
    """Generalise the name of a target, the same way for every domain.

    Kept are the first two folders, or the table of a row, and the extension. A folder
    that is a number, a date or a hash, that is longer than 40 characters, or that has
    a character which is not plain, ends what is kept.

    Args:
        name: in its canonical spelling.

    Returns:
        A pattern of at most 96 characters that the name itself matches, whatever its
        case: ``docs/how-to/*.md``, ``users/*``, ``*``.
    """
    folders, slash, last = name.rpartition("/")
    prefix = ""
    for folder in folders.split("/", FOLDERS)[:FOLDERS] if slash else ():
        if not _is_folder(folder):
            break
        prefix += f"{folder}/"
    return f"{prefix}{_ANY}{_extension_of(last)}"


def _is_folder(name: str) -> bool:
    if len(name) > FOLDER_CHARACTERS or _NOT_OF_A_FOLDER & set(name):
        return False
    return not _NUMBER.fullmatch(name) and not any(findings(name))


def _extension_of(name: str) -> str:
    stem, _, extension = name.rpartition(".")
    is_one = stem.strip(".") and _EXTENSION.fullmatch(extension)
    return f".{extension.lower()}" if is_one else ""
