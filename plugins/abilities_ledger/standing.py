"""Standing: whether a change is still in force, and its targets as it left them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from abilities_host import Site, State, Target
from abilities_host.ledger import Entry
from abilities_ledger.book import Book
from abilities_ledger.content import is_same
from abilities_ledger.difference import describe
from abilities_ledger.refused import AlreadyRolledBack, NotKept, TargetDrifted
from abilities_ledger.states import States

NEWER: Final = 20

_UNDONE: Final = "SELECT by FROM ledger_undone WHERE seq = :seq"
_UNDOER: Final = """
    SELECT seq FROM ledger_entry
    WHERE call = (SELECT call FROM ledger_entry WHERE seq = :rollback)
        AND kind = 'change' AND domain = :domain AND target = :target
    ORDER BY seq LIMIT 1
"""
# Later changes of a target, but for those that were undone, and undos of later ones.
# A change of a run whose host died is recorded when a sweep finds it: what was written
# since is newer though its number is smaller. The entry that says how the run found its
# target tells when it was.
_NEWER: Final = """
    SELECT later.seq FROM ledger_entry AS later
    LEFT JOIN ledger_undone AS undone ON undone.seq = later.seq
    WHERE later.listed = 1 AND later.domain = :domain AND later.target = :target
        AND later.kind = 'change' AND later.seq > :after AND later.call <> :call
        AND undone.seq IS NULL
        AND NOT EXISTS (
            SELECT 1 FROM ledger_entry AS rollback
            WHERE rollback.call = later.call AND rollback.kind = 'rollback'
                AND rollback.about > :after
        )
        AND (later.result <> 'unknown' OR :after < (
            SELECT max(found.seq) FROM ledger_entry AS found
            WHERE found.call = later.call AND (found.kind = 'intent' OR (
                found.kind = 'touch' AND found.domain = later.domain
                AND found.target = later.target
            ))
        ))
    ORDER BY later.seq LIMIT :limit
"""


class Standing:
    """Answers what still stands; only under the locks of its targets that is certain.

    Args:
        site: domains.
        book: the entries.
        kept: what is kept of states.
    """

    def __init__(self, site: Site, book: Book, kept: States) -> None:
        self._site: Final = site
        self._book: Final = book
        self._kept: Final = kept

    async def check(
        self,
        changes: Sequence[Entry],
        states: dict[Target, tuple[State, State]],
        now: Mapping[Target, State],
        *,
        is_forced: bool,
    ) -> None:
        """Check that all is as the changes left it.

        Args:
            changes: of one run.
            states: target to what it should be and shall become; force takes what is
                there as it is.
            now: what is there, captured under the locks.
            is_forced: go on whatever is there, if the record keeps that.

        Raises:
            UndoRefused: when it is not.
        """
        for each in changes:
            await self.check_in_force(each)
        if is_forced:
            await self._check_kept(changes[0].seq, states, now)
            states.update({t: (now[t], back) for t, (_, back) in states.items()})
            return
        newer = await self._newer(changes)
        drifted = [
            describe(
                self._site.get_domain(target.domain), target, expected, now[target]
            )
            for target, (expected, _) in states.items()
            if not is_same(expected, now[target])
        ]
        if drifted or newer:
            if not drifted:
                drifted = [{"target": str(target)} for target in states]
            raise TargetDrifted(drifted, newer)

    async def _check_kept(
        self,
        seq: int,
        states: Mapping[Target, tuple[State, State]],
        now: Mapping[Target, State],
    ) -> None:
        """Force destroys only what the record can give back."""
        found = await self._kept.keep([*now.items()])
        for target, each in zip(now, found, strict=True):
            _, back = states[target]
            if each.partial and not is_same(now[target], back):
                raise NotKept(seq, str(target), each.partial)

    async def check_in_force(self, entry: Entry) -> None:
        """Check that a change was not undone.

        Args:
            entry: the change.

        Raises:
            AlreadyRolledBack: when it was; names what can be undone in turn.
        """
        undone = await self._undone_by(entry)
        if undone is not None:
            raise AlreadyRolledBack(entry.seq, await self._undoer(entry, undone))

    async def _undoer(self, entry: Entry, rollback: int) -> int:
        """Give the change that undid one, which is what can be undone in turn."""
        values = {"rollback": rollback, "domain": entry.domain, "target": entry.target}
        rows = await self._book.store.read(_UNDOER, values)
        return rows[0][0] if rows else rollback

    async def is_undone(self, entry: Entry) -> bool:
        """Answer whether a change was undone, and its undo was not."""
        return await self._undone_by(entry) is not None

    async def _undone_by(self, entry: Entry) -> int | None:
        rows = await self._book.store.read(_UNDONE, {"seq": entry.seq})
        return rows[0][0] if rows else None

    async def _newer(self, changes: Iterable[Entry]) -> list[int]:
        found: set[int] = set()
        for each in changes:
            values = {
                "domain": each.domain,
                "target": each.target,
                "after": position_of(each),
                "call": each.call,
                "limit": NEWER,
            }
            found.update(row[0] for row in await self._book.store.read(_NEWER, values))
        return sorted(found)[:NEWER]


def position_of(change: Entry) -> int:
    """Say where a change stands among those of its target.

    Args:
        change: any.

    Returns:
        Its number; for what a sweep recorded late that of the run which found it so.
    """
    return change.details.get("seen_by") or change.seq


def target_of(change: Entry) -> Target:
    """Give what a change is about."""
    return Target(change.domain, change.target)
