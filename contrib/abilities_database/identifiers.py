"""Identifiers: names of tables and columns, as SQLite compares and quotes them."""

from typing import Final

_UPPER: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FOLDED: Final = str.maketrans(_UPPER, _UPPER.lower())


def fold_identifier(name: str) -> str:
    """Give the form in which SQLite compares names.

    Args:
        name: of a table or a column.

    Returns:
        The name with the letters A to Z in lower case, and no others.
    """
    return name.translate(_FOLDED)


def quote_identifier(name: str) -> str:
    """Write a name so that SQL takes it for nothing else.

    Args:
        name: of a table or a column; it comes from the schema, never from a caller.

    Returns:
        The name in double quotes.
    """
    return '"' + name.replace('"', '""') + '"'
