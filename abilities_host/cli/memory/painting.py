"""Painting: harmless lines, folded to a width and marked with colour where it shows."""

import os
import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple, TextIO

from abilities_host.cli.printing import printable

Style = Literal["", "bold", "dim", "added", "removed", "warning", "bar"]

NARROWEST: Final = 20
_CODES: Final = {
    "bold": "1",
    "dim": "2",
    "added": "32",
    "removed": "31",
    "warning": "1;33",
    "bar": "7",
}
_WORDS: Final = re.compile(r" *[^ ]+| +")


class Line(NamedTuple):
    """One line before it is folded.

    Attributes:
        text: what does not print is escaped, also a line break.
        style: how it looks where there is colour.
        margin: stands before each row of it, so that no text can look like ours.
        hangs: before further rows there are blanks instead.
    """

    text: str
    style: Style = ""
    margin: str = ""
    hangs: bool = False


class Row(NamedTuple):
    """One row of a terminal.

    Attributes:
        text: harmless, no wider than the terminal.
        style: of the whole row.
    """

    text: str
    style: Style = ""


def laid_out(lines: Iterable[Line], width: int) -> list[Row]:
    """Fold lines to a width.

    Args:
        lines: any number.
        width: columns; fewer than 20 count as 20.

    Returns:
        The rows, with nothing left out but blanks at a fold.
    """
    width = max(NARROWEST, width)
    return [row for line in lines for row in _rows(line, width)]


def _rows(line: Line, width: int) -> Iterator[Row]:
    margin = line.margin
    # Most is harmless already; what somebody wrote into the store by hand is not.
    for part in folded(printable(line.text), width - len(margin)):
        yield Row(f"{margin}{part}", line.style)
        if line.hangs:
            margin = " " * len(margin)


def folded(text: str, width: int) -> list[str]:
    """Fold a line between its words, or inside one that is too long.

    Args:
        text: harmless; wide characters count twice, as terminals show them.
        width: columns.

    Returns:
        At least one row.
    """
    from rich.cells import cell_len  # noqa: PLC0415 - a slow import

    if cell_len(text) <= width:
        return [text]
    return list(_folded(text, width))


def _folded(text: str, width: int) -> Iterator[str]:
    from rich.cells import cell_len, chop_cells  # noqa: PLC0415 - a slow import

    row = ""
    for word in _WORDS.findall(text):
        if cell_len(row + word) <= width:
            row += word
            continue
        if row:
            yield row
        *whole, row = chop_cells(word.lstrip(" ") if row else word, width) or [""]
        yield from whole
    yield row


def painted(row: Row, *, has_colour: bool) -> str:
    """Give a row as it is written to a terminal.

    Args:
        row: harmless.
        has_colour: from `has_colour`.

    Returns:
        The text, between codes for its style.
    """
    if not row.style or not has_colour:
        return row.text
    return f"\x1b[{_CODES[row.style]}m{row.text}\x1b[0m"


def has_colour(stream: TextIO) -> bool:
    """Say whether colour shows: on a terminal, unless ``NO_COLOR`` says otherwise.

    Args:
        stream: where it would be written.
    """
    return stream.isatty() and not os.environ.get("NO_COLOR") and not is_plain()


def is_plain() -> bool:
    """Say whether the terminal has no cursor that could be moved."""
    return os.environ.get("TERM", "") in {"", "dumb", "unknown"}
