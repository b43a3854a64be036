"""Document: all guidance and topics of a project, as one JSON document holds them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from abilities_host import CallError
from abilities_host.gate import Seal
from abilities_host.memory import Proposal, Status, Topic
from abilities_memory.wording import shown

FORMAT: Final = "abilities-memory"
VERSION: Final = 1
ENTRIES: Final = 10_000
"""How much guidance a document holds, and so how much may be taken at once."""

TOPICS: Final = 10_000
_SHOWN: Final = 60
_LISTED: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One guidance of a document.

    Attributes:
        id: in the document, of at most 200 characters.
        proposal: what it says, cleaned; `supersedes` is an id in the document.
        status: what it was where it comes from; here it waits.
        seal: what a person signed there; nobody has looked yet whether it holds.
    """

    id: str
    proposal: Proposal
    status: Status = "pending"
    seal: Seal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What somebody wants taken, understood as a whole.

    Attributes:
        entries: every id once, at most 10,000.
        topics: cleaned, every name once, at most 10,000.
        left_out: what could not be carried, one sentence each.
    """

    entries: tuple[Entry, ...]
    topics: tuple[Topic, ...] = ()
    left_out: tuple[str, ...] = ()


class DocumentBroken(CallError):
    """A document cannot be understood, so nothing of it was taken."""

    code = "memory_document_broken"

    def __init__(self, place: str, problem: str) -> None:
        where = place or "the top"
        super().__init__(
            f"The document cannot be taken: at {where}, {problem}. "
            "Nothing was imported.",
            place=place,
        )


class DocumentTooNew(CallError):
    """A document was written by a later version."""

    code = "memory_document_too_new"

    def __init__(self) -> None:
        super().__init__(
            f"The document has a later version than {VERSION}, the last that this host "
            "reads. Nothing was imported; bring this host up to date first.",
        )


class TooMuchToExport(CallError):
    """There is more than a document holds."""

    code = "memory_too_much_to_export"

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(
            f"There are more than {limit} {what}, which is all that a document holds. "
            "Forget some, or copy the store: abilities backup",
            limit=limit,
        )


def named(name: str) -> str:
    """Give a name out of a document as it may stand in a sentence.

    Args:
        name: any string.

    Returns:
        At most 60 characters of it, with nothing hidden, on one line.
    """
    cut = name if len(name) <= _SHOWN else f"{name[: _SHOWN - 1]}…"
    return shown(" ".join(cut.split()))


def listed(names: Sequence[str]) -> str:
    """Write names out of a document in a row, at most ten of them.

    Args:
        names: any strings.

    Returns:
        Such as ``a, b and 3 more``.
    """
    first = ", ".join(map(named, names[:_LISTED]))
    more = len(names) - _LISTED
    return f"{first} and {more} more" if more > 0 else first
