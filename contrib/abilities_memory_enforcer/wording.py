"""Wording: what somebody is told whose write is stopped."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from abilities_host import Target

TEXT_CHARACTERS: Final = 600
TARGETS_SHOWN: Final = 5


def shown(text: str, limit: int = TEXT_CHARACTERS) -> str:
    """Make a text that somebody else wrote safe to be read.

    Args:
        text: any text.
        limit: characters of it that are shown.

    Returns:
        One line; what does not print, or turns text around, is written as its code.
    """
    cut = text[:limit]
    safe = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in cut)
    return f"{safe}…" if len(text) > limit else safe


def listed(targets: Sequence[Target]) -> str:
    """Name targets, the first of them."""
    names = ", ".join(shown(str(t), 200) for t in targets[:TARGETS_SHOWN])
    more = len(targets) - TARGETS_SHOWN
    return f"{names} and {more} more" if more > 0 else names


def change_sentence(id_: str) -> str:
    """Say how to ask for a change of guidance."""
    return (
        f"Do not look for a way round. To have it changed, propose another guidance "
        f"with memory/remember and supersedes {id_!r}; a human decides."
    )


def forbidden(id_: str, text: str, message: str) -> str:
    """Tell that a rule forbids a write."""
    more = f" {shown(message)}" if message else ""
    return f"guidance {id_} forbids it: «{shown(text)}»{more} {change_sentence(id_)}"


def unenforceable(id_: str, problem: str) -> str:
    """Tell that a rule cannot be enforced, so that all it covers is stopped."""
    return (
        f"the rule of guidance {id_} cannot be enforced, so every write that it may be "
        f"about is stopped. {shown(problem)} {change_sentence(id_)}"
    )


def lost(id_: str, sentence: str) -> str:
    """Tell that a rule is not as a person left it."""
    return (
        f"guidance {id_} is not as a person left it, so every write that its rule may "
        f"be about is stopped: {shown(sentence)} The person who runs this host has to "
        "look at it."
    )


def unreadable(problem: str) -> str:
    """Tell that nobody knows the rules."""
    return (
        f"the approved rules cannot be read, so nothing is written: {shown(problem)} "
        "'abilities doctor' shows more to the person who runs this host."
    )


def waiting(id_: str, text: str, message: str, *, ticket: str, until: int) -> str:
    """Tell that a write waits for a person."""
    more = f" {shown(message)}" if message else ""
    return (
        f"guidance {id_} lets it happen only once a person has approved it: "
        f"«{shown(text)}»{more} It waits as ticket {ticket} until {moment(until)}. "
        "When it is approved, ask again with exactly the same arguments; it is good "
        "for one time, and only while nothing it is about has changed."
    )


def rejected(ticket: str, until: int) -> str:
    """Tell that a person said no."""
    return (
        f"a person has rejected it (ticket {ticket}). The same write is not taken to "
        f"anybody again before {moment(until)}."
    )


def unsealed(ticket: str) -> str:
    """Tell that a ticket is called approved, and no person approved it."""
    return (
        f"no person's seal is on its ticket {ticket}, or it was used a moment ago, so "
        "it does not count. The person who runs this host has to look at it."
    )


def crowded(limit: int) -> str:
    """Tell that too much of an actor waits already."""
    return (
        f"it needs a person's approval, and {limit} writes of this actor wait for one "
        "already. Wait until some are decided."
    )


def question(ids: Iterable[str], texts: Iterable[str], write: str, about: str) -> str:
    """Ask a person whether a write may go on."""
    said = " ".join(f"«{shown(text)}»" for text in texts)
    return (
        f"Let {write} change {about}? Guidance {', '.join(ids)} wants you asked: {said}"
    )


def moment(micros: int) -> str:
    """Write a time for people."""
    at = datetime.fromtimestamp(micros // 1_000_000, UTC)
    return f"{at:%Y-%m-%d %H:%M} UTC"
