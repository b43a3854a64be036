"""Diff: what a change did to its target, for reading."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

import orjson

from abilities_host import MISSING, Domain, ShowsStates, State, masked, run_in_thread
from abilities_host.ledger import Entry, ShownStates
from abilities_ledger.book import Book, ContentGone
from abilities_ledger.shown import Show, shown, shown_states
from abilities_ledger.structural import structural
from abilities_ledger.unified import Shown, unified

log = logging.getLogger(__name__)

GetDomain = Callable[[str], Domain]

_NOTES: Final[Mapping[str, str]] = {
    "size": "Only the digest is kept: a state was larger than the record keeps.",
    "secret": "Only the digest is kept: it holds a secret.",
    "foreign": "Somebody else changed it while the ability ran; this is both.",
}
_REMOVED: Final = "Its content was removed from the record."
_BINARY: Final = "It is no text: only its size is shown."
_ELSEWHERE: Final = "What a person reads did not change; this is the state as it is."
_UNREADABLE: Final = "The states are kept and cannot be shown."


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two states compared; see `Ledger.diff`.

    Attributes:
        kind: how they were compared.
        text: lines, empty for binary and none.
        before_bytes: of what is shown, None for what did not exist.
        after_bytes: likewise.
        is_cut: there is more than is shown.
        note: what a reader must know, empty for nothing.
    """

    kind: Literal["text", "json", "binary", "none"]
    text: str = ""
    before_bytes: int | None
    after_bytes: int | None
    is_cut: bool = False
    note: str = ""


class Diffs:
    """Compares the states of changes.

    Args:
        get_domain: gives a domain by name, or raises.
        book: the entries.
    """

    def __init__(self, get_domain: GetDomain, book: Book) -> None:
        self._get_domain: Final = get_domain
        self._book: Final = book

    async def diff(self, seq: int) -> Mapping[str, Any]:
        """Compare the states before and after a change; see `Ledger.diff`."""
        entry = await self._find(seq)
        kept = await self._kept(entry)
        if kept is None:
            return asdict(_not_kept(entry))
        show, note = self._shows(entry.domain), _NOTES.get(entry.partial, "")
        return asdict(await run_in_thread(lambda: _compared(show, *kept, note)))

    async def states(self, seq: int) -> ShownStates | None:
        """Give both states of a change; see `Ledger.states`."""
        entry = await self._find(seq)
        kept = await self._kept(entry)
        if kept is None:
            return None
        show = self._shows(entry.domain)
        return await run_in_thread(lambda: _both(show, *kept))

    async def _find(self, seq: int) -> Entry:
        where = "WHERE seq = :seq AND kind = 'change'"
        found = await self._book.select(where, {"seq": seq})
        if not found:
            msg = f"there is no change {seq}"
            raise LookupError(msg)
        return found[0]

    async def _kept(self, entry: Entry) -> tuple[State, State] | None:
        if entry.partial == "secret":  # the same content may be kept for another target
            return None
        try:
            before = await self._book.state(entry.before)
            return before, await self._book.state(entry.after)
        except ContentGone:
            return None

    def _shows(self, name: str) -> Show:
        """Have states shown by their domain, as they are if it is gone."""
        try:
            domain = self._get_domain(name)
        except Exception:  # noqa: BLE001 - whatever it raises, the states can be read
            return _as_it_is
        return domain.show if isinstance(domain, ShowsStates) else _as_it_is


def _both(show: Show, before: State, after: State) -> ShownStates | None:
    try:
        return shown_states(show, before, after)
    except Exception:
        log.exception("the states of a change cannot be shown")
        return None


def _compared(show: Show, before: State, after: State, note: str) -> Comparison:
    """Compare in a thread: what is shown is another pack's code, and may fail."""
    try:
        found = _compare(shown(show, before), shown(show, after), note)
        if not found.text and _differs_elsewhere(found, before, after):
            return _compare_json(before, after, note or _ELSEWHERE)
    except Exception:
        log.exception("the states of a change cannot be shown")
        return _sized("none", before, after, note or _UNREADABLE)
    return found


def _differs_elsewhere(found: Comparison, before: State, after: State) -> bool:
    """Answer whether a difference, such as of permission bits, is not shown."""
    is_binary = found.kind == "binary"
    return not is_binary and MISSING not in (before, after) and before != after


def _compare(before: State, after: State, note: str) -> Comparison:
    kinds = {type(each) for each in (before, after) if each is not MISSING}
    if kinds & {bytes, bytearray}:
        return _sized("binary", before, after, note or _BINARY)
    if kinds == {str}:
        one, other = ("" if each is MISSING else each for each in (before, after))
        lines = unified(masked(one), masked(other))
        return _sized("text", before, after, note, lines)
    return _compare_json(before, after, note)


def _compare_json(before: State, after: State, note: str) -> Comparison:
    return _sized("json", before, after, note, structural(before, after))


def _sized(
    kind: Literal["text", "json", "binary", "none"],
    before: State,
    after: State,
    note: str,
    lines: Shown = Shown("", is_cut=False),  # noqa: B008 - a tuple that never changes
) -> Comparison:
    return Comparison(
        kind=kind,
        text=lines.text,
        before_bytes=_size(before),
        after_bytes=_size(after),
        is_cut=lines.is_cut,
        note=note,
    )


def _size(state: State) -> int | None:
    if state is MISSING:
        return None
    if isinstance(state, str):
        return len(state.encode(errors="surrogatepass"))
    return len(state if isinstance(state, bytes) else orjson.dumps(state))


def _not_kept(entry: Entry) -> Comparison:
    before, after = (entry.details.get(f"{side}_bytes") for side in ("before", "after"))
    note = _NOTES.get(entry.partial, _REMOVED)
    return Comparison(kind="none", before_bytes=before, after_bytes=after, note=note)


def _as_it_is(state: State) -> State:
    return state
