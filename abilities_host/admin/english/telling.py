"""Telling: the words of the pages of what agents tell of their sessions."""

from collections.abc import Mapping
from typing import Final

from abilities_host.frozen import FrozenDict

TELLING: Final[Mapping[str, str]] = FrozenDict(
    {
        # --- the list ---------------------------------------------------------
        "sessions.title": "Sessions",
        "sessions.what": "What agents tell of their sessions, and nobody reviewed. The "
        "numbers are from the record.",
        "sessions.filter.agent": "Agent",
        "sessions.filter.session": "Session",
        "sessions.filter.only": "only what differs",
        "sessions.list": "Newest first",
        "sessions.id": "Summary",
        "sessions.span": "From, up to",
        "sessions.agent": "Agent",
        "sessions.changes": "Changes",
        "sessions.targets": "Targets",
        "sessions.differs": "Differs from the record",
        "sessions.opening": "What the agent tells",
        "sessions.places.one": "in one place",
        "sessions.places.many": "in {count} places",
        "sessions.misreported.one": "one run ended otherwise than it said",
        "sessions.misreported.many": "{count} runs ended otherwise than they said",
        "sessions.same": "no",
        "sessions.partial": "not compared whole",
        "sessions.nothing": "No agent has told of a session yet.",
        "sessions.nothing_fits": "No session fits.",
        "sessions.older": "Older",
        # --- one of them ------------------------------------------------------
        "sessions.back": "All sessions",
        "sessions.told_in": "Session summary {id}",
        "sessions.tag.differs": "differs from the record",
        "sessions.tag.same": "as the record has it",
        "sessions.narrative": "What the agent tells",
        "sessions.narrative.what": "Written by the agent; nobody reviewed it. What is "
        "marked differs from the record, and its number leads to how.",
        "sessions.reference": "Difference {number}",
        "sessions.digest": "What the record has",
        "sessions.digest.what": "Counted by the host for this agent, this session and "
        "this span when the agent told of it.",
        "sessions.when": "Span",
        "sessions.saved": "Told",
        "sessions.session": "Session",
        "sessions.other": "Not as the ability said",
        "sessions.rolled_back": "Undone since",
        "sessions.unknown": "End not known",
        "sessions.entries": "Entries",
        "sessions.entry": "Entry {seq}",
        "sessions.targets.list": "Targets that were changed",
        "sessions.targets.more": "The first {shown} of {count}.",
        "sessions.actions": "By what was done",
        "sessions.action": "Done",
        "sessions.count": "Number",
        "sessions.ledger.span": "Ledger of this span",
        "sessions.ledger.session": "Ledger of the whole session",
        "sessions.differences": "Where the two differ",
        "sessions.differences.none": "Nothing that the agent tells differs from the "
        "record, as far as it can be compared.",
        "sessions.differences.range": "Differences {first} to {last} of {count}.",
        "sessions.differences.more": "Further differences",
        "sessions.cut": "There was more than is compared, so there may be others.",
        "sessions.lost": "This sentence is not in the text as it is kept:",
        "sessions.untold": "Without a sentence",
        "sessions.kind.claimed_not_recorded": "told, not in the record",
        "sessions.kind.recorded_not_claimed": "in the record, not told",
        "sessions.kind.claimed_success_verified_failure": "told as done, found to "
        "have failed",
        "sessions.done.created": "created",
        "sessions.done.updated": "updated",
        "sessions.done.deleted": "deleted",
        "sessions.done.moved": "moved",
        "sessions.done.undone": "undone",
        "sessions.look": "What the record has of it",
    }
)
