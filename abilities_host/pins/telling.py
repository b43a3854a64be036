"""Telling: a change of definitions in words, for the log and for ``doctor``."""

from collections.abc import Iterator
from typing import Final

from abilities_host.pins.change import Change, Pair
from abilities_host.pins.definition import difference_in_words
from abilities_host.pins.kind import NAME

_LINES: Final = 8
_NAMES: Final = 5


def headline(change: Change, *, holds: bool) -> str:
    """Say in a line what changed and what comes of it.

    Args:
        change: that was not accepted.
        holds: whether it is held back.

    Returns:
        Sentences with names and parts, and without any text of the pack.
    """
    names = [_named(pair) for pair in change.pairs[:_NAMES]]
    more = len(change.pairs) - len(names)
    rest = f" and {more} more" if more else ""
    effect = (
        "They wait for a person and are not served."
        if holds
        else "They are served all the same."
    )
    return (
        f"Pack {change.subject} says otherwise than before: "
        f"{', '.join(names)}{rest}. {effect} See: abilities queue show "
        f"{NAME}:{change.id}"
    )


def lines_of(change: Change) -> Iterator[str]:
    """Tell where the definitions differ.

    Args:
        change: that was not accepted.

    Yields:
        A line for each place, at most 8.
    """
    lines = [line for pair in change.pairs for line in _lines_of(pair)]
    yield from lines[:_LINES]
    if len(lines) > _LINES:
        yield f"and {len(lines) - _LINES} more places"


def _named(pair: Pair) -> str:
    if pair.is_new:
        return f"{pair.ability} (new)"
    parts = dict.fromkeys(each.at.split("/")[1] for each in pair.differences)
    return f"{pair.ability} ({', '.join(parts)})"


def _lines_of(pair: Pair) -> list[str]:
    if pair.is_new:
        return [f"{pair.ability} is new"]
    found = pair.differences
    return [f"{pair.ability}: {difference_in_words(each)}" for each in found]
