"""Query: one SELECT, read by a connection that cannot write."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any, Final

import orjson

from abilities_database.authorizer import Authorizer
from abilities_database.cells import decode_cell, encode_cell, placeholder
from abilities_database.connection import VARIABLES, refusing, time_limit
from abilities_database.database import Database
from abilities_database.functions import SERIES
from abilities_database.guards import guarding
from abilities_database.identifiers import fold_identifier, quote_identifier
from abilities_database.refusals import (
    InvalidValue,
    ProtectedTable,
    SqlRefused,
    TooLarge,
    TooMuchWork,
    UnknownTable,
)
from abilities_database.table import list_names
from abilities_host import AbilityFailed

CELL_BYTES: Final = 2 << 20
SQL_CHARACTERS: Final = 100_000
PAGE: Final = 100
LARGEST_PAGE: Final = 10_000
_NO_TABLE: Final = "no such table: "


def query(database: Database, arguments: Mapping[str, Any]) -> Any:
    """Run one SELECT and give its rows.

    Args:
        database: what is read.
        arguments: sql, parameters and limit.

    Returns:
        Columns, rows, and whether there are more.

    Raises:
        AbilityFailed: when it is not one read of tables that are shown, or takes too
            long.
    """
    sql = arguments["sql"]
    if "\0" in sql:
        raise SqlRefused("invalid_sql", "sql holds a NUL character.")
    parameters = [decode_cell(each) for each in arguments.get("parameters", ())]
    if any(placeholder(each) != "?" for each in parameters):
        raise InvalidValue("A parameter cannot be text that is not UTF-8.")
    limit = min(arguments.get("limit", PAGE), database.settings.max_rows)
    with database.reading() as connection:
        connection.execute("BEGIN")  # the schema stays what the lists were made from
        with (
            _confined(connection, database),
            # A cursor that an error's traceback keeps alive would keep its lock too.
            closing(connection.execute(sql, parameters)) as cursor,
        ):
            return _collect(cursor, limit, database.settings.max_bytes)


@contextmanager
def _confined(connection: sqlite3.Connection, database: Database) -> Iterator[None]:
    """Allow nothing but reading what is shown, for so long and with so much work."""
    shown, settings = database.list_shown(connection), database.settings
    authorizer = _authorize(connection, shown)
    cells = max(CELL_BYTES, settings.max_bytes)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, cells)
    connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, VARIABLES)
    with guarding(connection) as guards, time_limit(connection, settings.seconds):
        connection.set_authorizer(authorizer)
        try:
            yield
        except sqlite3.Error as error:
            if guards.refused:
                raise TooMuchWork from error
            if authorizer.refused is not None:
                raise _say_refused(*authorizer.refused, shown) from error
            raise _say_wrong(error, shown, settings.seconds, cells) from error


def _authorize(connection: sqlite3.Connection, shown: Sequence[str]) -> Authorizer:
    """List what may be read, and open what SQLite could not open under the authorizer.

    A virtual table reads tables of its own, and opening it writes to SQLite's memory of
    the schema, which looks like a write of the schema.
    """
    kinds = {name: kind for name, kind, _ in list_names(connection)}
    taken = {fold_identifier(name) for name in kinds}
    taken |= {name for (name,) in connection.execute("PRAGMA module_list")}
    virtual = [name for name in shown if kinds[name] == "virtual"]
    series = SERIES.difference(map(fold_identifier, kinds))
    for name in [*virtual, *series]:
        with suppress(sqlite3.OperationalError):  # its module is not in this SQLite
            connection.execute(f"SELECT 1 FROM {quote_identifier(name)} LIMIT 0")  # noqa: S608 - a name from the schema, quoted
    own = [
        name
        for name, kind in kinds.items()
        if kind == "shadow" and any(name.startswith(f"{each}_") for each in virtual)
    ]
    readable = {fold_identifier(name) for name in (*shown, *own, *series)}
    return Authorizer(readable, taken)


def _collect(cursor: sqlite3.Cursor, limit: int, size: int) -> dict[str, Any]:
    if cursor.description is None:
        raise SqlRefused("empty_sql", "sql holds no statement. Write one SELECT.")
    rows: list[list[Any]] = []
    truncated, left = False, size
    for row in cursor:
        cells = [encode_cell(cell) for cell in row]
        left -= len(orjson.dumps(cells))
        truncated = len(rows) == limit or left < 0
        if truncated:
            break
        rows.append(cells)
    if truncated and not rows:
        raise TooLarge(size)
    columns = [column[0] for column in cursor.description]
    return {"columns": columns, "rows": rows, "truncated": truncated}


def _say_refused(kind: str, name: str, shown: Sequence[str]) -> AbilityFailed:
    if kind == "table":
        is_own = fold_identifier(name).startswith("sqlite_")
        return ProtectedTable(name) if is_own else UnknownTable(name, shown)
    if kind == "function":
        problem = f"The function {name!r} is not allowed in a query."
        return SqlRefused("function_blocked", problem)
    if kind == "file":
        problem = "A query reads this one database and no other file."
        return SqlRefused("file_access_blocked", problem)
    problem = (
        "Only one SELECT from tables that are shown is allowed. See "
        "database/describe-table; the other abilities change rows."
    )
    return SqlRefused("not_read_only", problem)


def _say_wrong(
    error: sqlite3.Error, shown: Sequence[str], seconds: float, cells: int
) -> AbilityFailed:
    text = str(error)
    if text.startswith(_NO_TABLE):
        return UnknownTable(text.removeprefix(_NO_TABLE), shown)
    if "one statement" in text:
        return SqlRefused("multi_statement", "Only one statement at a time is allowed.")
    if "binding" in text.lower():
        problem = "There must be as many parameters as question marks."
        return SqlRefused("invalid_parameters", problem)
    if getattr(error, "sqlite_errorname", "") not in {
        "SQLITE_ERROR",
        "SQLITE_MISMATCH",
    }:
        with refusing(seconds, cells):
            raise error
    # What SQLite quotes may be a value; a name it does not put in quotes.
    reason = "" if "'" in text else f": {text}"
    return SqlRefused("invalid_sql", f"SQLite does not understand the SQL{reason}.")
