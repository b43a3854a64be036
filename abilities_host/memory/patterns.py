"""Patterns: names with wildcards, and all that lies below what they match."""

import re
from collections.abc import Iterable
from typing import Final
from unicodedata import normalize

from abilities_host.memory.broken import RuleBroken
from abilities_host.schema.pointer import printable

CHARACTERS: Final = 1_000
COUNT: Final = 100

_END: Final = r"(?=/|\Z)"
_WILD: Final = re.compile(r"[*?]+")


class Patterns:
    """Patterns of which any may match.

    Names are split at ``/``. ``*`` stands for any characters of one part, ``?`` for one
    of them, ``**`` as a whole part for any number of parts, also none; all else is
    itself. A pattern also matches whatever lies below what it names. The time to match
    grows with pattern times name, whatever is in them.

    Args:
        texts: the patterns.
        field: where they stand, for the sentence.

    Attributes:
        heads: what they match begins with one of these parts; None when it may begin
            with any.
        needles: what they match holds one of these texts; the quickest way to a no.

    Raises:
        RuleBroken: for what is no pattern.
    """

    __slots__ = ("_compiled", "_written", "heads", "needles")

    def __init__(self, texts: Iterable[str], field: str) -> None:
        forms = {form for text in texts for form in (text, normalize("NFC", text))}
        self._written: Final = "|".join(_translated(form, field) for form in forms)
        heads = {form.partition("/")[0] for form in forms}
        self.heads: Final = None if any(map(_WILD.search, heads)) else heads
        self.needles: Final = {_needle(form) for form in forms}
        self._compiled: re.Pattern[str] | None = None

    def match(self, name: str) -> bool:
        """Answer whether one of them names a thing, or something above it.

        Args:
            name: any text.

        Returns:
            True at the first that does.
        """
        if self._compiled is None:  # most are never asked so far
            self._compiled = re.compile(self._written)
        return self._compiled.match(name) is not None


def _translated(text: str, field: str) -> str:
    """Write a pattern as a regular expression that never goes back far.

    Each run of parts between two ``**`` is sought at the first place where it fits,
    and so is each text between two ``*``: what follows has most room there.
    """
    first, *others = _blocks(text, field)
    written = _block(first) if first else ""
    for block in filter(None, others):
        slash = "/" if written else ""
        written += f"(?>{slash}(?:[^/]*/)*?{_block(block)})"
    return written


def _blocks(text: str, field: str) -> list[list[str]]:
    """Split a pattern into its parts, and these at each ``**``."""
    blocks: list[list[str]] = [[]]
    for place, part in enumerate(_parts(text, field)):
        if part == "**":
            blocks.append([])
        else:
            _check_part(part, text, field, is_first=place == 0)
            blocks[-1].append(part)
    return blocks


def _parts(text: str, field: str) -> list[str]:
    if not text.strip("/"):
        raise RuleBroken("a pattern is empty; write '**' for everything.", field)
    if len(text) > CHARACTERS:
        raise RuleBroken(f"a pattern is longer than {CHARACTERS} characters.", field)
    if not text.isprintable():
        raise RuleBroken(f"{_shown(text)} holds what nobody can see.", field)
    return text.removesuffix("/").split("/")


def _check_part(part: str, text: str, field: str, *, is_first: bool) -> None:
    if "**" in part:
        problem = "'**' is a part of its own, between slashes."
    elif part in {".", ".."} or (not part and not is_first):
        problem = "no name has an empty part, '.' or '..'; write it without."
    else:
        return
    raise RuleBroken(f"{_shown(text)} matches nothing: {problem}", field)


def _block(parts: Iterable[str]) -> str:
    return "/".join(map(_part, parts)) + _END


def _part(part: str) -> str:
    first, *middle = part.split("*")
    if not middle:
        return _literal(first)
    *middle, last = middle
    sought = (f"(?>[^/]*?{_literal(text)})" for text in middle)
    return f"{_literal(first)}{''.join(sought)}[^/]*{_literal(last)}"


def _literal(text: str) -> str:
    return "[^/]".join(map(re.escape, text.split("?")))


def _shown(text: str) -> str:
    return f"'{printable(text)}'"


def _needle(text: str) -> str:
    """Give the longest piece that stands for itself; slashes at ends may be missing."""
    return max((run.strip("/") for run in _WILD.split(text)), key=len)
