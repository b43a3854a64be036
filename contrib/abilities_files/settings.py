"""Settings: what the operator wrote under [packs.files], checked."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from abilities_files.folder import Folder, Protects
from abilities_files.paths import NAME_BYTES
from abilities_host import RegistrationError

_MEBIBYTE: Final = 1 << 20
PATTERNS_LIMIT = 100


class SettingRefused(RegistrationError):
    """Raised when the pack cannot work with what the operator wrote."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__("invalid_setting", "files", f"[packs.files] {key}: {problem}")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator may decide.

    Attributes:
        root: the folder to work in, relative to the configuration file's folder.
        max_bytes: largest file that is read or written, 1 to 64 MiB; a state in the
            host's record is a third larger.
        search_bytes: largest file whose text is searched, 1 to 64 MiB.
        search_files: most files in one search, 1 to 100,000.
        search_seconds: longest search, 1 to 60.
        secret: patterns of names whose contents the record does not keep, besides
            those that always hold; at most 100.
    """

    root: str = "content"
    max_bytes: int = 5 * _MEBIBYTE
    search_bytes: int = 2 * _MEBIBYTE
    search_files: int = 10_000
    search_seconds: int = 10
    secret: tuple[str, ...] = ()


_HIGHEST: Final = {
    "max_bytes": 64 * _MEBIBYTE,
    "search_bytes": 64 * _MEBIBYTE,
    "search_files": 100_000,
    "search_seconds": 60,
}


def read_settings(table: Mapping[str, Any]) -> Settings:
    """Check the table of the configuration file.

    Args:
        table: keys as in `Settings`; a missing one has its default.

    Returns:
        The settings.

    Raises:
        SettingRefused: for an unknown key or a value that cannot be.
    """
    known = [field.name for field in fields(Settings)]
    for key, value in table.items():
        if key not in known:
            raise SettingRefused(key, f"there is no such setting. {_guess(key, known)}")
        _check_value(key, value)
    return Settings(**{**table, "secret": tuple(table.get("secret", ()))})


def find_root(settings: Settings, folder: Path, protects: Protects) -> Folder:
    """Find the root folder.

    Args:
        settings: the settings.
        folder: where a relative root starts.
        protects: answers what belongs to the host.

    Returns:
        The root.

    Raises:
        SettingRefused: when it is no folder, or belongs to the host.
    """
    path = folder / settings.root
    try:
        path = path.resolve(strict=True)
        status = path.stat()
    except (OSError, RuntimeError):  # RuntimeError: links in a circle, before 3.13
        raise SettingRefused("root", _say_missing(settings.root)) from None
    if not path.is_dir():
        raise SettingRefused("root", f"{settings.root!r} is not a folder.")
    if protects(path, status):
        problem = f"{settings.root!r} belongs to the host itself. Choose another."
        raise SettingRefused("root", problem)
    return Folder(path, protects)


def _guess(key: str, known: list[str]) -> str:
    close = get_close_matches(key, known, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(known)}."


def _say_missing(root: str) -> str:
    return (
        f"{root!r} does not exist. Make it with 'mkdir {root}' in the folder of the "
        "configuration file, or write the right one."
    )


def _check_value(key: str, value: object) -> None:
    if key == "root":
        if not isinstance(value, str) or not value or "\0" in value:
            raise SettingRefused(key, "it must be the path of a folder.")
        return
    if key == "secret":
        _check_patterns(key, value)
        return
    highest = _HIGHEST[key]
    if type(value) is not int or not 1 <= value <= highest:
        raise SettingRefused(key, f"it must be a whole number from 1 to {highest:,}.")


def _check_patterns(key: str, value: object) -> None:
    if not isinstance(value, list | tuple) or len(value) > PATTERNS_LIMIT:
        problem = f"it must be a list of at most {PATTERNS_LIMIT} patterns of names."
        raise SettingRefused(key, problem)
    for pattern in value:
        if not isinstance(pattern, str) or not 0 < len(pattern) <= NAME_BYTES:
            raise SettingRefused(key, 'each must be a text such as "*.secret".')
        if "/" in pattern or "\\" in pattern:
            problem = f"{pattern!r} must fit one name: a folder's covers what is in it."
            raise SettingRefused(key, problem)
