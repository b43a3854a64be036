"""Cells: what SQLite keeps in one column of one row, as JSON and back."""

import math
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Final

import orjson

from abilities_database.refusals import InvalidValue

Cell = None | int | float | str | bytes
Row = dict[str, Any]
"""Column to cell, each as JSON."""

_LOWEST: Final = -(1 << 63)
_HIGHEST: Final = (1 << 63) - 1
_ENDLESS: Final = {"inf": math.inf, "-inf": -math.inf}


class BrokenText(bytes):
    """Text that is not UTF-8; SQLite keeps what it was given."""

    __slots__ = ()


def read_text(raw: bytes) -> str | BrokenText:
    """Decode a text of the database.

    Args:
        raw: its bytes.

    Returns:
        The text, or its bytes when they are not UTF-8.
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return BrokenText(raw)


def encode_cell(cell: Cell) -> Any:
    """Write a cell as JSON that says exactly what it is.

    Args:
        cell: as the connection gave it.

    Returns:
        The value itself; bytes as ``{"base64": …}``, text that is not UTF-8 as
        ``{"text_base64": …}``, an endless number as ``{"real": "inf"}``.
    """
    if isinstance(cell, BrokenText):
        return {"text_base64": b64encode(cell).decode()}
    if isinstance(cell, bytes):
        return {"base64": b64encode(cell).decode()}
    if isinstance(cell, float) and math.isinf(cell):
        return {"real": "inf" if cell > 0 else "-inf"}
    return cell


def decode_cell(value: Any) -> Cell:
    """Read a cell from JSON.

    Args:
        value: as `encode_cell` gives it; true and false are 1 and 0.

    Returns:
        What can be bound.

    Raises:
        InvalidValue: for anything else.
    """
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        if not _LOWEST <= value <= _HIGHEST:
            raise InvalidValue("A whole number must fit into 64 bits.")
        return value
    if isinstance(value, str):
        return _check_text(value)
    if isinstance(value, Mapping):
        return _decode_object(value)
    if value is None or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise InvalidValue("A list or another object is no value of a column.")


def placeholder(cell: Cell) -> str:
    """Give what stands in SQL for a bound cell.

    Args:
        cell: what will be bound there.

    Returns:
        ``?``, or what makes bytes a text again.
    """
    return "CAST(? AS TEXT)" if isinstance(cell, BrokenText) else "?"


def is_same(one: Any, other: Any) -> bool:
    """Answer whether two states or cells are exactly the same.

    Python and SQLite hold 1, 1.0 and true to be equal; a record must not.

    Args:
        one: a JSON value or MISSING.
        other: likewise.

    Returns:
        True when they are written the same way.
    """
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return type(one) is type(other) and bool(one == other)
    return spell_json(one) == spell_json(other)


def spell_json(value: Any) -> bytes:
    """Write JSON in the one way it is compared in.

    Args:
        value: a JSON value.

    Returns:
        UTF-8, keys sorted.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _check_text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidValue(
            "A text holds half a character (a lone surrogate)."
        ) from None
    return value


def _decode_object(value: Mapping[str, Any]) -> Cell:
    match dict(value):
        case {"base64": str(text), **more} if not more:
            return _decode_base64(text)
        case {"text_base64": str(text), **more} if not more:
            raw = read_text(_decode_base64(text))
            if isinstance(raw, BrokenText):
                return raw
        case {"real": str(word), **more} if not more and word in _ENDLESS:
            return _ENDLESS[word]
    raise InvalidValue("A list or another object is no value of a column.")


def _decode_base64(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise InvalidValue("base64 is not valid base64.") from None
