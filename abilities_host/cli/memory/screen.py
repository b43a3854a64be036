"""Screen: one page on the terminal that a person reads to its end."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Self

from abilities_host.cli.memory.keys import Keyboard
from abilities_host.cli.memory.painting import (
    Line,
    Row,
    folded,
    has_colour,
    is_plain,
    laid_out,
    painted,
)
from abilities_host.cli.printing import printable

_ENTER: Final = "\x1b[?1049h\x1b[?25l"
_LEAVE: Final = "\n\x1b[?25h\x1b[?1049l"
_TOP: Final = "\x1b[H"
_CLEAR: Final = "\x1b[K"
_TO_END: Final = "\x1b[J"
_BELOW: Final = 2
"""Rows under the text: the bar and the keys."""

_NOTICE: Final = 4
"""Rows at most for what happened before."""


class Page:
    """What is read, and how much of it was.

    Args:
        lines: harmless.
        is_read: all of it was seen before.

    Attributes:
        is_read: all of it was seen, from the first row to the last.
    """

    def __init__(self, lines: Sequence[Line], *, is_read: bool = False) -> None:
        self.is_read = is_read
        self._lines: Final = lines
        self._rows: list[Row] = []
        self._size = (0, 0)
        self._top = 0
        self._seen = 0

    def fit(self, size: tuple[int, int]) -> list[Row]:
        """Give the rows that are seen.

        Args:
            size: columns and rows that there are for them.

        Returns:
            As many rows as there are, or fewer.
        """
        width, height = size
        if size != self._size:
            self._rows, self._size = laid_out(self._lines, width), size
            self._seen = 0
        self._top = max(0, min(self._top, len(self._rows) - height))
        seen = self._rows[self._top : self._top + height]
        if self._top <= self._seen:  # else something in between was jumped over
            self._seen = max(self._seen, self._top + len(seen))
        self.is_read = self.is_read or self._seen >= len(self._rows)
        return seen

    def go_on(self) -> None:
        """Show what was not seen yet."""
        self._top = self._seen

    def move(self, key: str) -> bool:
        """Show another part.

        Args:
            key: from `next_key`.

        Returns:
            Whether the key is one for that.
        """
        height = self._size[1]
        by = {
            "up": -1,
            "k": -1,
            "down": 1,
            "j": 1,
            "\n": 1,
            "page up": 1 - height,
            "b": 1 - height,
            "page down": height - 1,
            " ": height - 1,
            "home": -len(self._rows),
            "end": len(self._rows),
        }.get(key)
        self._top += by or 0
        return by is not None

    def where(self) -> str:
        """Say which rows are seen; empty when all of them are."""
        height, count = self._size[1], len(self._rows)
        if count <= height:
            return ""
        return f"rows {self._top + 1} to {self._top + height} of {count}"


class Screen:
    """The terminal, with one page at a time; use it as a context manager.

    Where the cursor cannot be moved everything is written one below the other.
    """

    def __init__(self) -> None:
        self._keyboard: Final = Keyboard()
        self._is_plain: Final = is_plain()
        self._has_colour: Final = has_colour(sys.stdout)
        self._drawn: object = None

    def __enter__(self) -> Self:
        self._take()
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Give the terminal back for a while."""
        self._leave()
        try:
            yield
        finally:
            self._take()

    def read(self, page: Page, bar: str, choices: str, notice: str) -> str | None:
        """Show a page, and wait a moment for a key.

        Args:
            page: what is shown.
            bar: what there is to know of it.
            choices: which keys there are.
            notice: what happened before; empty for nothing.

        Returns:
            The key, empty for one that moved the page, None when none was pressed yet.
        """
        self._draw(page, bar, choices, notice)
        key = self._keyboard.next()
        return "" if key is not None and page.move(key) else key

    def forget_typed(self) -> None:
        """Drop keys that were pressed before anybody could see what is shown now."""
        self._keyboard.forget()

    def _take(self) -> None:
        self._drawn = None
        self._keyboard.take()
        self._write("" if self._is_plain else _ENTER)

    def _leave(self) -> None:
        self._write("" if self._is_plain else _LEAVE)
        self._keyboard.release()

    def _draw(self, page: Page, title: str, choices: str, notice: str) -> None:
        width, height = self._size()
        told = folded(printable(notice), width)[:_NOTICE] if notice else []
        height = max(1, height - _BELOW - len(told))
        seen = page.fit((width, sys.maxsize if self._is_plain else height))
        bar = folded(printable(f"{title}  {page.where()}".rstrip()), width)[0]
        below = [Row(bar, "bar"), Row(folded(choices, width)[0])]
        below += [Row(each, "warning") for each in told]
        state = (id(page), tuple(seen), tuple(below))
        if state == self._drawn:
            return
        self._drawn = state
        if self._is_plain:
            self._write("".join(f"{row.text}\n" for row in (*seen, *below)))
            return
        rows = (*seen, *[Row("")] * (height - len(seen)), *below)
        # Cleared before and not after: at the last column nothing may be erased.
        drawn = (f"{_CLEAR}{painted(r, has_colour=self._has_colour)}" for r in rows)
        text = "\n".join(drawn)
        self._write(f"{_TOP}{text}{_TO_END}")

    def _size(self) -> tuple[int, int]:
        try:
            width, height = os.get_terminal_size(sys.stdout.fileno())
        except OSError:  # it goes away
            width, height = 0, 0
        return width or 80, height or 24

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
