"""Target: how a row is named, ``table/key`` with the key as JSON."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, NoReturn

from abilities_database.cells import Cell, decode_cell, encode_cell
from abilities_database.refusals import InvalidTarget, InvalidValue

NAME_CHARACTERS: Final = 4096
_TABLE: Final = re.compile(r"(?:[^%/\0]|%25|%2F)+")


class RowName(NamedTuple):
    """Table and key of one row.

    Attributes:
        table: name of the table.
        key: its cells, in the order of the primary key.
    """

    table: str
    key: tuple[Cell, ...]

    def spell(self) -> str:
        """Write it as a target.

        Returns:
            Such as ``users/7``, or ``members/["a",2]`` for a key of several columns.
            A slash in the table's name is ``%2F``, a per cent sign ``%25``.
        """
        cells: list[Any] = [encode_cell(cell) for cell in self.key]
        table = self.table.replace("%", "%25").replace("/", "%2F")
        return f"{table}/{_spell(cells if len(cells) > 1 else cells[0])}"

    @property
    def is_complete(self) -> bool:
        """Whether it names one row: NULL in a key may stand there many times."""
        return bool(self.key) and None not in self.key


def parse_target(text: str) -> RowName:
    """Read the name of a row.

    Args:
        text: any spelling.

    Returns:
        Table and key.

    Raises:
        InvalidTarget: when it cannot be one.
    """
    table, slash, key = text.partition("/")
    if not slash or not _TABLE.fullmatch(table) or len(text) > NAME_CHARACTERS:
        raise InvalidTarget("there is no table before a slash, or it is too long.")
    row = RowName(table.replace("%2F", "/").replace("%25", "%"), _parse_key(key))
    if not row.is_complete:
        raise InvalidTarget("a key is never empty and holds no null.")
    return row


def _spell(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _parse_key(text: str) -> tuple[Cell, ...]:
    try:
        key: Any = json.loads(text, parse_constant=_refuse_constant)
        cells: Sequence[Any] = key if isinstance(key, list) else [key]
        return tuple(decode_cell(cell) for cell in cells)
    except (ValueError, RecursionError):
        raise InvalidTarget("its key is not JSON.") from None
    except InvalidValue:
        raise InvalidTarget("its key is nothing a column can hold.") from None


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError
