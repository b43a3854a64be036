"""The commands ``ledger show`` and ``ledger diff``: one entry, in full."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from abilities_host.cli.ledger import values
from abilities_host.cli.ledger.opened import IdArgument, entry_of, with_ledger
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import (
    printable,
    printable_lines,
    say,
    say_json,
    wrapped,
)
from abilities_host.cli.running import load
from abilities_host.errors import CallError
from abilities_host.jsontext import json_text
from abilities_host.ledger import Listed

if TYPE_CHECKING:
    from abilities_host.ledger import Ledger


class NoDifference(CallError):
    """Raised when an entry is no change, so that there is nothing to compare."""

    code = "no_difference"

    def __init__(self, seq: int, kind: str) -> None:
        super().__init__(
            f"Entry {seq} is no change of a target, but of kind {kind!r}. "
            f"'abilities ledger show {seq}' shows it."
        )


def show_change(
    seq: IdArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Show one entry: who, when, in which session, and what is different."""
    change, diff = with_ledger(load(config), lambda ledger: _read(ledger, seq))
    if as_json:
        say_json({**values.as_json(change), "diff": diff})
        return
    for key, value in _lines(change):
        say(wrapped(printable(value), first=f"{key:<9}"))
    say()
    if diff is not None:
        _show_diff(diff)
    else:
        say(json_text(dict(change.entry.details)))


def show_diff(
    seq: IdArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Show what a change made different."""
    change, diff = with_ledger(load(config), lambda ledger: _read(ledger, seq))
    if diff is None:
        raise NoDifference(seq, change.entry.kind)
    if as_json:
        say_json(diff)
    else:
        _show_diff(diff)


async def _read(ledger: "Ledger", seq: int) -> tuple[Listed, dict[str, Any] | None]:
    change = await ledger.get_change(seq)
    if change is None:
        entry = await entry_of(ledger, seq)
        return Listed(
            entry, entry.real, is_rolled_back=False, is_reversible=False
        ), None
    is_compared = change.entry.kind == "change"
    return change, dict(await ledger.diff(seq)) if is_compared else None


def _show_diff(diff: Mapping[str, Any]) -> None:
    before, after = (_size(diff[side]) for side in ("before_bytes", "after_bytes"))
    say(f"{before} -> {after}")
    for text in (diff["text"], diff["note"]):
        if text:
            say(printable_lines(str(text)))


def _size(count: int | None) -> str:
    return "nothing" if count is None else f"{count:,} bytes"


def _lines(change: Listed) -> Iterator[tuple[str, str]]:
    entry = change.entry
    yield "entry", f"{entry.seq}, {entry.kind}"
    yield "when", values.moment(entry.at)
    yield from _given(
        {
            "ability": entry.ability,
            "target": values.target_of(entry) or entry.target,
            "done": entry.action,
            "about": f"entry {entry.about}" if entry.about is not None else "",
            "result": values.result_of(change) if entry.result else "",
            "state": values.state_of(change) if entry.result else "",
            "actor": entry.actor,
            "session": entry.session,
            "call": entry.call + (f", inside {entry.parent}" if entry.parent else ""),
        }
    )


def _given(lines: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((key, value) for key, value in lines.items() if value)
