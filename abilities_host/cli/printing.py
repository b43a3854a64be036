"""Printing: text that is not ours made harmless, tables, JSON, and one-line errors."""

import sys
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size
from textwrap import TextWrapper
from typing import Any, TextIO

from abilities_host.jsontext import json_text

Row = Sequence[str]


def printable(text: str) -> str:
    r"""Make foreign text harmless on a terminal, as one line.

    Args:
        text: any string, also with control, bidirectional or invisible characters.

    Returns:
        The text with everything that does not print written as ``\u202e``.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def printable_lines(text: str) -> str:
    """Make foreign text harmless and keep its lines.

    Args:
        text: any string.

    Returns:
        The text, each line of it as `printable` gives it.
    """
    return "\n".join(map(printable, text.split("\n")))


def wrapped(text: str, first: str = "") -> str:
    """Wrap words to the width of the terminal, or to 80 columns elsewhere.

    Args:
        text: harmless lines; each begins a new one.
        first: what stands before the first line; the others are indented as much.

    Returns:
        The lines; a long word, such as a path, is left whole.
    """
    wrapper = TextWrapper(
        width=get_terminal_size().columns,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(wrapper.fill(line) for line in text.split("\n"))


def say(text: str = "") -> None:
    """Print text that is harmless already to standard output.

    Args:
        text: one or more lines.
    """
    _write(sys.stdout, text)


def say_json(value: Any) -> None:
    """Print a value as JSON to standard output.

    Args:
        value: a JSON value.
    """
    say(json_text(value))


def complain(kind: str, text: str) -> None:
    """Print one line to standard error.

    Args:
        kind: what comes before the colon, such as ``error``.
        text: any text.
    """
    _write(sys.stderr, f"{kind}: {printable(' '.join(text.split()))}")


def complain_at_length(text: str) -> None:
    """Print foreign lines to standard error.

    Args:
        text: any text.
    """
    _write(sys.stderr, printable_lines(text))


def is_interactive() -> bool:
    """Answer whether a person can be asked: input and errors are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def is_at_terminal() -> bool:
    """Answer whether a person types and reads: nothing goes into a pipe or file."""
    return is_interactive() and sys.stdout.isatty()


def show_table(headers: Row, rows: Iterable[Row]) -> None:
    """Print a table: folded to the width of a terminal, or in full elsewhere.

    Args:
        headers: the names of the columns.
        rows: foreign text; each as long as the headers.
    """
    cells = [[printable_lines(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _show_folded(headers, cells)
    else:
        say(_padded([headers, *cells]))


def _show_folded(headers: Row, rows: Sequence[Row]) -> None:
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.table import Table  # noqa: PLC0415 - same
    from rich.text import Text  # noqa: PLC0415 - same

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold", no_wrap=header in _WHOLE)
    for row in rows:
        table.add_row(*map(Text, row))
    Console(file=sys.stdout, markup=False, highlight=False, emoji=False).print(table)


_WHOLE = frozenset({"NAME", "TOOL", "STATE", "SEVERITY", "KIND", "KEY"})
"""Columns that are never folded; the others give way."""


def _padded(rows: Sequence[Row]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def _escaped(character: str) -> str:
    number = ord(character)
    return f"\\U{number:08x}" if number > 0xFFFF else f"\\u{number:04x}"  # noqa: PLR2004 - the end of the basic plane


def _write(stream: TextIO, text: str) -> None:
    stream.write(f"{text}\n")
    stream.flush()


def prepare_streams() -> None:
    """Have streams that cannot encode a character escape it instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
