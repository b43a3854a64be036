"""The reasons a row is not read or changed, each with its sentence and its fix.

No sentence holds a value of a row, an argument or a path of the machine.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import ClassVar

from abilities_host import AbilityFailed


class InvalidTarget(AbilityFailed, ValueError):
    """Raised for text that cannot name a row; does not repeat it."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"That names no row: {problem} Write the table, a slash and the key as "
            "JSON, such as 'users/7' or 'members/[\"a\",2]'.",
            code="invalid_target",
        )


class UnknownTable(AbilityFailed):
    """Raised for a table that does not exist or is not shown; both read the same."""

    def __init__(self, table: str, known: Iterable[str]) -> None:
        super().__init__(
            f"There is no table {table!r}.{_guess(table, known)} "
            "See database/list-tables.",
            code="unknown_table",
        )


class UnknownColumn(AbilityFailed):
    """Raised for a column that the table does not have."""

    def __init__(self, table: str, column: str, known: Iterable[str]) -> None:
        super().__init__(
            f"Table {table!r} has no column {column!r}.{_guess(column, known)} "
            "See database/describe-table.",
            code="unknown_column",
            table=table,
        )


class TableRefused(AbilityFailed):
    """Base of what can be wrong with one table.

    Args:
        table: its name.
    """

    word: ClassVar[str]
    template: ClassVar[str]

    def __init__(self, table: str) -> None:
        super().__init__(
            self.template.format(table=repr(table)), code=self.word, table=table
        )


class ProtectedTable(TableRefused):
    """Raised for a table that SQLite keeps for itself."""

    word = "protected_table"
    template = "{table} belongs to SQLite itself. See database/list-tables."


class NotWritable(TableRefused):
    """Raised for a view or a virtual table."""

    word = "not_writable"
    template = "{table} is a view or a virtual table; only plain tables are changed."


class NoKey(TableRefused):
    """Raised when a row has no name, so that no record could say which it was."""

    word = "no_key"
    template = (
        "A row of {table} cannot be named, since it has no primary key or NULL in it, "
        "so a change could be neither recorded nor undone. Give the table a key, or "
        "let the operator set allow_irreversible for tables that have none."
    )


class LongKey(TableRefused):
    """Raised when the key of a row is too long for the name of a target."""

    word = "key_too_long"
    template = "A row of {table} has a key too long to name it in the record."


class WhereRequired(TableRefused):
    """Raised when nothing says which rows; every row is never meant."""

    word = "where_required"
    template = "Say in where which rows of {table}: column to value, at least one."


class NoData(TableRefused):
    """Raised when there is nothing to write."""

    word = "no_data"
    template = "Say in values what to write into {table}: column to value."


class ReadOnlyColumn(TableRefused):
    """Raised when a generated column would be written."""

    word = "generated_column"
    template = "values names a column of {table} that is computed; leave it out."


class SchemaChanged(TableRefused):
    """Raised when a row was recorded with other columns than the table has now."""

    word = "schema_changed"
    template = "{table} has other columns than when its row was recorded."


class TriggerInterferes(TableRefused):
    """Raised when a row does not stay as it was put back."""

    word = "trigger_interferes"
    template = (
        "A trigger of {table} changes the row while it is put back, so it would not "
        "be as it was. Nothing was changed."
    )


class Referred(TableRefused):
    """Raised when a foreign key would change or delete rows that nobody recorded."""

    word = "foreign_key"
    template = (
        "Other rows refer to a row of {table}, and a foreign key would change or "
        "delete them too, unrecorded. Change those rows first. Nothing was changed."
    )


class ForeignKeyBroken(AbilityFailed):
    """Raised when a row would refer to one that is not there."""

    def __init__(self) -> None:
        super().__init__(
            "A foreign key would be broken: a row refers, or would refer, to one that "
            "would not be there. Nothing was changed.",
            code="foreign_key",
        )


class NotUnique(AbilityFailed):
    """Raised when another row has the same key or unique values."""

    def __init__(self, columns: str) -> None:
        super().__init__(
            f"Another row has the same {columns or 'unique values'}. Nothing was "
            "changed.",
            code="not_unique",
        )


class ConstraintFailed(AbilityFailed):
    """Raised when the schema does not allow a row to be so."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"The schema does not allow it: {problem}. Nothing was changed.",
            code="constraint_failed",
        )


class TooManyRows(AbilityFailed):
    """Raised when more rows match than one call may change; none was changed."""

    def __init__(self, table: str, limit: int) -> None:
        super().__init__(
            f"More than {limit:,} rows of {table!r} match; none was changed. Say more "
            "in where.",
            code="too_many_rows",
            table=table,
            limit=limit,
        )


class InvalidValue(AbilityFailed):
    """Raised for what no cell can hold; does not repeat it."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"{problem} A value is null, a number, a text, true, false or "
            '{"base64": "…"} for bytes.',
            code="invalid_value",
        )


class TooLarge(AbilityFailed):
    """Raised when one row or one value is over the limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"A row or a value is over the limit of {limit:,} bytes. Ask for fewer "
            "columns, or for a part with substr().",
            code="too_large",
            limit=limit,
        )


class TooSlow(AbilityFailed):
    """Raised when the time is over; nothing was changed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"It was stopped after {seconds:g} s. Narrow it down, or use a column that "
            "has an index.",
            code="too_slow",
            seconds=seconds,
        )


class TooMuchWork(AbilityFailed):
    """Raised when one call of a function could take longer than can be stopped."""

    def __init__(self) -> None:
        super().__init__(
            "A text function was asked for too much: its texts are too long for each "
            "other, or a width of printf() is over 9,999 or a '*'.",
            code="too_much_work",
        )


class SqlRefused(AbilityFailed):
    """Raised when a query is not one read of tables that are shown."""

    def __init__(self, code: str, problem: str) -> None:
        super().__init__(problem, code=code)


class DatabaseFailed(AbilityFailed):
    """Base of what can be wrong with the whole database; nothing was changed."""

    word: ClassVar[str]
    sentence_text: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(self.sentence_text, code=self.word)


class Busy(DatabaseFailed):
    """Raised when another writer, or a reader at the end, keeps it for too long."""

    word = "busy"
    sentence_text = "Somebody else is using the database now. Try again soon."


class Full(DatabaseFailed):
    """Raised when the disk or the quota is full."""

    word = "write_failed"
    sentence_text = "Nothing was written: no space is left."


class ReadOnly(DatabaseFailed):
    """Raised when the operating system lets this host only read."""

    word = "read_only"
    sentence_text = "The database or its folder is read-only for this host."


class Protected(DatabaseFailed):
    """Raised when the path leads to something of the host's since the start."""

    word = "protected"
    sentence_text = "The path of the database leads to the host's own files now."


class Unavailable(DatabaseFailed):
    """Raised when the file cannot be opened or read as a database."""

    word = "unavailable"
    sentence_text = (
        "The database cannot be opened or read now. The operator should look whether "
        "the file is there and whole."
    )


def _guess(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""
