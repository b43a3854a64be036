"""Comparison: what a change did to its target, as a page shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from abilities_host.admin.pictures import Picture, pictures_of
from abilities_host.admin.sides import Sides, side_by_side
from abilities_host.admin.tree import Node, tree_of
from abilities_host.admin.weight import shortened
from abilities_host.ledger import Entry, Ledger, ShownStates
from abilities_host.threads import run_in_thread

_ROOM: Final = 40_000  # bytes of HTML, of lines that are not beside each other


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Both states of a change.

    Attributes:
        before_bytes: of what is shown, None for what did not exist.
        after_bytes: likewise.
        note: what a reader must know, empty for nothing.
        is_cut: there is more than is shown.
        sides: of texts.
        tree: of JSON values.
        pictures: of images.
        lines: of what is neither.
    """

    before_bytes: int | None
    after_bytes: int | None
    note: str
    is_cut: bool
    sides: Sides | None = None
    tree: Node | None = None
    pictures: tuple[Picture, ...] = ()
    lines: tuple[str, ...] = ()


async def compared(ledger: Ledger, entry: Entry) -> Comparison:
    """Compare the states of a change.

    Args:
        ledger: the record.
        entry: a change.

    Returns:
        The comparison, small enough for a page.

    Raises:
        LookupError: when the change is gone.
    """
    found = await ledger.diff(entry.seq)
    if found["kind"] == "text":
        lines = _lines(found["text"])
        sides = await run_in_thread(partial(side_by_side, lines))
        return _made(found, sides=sides, is_cut=sides.is_cut)
    if found["kind"] in {"json", "binary"}:
        states = await ledger.states(entry.seq)
        if states is not None:
            is_json = found["kind"] == "json"
            show = _as_tree if is_json else partial(_as_pictures, entry)
            return await run_in_thread(partial(show, states, found))
    return lines_only(found, _ROOM)


def lines_only(found: Mapping[str, Any], room: int) -> Comparison:
    """Show the lines of a difference one below the other.

    Args:
        found: what the record gives.
        room: bytes of HTML.
    """
    kept = shortened(found["text"], room)
    is_cut = len(kept) < len(found["text"])
    return _made(found, lines=_lines(kept), is_cut=is_cut)


def _as_tree(states: ShownStates, found: Mapping[str, Any]) -> Comparison:
    tree = tree_of(states.before, states.after)
    # What is left out of the tree says so itself, and its values are cut in sight.
    return _made({**found, "is_cut": False}, tree=tree)


def _as_pictures(
    entry: Entry, states: ShownStates, found: Mapping[str, Any]
) -> Comparison:
    pictures = pictures_of(states.before, states.after)
    # That it is no text says nothing more beside a picture.
    note = "" if pictures and not entry.partial else found["note"]
    return _made({**found, "note": note}, pictures=pictures)


def _made(
    found: Mapping[str, Any], *, is_cut: bool = False, **parts: Any
) -> Comparison:
    return Comparison(
        before_bytes=found["before_bytes"],
        after_bytes=found["after_bytes"],
        note=found["note"],
        is_cut=found["is_cut"] or is_cut,
        **parts,
    )


def _lines(text: str) -> tuple[str, ...]:
    """Split at line feeds only, so that a changed carriage return shows."""
    return tuple(text.split("\n")) if text else ()
