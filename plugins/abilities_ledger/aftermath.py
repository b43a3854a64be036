"""Aftermath: what is recorded of a run whose host died, from what is true since."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from abilities_host import Target
from abilities_host.ledger import Entry
from abilities_ledger.book import Book
from abilities_ledger.content import Content
from abilities_ledger.draft import Draft, Whose
from abilities_ledger.recorder import draft_rollback

_NEXT: Final = (
    "WHERE listed = 1 AND domain = :domain AND target = :target AND seq > :seq "
    "AND kind = 'change' ORDER BY seq LIMIT 20"
)
_OPEN: Final = "SELECT call FROM ledger_open ORDER BY seq LIMIT 1000"
_SIZE: Final = "SELECT size FROM ledger_content WHERE digest = :digest"


class Before(NamedTuple):
    """What is known of a target as it was.

    Attributes:
        seq: number of the entry that says so.
        digest: of the state, None for MISSING.
        partial: why its content is not kept, empty when it is.
    """

    seq: int
    digest: bytes | None
    partial: str


class After(NamedTuple):
    """What was true of a target when its host had died.

    Attributes:
        digest: of the state, None for MISSING.
        partial: why its content is not kept, empty when it is.
        size: bytes of the state, None when unknown or MISSING.
        content: to be kept, None when it is kept already.
        seen_by: number of the entry of the next run that found it, None when it was
            read now.
    """

    digest: bytes | None
    partial: str
    size: int | None
    content: Content | None
    seen_by: int | None = None


class Witnesses:
    """Finds what later runs found: what is true now may be their work.

    Args:
        book: the entries.
    """

    def __init__(self, book: Book) -> None:
        self._book: Final = book

    async def find(self, target: Target, before: Before, intent: Entry) -> After | None:
        """Give the state in which the first run after the host's death found a target.

        A run of another host cannot have had the target before, since it was locked;
        one of the same host was part of the same call.

        Args:
            target: what the dead host's run announced.
            before: what it found.
            intent: of its run.

        Returns:
            The state, None when nobody wrote the target since.
        """
        values = {"domain": target.domain, "target": target.name, "seq": before.seq}
        changes = await self._book.select(_NEXT, values)
        calls = [change.call for change in changes]
        calls += [call for (call,) in await self._book.store.read(_OPEN)]
        found: list[Before] = []
        for call in dict.fromkeys(calls):
            entries = await self._book.of_call(call)
            found += _found(entries, target, before, intent)
        if not found:
            return None
        first = min(found)
        rows = []
        if first.digest is not None:
            rows = await self._book.store.read(_SIZE, {"digest": first.digest})
        size = rows[0][0] if rows else None
        return After(first.digest, first.partial, size, None, first.seq)


def _found(
    entries: Sequence[Entry], target: Target, before: Before, intent: Entry
) -> list[Before]:
    leases = [e.details["lease"] for e in entries if e.kind == "intent"]
    if leases in ([], [intent.details["lease"]]):
        return []
    seen = targets_of(entries).get(target)
    return [seen] if seen and seen.seq > before.seq else []


def targets_of(entries: Iterable[Entry]) -> dict[Target, Before]:
    """Give what a run announced, each as it was found first.

    Args:
        entries: of the run, oldest first.

    Returns:
        Target to what is known of it.
    """
    found: dict[Target, Before] = {}
    for entry in entries:
        if entry.kind == "touch":
            target = Target(entry.domain, entry.target)
            found.setdefault(target, Before(entry.seq, entry.before, entry.partial))
        if entry.kind == "intent":
            for domain, name, digest, partial in entry.details["targets"]:
                raw = bytes.fromhex(digest) if digest else None
                found[Target(domain, name)] = Before(entry.seq, raw, partial)
    return found


def kept_before(before: Before) -> Content | None:
    """Give what makes the content of a state stay as long as the change does."""
    if before.digest is None or before.partial:
        return None
    return Content(before.digest, 0, None, is_packed=False)


# --- entries --------------------------------------------------------------------


def unknown(intent: Entry) -> Draft:
    """Make the outcome that says no more than that the host died."""
    details = {"status": "unknown", "code": "host_died", "flags": ["host_died"]}
    return Draft(
        kind="outcome",
        whose=_whose(intent),
        action="ran",
        result="unknown",
        details=details,
    )


def known(intent: Entry, changes: int, unreadable: Sequence[str]) -> Draft:
    """Make the outcome that says what is true.

    Args:
        intent: of the run.
        changes: how many of its targets changed.
        unreadable: targets that could not be read, spelt ``domain:name``.

    Returns:
        The draft; it is listed when there are no changes, which would be.
    """
    real = "" if unreadable else ("changed" if changes else "unchanged")
    return Draft(
        kind="outcome",
        is_listed=not changes,
        whose=_whose(intent),
        action="ran",
        result="unknown",
        real=real,
        details={
            "status": "unknown",
            "code": "host_died",
            "flags": ["host_died", "settled_late"],
            "changes": changes,
            "unreadable": list(unreadable),
        },
    )


def changed(intent: Entry, target: Target, before: Before, after: After) -> Draft:
    """Make the entry of one change.

    Args:
        intent: of the run.
        target: what changed.
        before: what it was.
        after: what it became.

    Returns:
        The draft; ``seen_by`` names the entry that found it so, if it was not read.
    """
    return Draft(
        kind="change",
        is_listed=True,
        whose=_whose(intent),
        domain=target.domain,
        target=target.name,
        action=_action(before.digest, after.digest),
        result="unknown",
        real="changed",
        partial=before.partial or after.partial,
        before=before.digest,
        after=after.digest,
        details={
            "flags": ["settled_late"],
            "after_bytes": after.size,
            "seen_by": after.seen_by,
        },
    )


async def rolled_back(
    book: Book, intent: Entry, after: Mapping[Target, After]
) -> list[Draft]:
    """Say what an undo had put back before its host died.

    Args:
        book: the entries.
        intent: of the run.
        after: targets that changed.

    Returns:
        A rollback for each change whose target is as it was before it.
    """
    said = [("undone", seq) for seq in intent.details["undoes"]]
    said += [("redone", seq) for seq in intent.details["redoes"]]
    drafts = []
    for action, seq in said:
        for entry in await book.select("WHERE seq = :seq", {"seq": seq}):
            target = Target(entry.domain, entry.target)
            now = after.get(target)
            wanted = entry.before if action == "undone" else entry.after
            if now is not None and now.digest == wanted:
                is_forced = intent.details["forced"]
                drafts.append(
                    draft_rollback(
                        _whose(intent), action, seq, target, is_forced=is_forced
                    )
                )
    return drafts


def _whose(intent: Entry) -> Whose:
    return Whose(
        intent.call, intent.parent, intent.actor, intent.session, intent.ability
    )


def _action(before: bytes | None, after: bytes | None) -> str:
    if before is None:
        return "created"
    return "deleted" if after is None else "updated"
