"""Settings: what the operator wrote under [packs.database], checked."""

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, Final

from abilities_database.identifiers import fold_identifier
from abilities_host import RegistrationError

_OLDEST: Final = (3, 37, 0)


class SettingRefused(RegistrationError):
    """Raised when the pack cannot work with what the operator wrote."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(
            "invalid_setting", "database", f"[packs.database] {key}: {problem}"
        )


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator may decide.

    Attributes:
        path: the SQLite database, relative to the configuration file's folder.
        read_only: whether nothing is ever changed.
        tables: patterns of the tables that are shown, with ``*`` and ``?``.
        exclude: patterns of those that are not, whatever `tables` says.
        max_rows: most rows of one query and of one change, 1 to 10,000.
        max_bytes: largest result of a query, 1 KiB to 64 MiB.
        seconds: how long one statement may run, or wait for others, 1 to 60.
        secret_columns: patterns ``table.column`` of what a record must not keep.
        allow_irreversible: whether tables without a key may be changed, unrecorded.
    """

    path: str = "content.db"
    read_only: bool = False
    tables: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()
    max_rows: int = 1000
    max_bytes: int = 524_288
    seconds: int = 5
    secret_columns: tuple[str, ...] = ()
    allow_irreversible: bool = False

    def shows(self, table: str) -> bool:
        """Answer whether a table is there for callers.

        Args:
            table: its name.

        Returns:
            False for what is excluded, and for what SQLite keeps for itself.
        """
        name = fold_identifier(table)
        if name.startswith("sqlite_") or _matches(name, self.exclude):
            return False
        return _matches(name, self.tables)


def check_version(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> None:
    """Check that this Python's SQLite can list tables and give back what it wrote.

    Args:
        version: of SQLite.

    Raises:
        SettingRefused: when it is older than 3.37.
    """
    if version < _OLDEST:
        problem = "this Python has an SQLite older than 3.37. Use a newer one."
        raise SettingRefused("path", problem)


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
        _CHECKS[key](key, value)
    values = {key: _as_tuple(value) for key, value in table.items()}
    return Settings(**values)


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, fold_identifier(pattern)) for pattern in patterns)


def _guess(key: str, known: list[str]) -> str:
    close = get_close_matches(key, known, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(known)}."


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _check_path(key: str, value: object) -> None:
    if not isinstance(value, str) or not value or "\0" in value:
        raise SettingRefused(key, "it must be the path of an SQLite database.")


def _check_flag(key: str, value: object) -> None:
    if not isinstance(value, bool):
        raise SettingRefused(key, "it must be true or false.")


def _check_patterns(key: str, value: object) -> None:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise SettingRefused(key, 'it must be a list of texts, such as ["log_*"].')


def _check_columns(key: str, value: object) -> None:
    _check_patterns(key, value)
    if isinstance(value, list) and any("." not in pattern for pattern in value):
        problem = 'it must be a list of table.column, such as ["users.pin"].'
        raise SettingRefused(key, problem)


def _number(lowest: int, highest: int) -> Callable[[str, object], None]:
    def check(key: str, value: object) -> None:
        if type(value) is not int or not lowest <= value <= highest:
            problem = f"it must be a whole number from {lowest:,} to {highest:,}."
            raise SettingRefused(key, problem)

    return check


_CHECKS: Final[Mapping[str, Callable[[str, object], None]]] = {
    "path": _check_path,
    "read_only": _check_flag,
    "tables": _check_patterns,
    "exclude": _check_patterns,
    "max_rows": _number(1, 10_000),
    "max_bytes": _number(1024, 64 << 20),
    "seconds": _number(1, 60),
    "secret_columns": _check_columns,
    "allow_irreversible": _check_flag,
}
