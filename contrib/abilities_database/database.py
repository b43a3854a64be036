"""Database: the one file of the operator's, and what is known of its tables."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from abilities_database.connection import (
    needs_recovery,
    open_reader,
    open_writer,
    refusing,
)
from abilities_database.identifiers import fold_identifier
from abilities_database.refusals import (
    NotWritable,
    Protected,
    ProtectedTable,
    Unavailable,
    UnknownTable,
)
from abilities_database.secret_columns import SecretColumns
from abilities_database.settings import SettingRefused, Settings
from abilities_database.table import Table, find_table, list_names
from abilities_host import AbilityFailed

Protects = Callable[[Path, os.stat_result | None], bool]
Overlap = Callable[[Path], Path | None]

_LOOK: Final = "SELECT 1 FROM main.sqlite_schema LIMIT 0"
_COMPANIONS: Final = ("", "-wal", "-shm", "-journal")


class Database:
    """The database of the pack; every call opens it anew.

    Args:
        path: absolute, without links.
        settings: the settings.
        protects: answers what belongs to the host.

    Attributes:
        settings: the settings.
        turn: held by the one call of this process that writes.
    """

    def __init__(self, path: Path, settings: Settings, protects: Protects) -> None:
        self.settings: Final = settings
        self.turn: Final = asyncio.Lock()
        self._path: Final = path
        self._protects: Final = protects
        self._secrets: Final = SecretColumns(settings.secret_columns)
        self._known: Final[dict[str, Table]] = {}

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open it for reading, in this thread.

        Yields:
            A connection that cannot write; it is closed at the end of the block.

        Raises:
            AbilityFailed: instead of an sqlite3.Error in the block too.
        """
        seconds = self.settings.seconds
        self._check_path()
        with refusing(seconds), closing(self._open_reader()) as connection:
            yield connection

    def connect_writer(self) -> sqlite3.Connection:
        """Open it for writing.

        Returns:
            A connection; the caller closes it.

        Raises:
            AbilityFailed: when it belongs to the host now.
            sqlite3.Error: when it cannot be opened.
        """
        self._check_path()
        return open_writer(self._path)

    def get_table(self, connection: sqlite3.Connection, name: str) -> Table:
        """Read what the schema says of a table that is shown.

        Args:
            connection: open, without an authorizer.
            name: in any case.

        Returns:
            The table.

        Raises:
            ProtectedTable: for one of SQLite's own.
            UnknownTable: when there is none, or it is not shown.
        """
        if fold_identifier(name).startswith("sqlite_"):
            raise ProtectedTable(name)
        shown = self.settings.shows(name)
        table = find_table(connection, name) if shown and "\0" not in name else None
        if table is None or table.kind == "shadow":
            raise UnknownTable(name, self.list_shown(connection))
        self._known[fold_identifier(table.name)] = table
        return table

    def get_writable(self, connection: sqlite3.Connection, name: str) -> Table:
        """Read what the schema says of a table whose rows can be changed.

        Args:
            connection: open, without an authorizer.
            name: in any case.

        Returns:
            The table.

        Raises:
            NotWritable: for a view or a virtual table.
            AbilityFailed: as `get_table`.
        """
        table = self.get_table(connection, name)
        if table.kind != "table":
            raise NotWritable(table.name)
        return table

    def list_shown(self, connection: sqlite3.Connection) -> list[str]:
        """List the tables and views that callers see.

        Args:
            connection: open, without an authorizer.

        Returns:
            Their names, sorted.
        """
        return [
            name
            for name, kind, _ in list_names(connection)
            if kind != "shadow" and self.settings.shows(name)
        ]

    def learn(self) -> None:
        """Look at every table once, so that their names are known; in a thread.

        A database that cannot be read now may be readable later.
        """
        with suppress(AbilityFailed), self.reading() as connection:
            for name in self.list_shown(connection):
                with suppress(sqlite3.OperationalError):  # a view that is broken
                    self.get_table(connection, name)

    def spell_table(self, name: str) -> str:
        """Give the schema's spelling of a table, as far as it was seen.

        Args:
            name: in any case.

        Returns:
            The spelling; of an unknown table, the name itself.
        """
        table = self._known.get(fold_identifier(name))
        return table.name if table else name

    def secret_columns(self, table: Table) -> list[str]:
        """List the columns of a table that hold secrets.

        Args:
            table: the table.

        Returns:
            Their names.
        """
        return [
            column.name
            for column in table.columns
            if self._secrets.holds(table.name, column.name)
        ]

    def holds_secrets(self, name: str) -> bool:
        """Answer whether the rows of a table hold secrets.

        Args:
            name: of the table.

        Returns:
            True also for a table that was never seen.
        """
        table = self._known.get(fold_identifier(name))
        return table is None or bool(self.secret_columns(table))

    def _open_reader(self) -> sqlite3.Connection:
        """A writer that was killed leaves what only a writer can clear up."""
        seconds = self.settings.seconds
        connection = open_reader(self._path, seconds)
        try:
            connection.execute(_LOOK)
        except sqlite3.OperationalError as error:
            connection.close()
            if self.settings.read_only or not needs_recovery(error):
                raise
            with closing(open_writer(self._path)) as writer:
                writer.execute(_LOOK)
            return open_reader(self._path, seconds)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_path(self) -> None:
        """The file may have been exchanged since the host started."""
        try:
            status = self._path.stat()
        except OSError:
            raise Unavailable from None
        if self._protects(self._path, status):
            raise Protected


def find_database(
    settings: Settings, folder: Path, protects: Protects, overlap: Overlap
) -> Database:
    """Find the database, and see that it is one and not the host's.

    Args:
        settings: the settings.
        folder: where a relative path starts.
        protects: answers what belongs to the host.
        overlap: finds what of the host's a path is, contains or lies in.

    Returns:
        The database.

    Raises:
        SettingRefused: when it is no SQLite database, or belongs to the host.
    """
    shown = repr(settings.path)
    try:
        path = (folder / settings.path).resolve(strict=True)
        status = path.stat()
    except (OSError, RuntimeError):  # RuntimeError: links in a circle, before 3.13
        problem = f"{shown} does not exist. Write where your SQLite database is."
        raise SettingRefused("path", problem) from None
    if protects(path, status) or _overlaps(path, overlap):
        problem = f"{shown} belongs to the host itself. Choose another."
        raise SettingRefused("path", problem)
    if not path.is_file() or not _is_sqlite(path):
        raise SettingRefused("path", f"{shown} is not an SQLite database.")
    return Database(path, settings, protects)


def _overlaps(path: Path, overlap: Overlap) -> bool:
    """SQLite writes beside the database too."""
    names = (path.with_name(path.name + end) for end in _COMPANIONS)
    return any(overlap(name) is not None for name in names)


def _is_sqlite(path: Path) -> bool:
    """An empty file is a database without tables."""
    with path.open("rb") as file:
        return file.read(16) in {b"", b"SQLite format 3\0"}
