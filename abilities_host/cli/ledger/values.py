"""Values: entries and times as they are read and written on a command line."""

from datetime import UTC, datetime
from typing import Any

import typer

from abilities_host.errors import listed
from abilities_host.ledger import Entry, Listed

_MICROSECONDS = 1_000_000


def moment(at: int) -> str:
    """Write a time of the record.

    Args:
        at: microseconds since 1970.

    Returns:
        ISO 8601 in UTC, to the second.
    """
    when = datetime.fromtimestamp(at / _MICROSECONDS, UTC)
    return f"{when:%Y-%m-%d %H:%M:%S}Z"


def read_moment(written: str | None) -> int | None:
    """Read a time that a person wrote.

    Args:
        written: ISO 8601; without a zone it is local time.

    Returns:
        Microseconds since 1970, None for None.

    Raises:
        typer.BadParameter: when it is no time.
    """
    if written is None:
        return None
    try:
        seconds = datetime.fromisoformat(written).astimezone().timestamp()
    except (ValueError, OverflowError):
        example = "such as 2026-11-30 or 2026-11-30T14:05+01:00"
        raise typer.BadParameter(f"{written!r} is no time, {example}.") from None
    return int(seconds * _MICROSECONDS)


def one_of(written: str | None, known: tuple[str, ...]) -> str | None:
    """Check a word that a person wrote.

    Args:
        written: the word, None for none.
        known: which it may be.

    Returns:
        The word.

    Raises:
        typer.BadParameter: when it is another.
    """
    if written is None or written in known:
        return written
    raise typer.BadParameter(f"{written!r} is none of {listed(known)}.")


def target_of(entry: Entry) -> str:
    """Say what was changed, ``domain:target``; empty for no target."""
    return f"{entry.domain}:{entry.target}" if entry.domain else ""


def state_of(change: Listed) -> str:
    """Say in words what became of a change or of a run without one."""
    if change.is_rolled_back:
        return "undone"
    if change.entry.partial:
        return f"partial: {change.entry.partial}"
    return "in force" if change.is_reversible else "not reversible"


def result_of(change: Listed) -> str:
    """Say how it ended: what was verified, and what was said if it differs."""
    said, real = change.entry.result, change.real
    if not real or real == said:
        return said if real else f"{said} (not verified)"
    return f"{real} (said {said})"


def as_json(change: Listed) -> dict[str, Any]:
    """Write a change for programs.

    Args:
        change: a change, an outcome, or an entry of another kind.

    Returns:
        JSON values; the keys are always the same.
    """
    entry = change.entry
    return {
        "id": entry.seq,
        "at": moment(entry.at),
        "kind": entry.kind,
        "call": entry.call,
        "parent": entry.parent,
        "actor": entry.actor,
        "session": entry.session,
        "ability": entry.ability,
        "domain": entry.domain,
        "target": entry.target,
        "action": entry.action,
        "result": entry.result,
        "result_real": change.real or None,
        "partial": entry.partial,
        "about": entry.about,
        "reversible": change.is_reversible,
        "rolled_back": change.is_rolled_back,
        "details": dict(entry.details),
    }
