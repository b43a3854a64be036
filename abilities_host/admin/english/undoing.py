"""Undoing: the words of states beside each other, and of a whole session undone."""

from collections.abc import Mapping
from typing import Final

from abilities_host.frozen import FrozenDict

UNDOING: Final[Mapping[str, str]] = FrozenDict(
    {
        # --- states -----------------------------------------------------------
        "ledger.side.before": "Before",
        "ledger.side.after": "After",
        "ledger.sides.line": "Line",
        "ledger.sides.gap": "Lines that are the same are left out.",
        "ledger.sides.open": "(no line break here)",
        "ledger.tree.changed": "changed",
        "ledger.tree.added": "added",
        "ledger.tree.removed": "removed",
        "ledger.tree.parts.one": "(one part)",
        "ledger.tree.parts.many": "({count} parts)",
        "ledger.tree.left_out.one": "One more is not shown.",
        "ledger.tree.left_out.many": "{count} more are not shown.",
        "ledger.picture": "{side}: {kind}, {size}",
        "ledger.picture.alt": "{side} entry {seq}",
        "ledger.picture.large": "It is too large to be shown here.",
        # --- a veto ------------------------------------------------------------
        "ledger.undo.vetoed": "A rule that a person approved holds for you too. "
        "Withdraw the guidance first if this is to be undone, and approve another "
        "afterwards.",
        "ledger.undo.guidance": "Guidance in force",
        # --- a session --------------------------------------------------------
        "ledger.session.title": "Undo a session",
        "ledger.session.of": "Undo session {id}",
        "ledger.session.undo": "Undo this session",
        "ledger.session.id": "Session",
        "ledger.session.send": "Show",
        "ledger.session.list": "To the changes of this session",
        "ledger.session.nothing": "No change of this session is in force.",
        "ledger.session.stands.one": "One change is in force.",
        "ledger.session.stands.many": "{count} changes are in force.",
        "ledger.session.more": "There are more than were looked through.",
        "ledger.session.how": "Run by run, the newest first, at most 200 at once. It "
        "ends at the first that is refused, such as because a target has changed "
        "since. You see first what would be put back.",
        "ledger.session.try": "Preview the undo of the session",
        "ledger.session.newest": "The newest {count}",
        "ledger.session.would.none": "No run would be undone.",
        "ledger.session.done.none": "No run was undone.",
        "ledger.session.would.one": "One run would be undone.",
        "ledger.session.would.many": "{count} runs would be undone.",
        "ledger.session.done.one": "One run was undone.",
        "ledger.session.done.many": "{count} runs were undone.",
        "ledger.session.would_stop": "It would end at entry {seq}, which is refused. "
        "What is older stays as it is.",
        "ledger.session.did_stop": "It ended at entry {seq}, which was refused. What "
        "is older stays as it is.",
        "ledger.session.tried": "It was only tried. Nothing was changed.",
        "ledger.session.undo_all": "Undo what would be undone",
        "ledger.session.plan": "Run by run, newest first",
        "ledger.session.result": "What became of it",
        "ledger.session.end": "Outcome",
        "ledger.session.end.would": "would be undone",
        "ledger.session.end.done": "undone",
        "ledger.session.end.refused": "refused",
        "ledger.session.end.left": "not reached",
        "ledger.session.further": "Further",
        "ledger.session.why": "Why entry {seq} is refused",
        "ledger.session.and.one": "and one more",
        "ledger.session.and.many": "and {count} more",
        # --- the log, as it comes ----------------------------------------------
        "log.live.full": "This session has as many pages as it may that go on by "
        "themselves. Close one, or load the page again to see what is new.",
        "log.live.full_for_all": "There are as many pages as there may be that go on "
        "by themselves. Load the page again to see what is new.",
    }
)
