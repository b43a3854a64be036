"""Undoing: what an undo would do, whether it may, and how it is done."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from abilities_host import (
    MISSING,
    Call,
    CallError,
    Drifted,
    Restoration,
    RestoresAll,
    Site,
    State,
    Target,
    Undo,
)
from abilities_host.ledger import Entry
from abilities_ledger.book import Book, ContentGone
from abilities_ledger.content import is_same
from abilities_ledger.refused import (
    BlobMissing,
    NotFound,
    NotReversible,
    PartialOnly,
    RollbackFailed,
    TargetDrifted,
    TooLarge,
)
from abilities_ledger.standing import Standing, target_of
from abilities_ledger.states import States

log = logging.getLogger(__name__)

SIZE_FACTOR: Final = 8  # states put back at once, in largest states

_SIZES: Final = "SELECT size FROM ledger_content WHERE digest = :digest"


class Undoing:
    """Plans and performs undos; what may be undone the envelope decides.

    Args:
        site: domains and abilities.
        book: the entries.
        kept: what is kept of states.
    """

    def __init__(self, site: Site, book: Book, kept: States) -> None:
        self._site: Final = site
        self._book: Final = book
        self._standing: Final = Standing(site, book, kept)
        self._limit: Final = site.config.limits.state_bytes * SIZE_FACTOR

    async def plan(self, arguments: Mapping[str, Any], call: Call) -> Undo:
        """Say what undoing a change would do, without doing it.

        Args:
            arguments: ``id``, ``only_target``, ``force`` and ``dry_run``.
            call: the undo's run.

        Returns:
            The undo; the change goes with all others of its run.

        Raises:
            UndoRefused: when there is nothing that could be put back.
        """
        asked = await self._find(arguments["id"], call)
        is_forced = bool(arguments["force"])
        changes = await self._together(asked, only=bool(arguments["only_target"]))
        intent = await self._intent(asked)
        states = await self._states(changes)
        turned = await self._turned_by(asked, changes)
        undoes = [(each.seq, target_of(each)) for each in changes]
        return Undo(
            original=intent.details.get("original") or asked.ability,
            arguments=await self._arguments(intent),
            undoes=(*undoes, *turned["redone"]),
            redoes=tuple(turned["undone"]),
            states=states,
            check=lambda now: self._standing.check(
                changes, states, now, is_forced=is_forced
            ),
            is_forced=is_forced,
            is_dry_run=bool(arguments["dry_run"]),
        )

    async def perform(self, undo: Undo, call: Call) -> dict[str, Any]:
        """Put back what a planned undo names; the targets are locked.

        Args:
            undo: from `plan`, checked.
            call: the undo's run.

        Returns:
            What was done, or would be.

        Raises:
            TargetDrifted: when somebody changed a target just now; nothing was done.
            RollbackFailed: when it failed; says what was done.
        """
        names = [str(target) for target in undo.states]
        if undo.is_dry_run:
            return {"dry_run": True, "targets": names, "left": []}
        for target, (expected, _) in undo.states.items():
            call.made(*target, expected)  # until it is put back
        done: list[str] = []
        for domain, items in _by_domain(undo.states):
            try:
                await self._restore(domain, items, done, call)
            except Drifted as drift:
                if not done:
                    raise TargetDrifted([_drift(domain, items, drift)]) from drift
                raise _failed(names, done, "a target changed meanwhile") from drift
            except Exception as error:
                log.exception("undo of a target in %s failed", domain)
                reason = error.message if isinstance(error, CallError) else "it raised"
                raise _failed(names, done, f"{domain}: {reason}") from error
        left = await self._left(undo, call)
        put_back = [name for name in names if name not in left]
        return {"dry_run": False, "targets": put_back, "left": left}

    async def _left(self, undo: Undo, call: Call) -> list[str]:
        """A domain may leave a target as it is, such as a folder that others use."""
        left = []
        for target, (expected, wanted) in undo.states.items():
            found = await self._site.get_domain(target.domain).capture(target.name)
            if is_same(found, wanted):
                continue
            left.append(str(target))
            if is_same(found, expected):
                call.made(*target, expected)  # nothing was done to it
        return left

    async def _restore(
        self, domain: str, items: Sequence[Restoration], done: list[str], call: Call
    ) -> None:
        found = self._site.get_domain(domain)
        parts = [items] if isinstance(found, RestoresAll) else [[i] for i in items]
        for part in parts:
            if isinstance(found, RestoresAll):
                await found.restore_all(part)
            else:
                [item] = part
                await found.restore(item.target, item.expected, item.state)
            for item in part:
                call.made(domain, item.target, item.state)
                done.append(f"{domain}:{item.target}")

    # --- what is undone -------------------------------------------------------

    async def _find(self, seq: int, call: Call) -> Entry:
        found = await self._book.select("WHERE seq = :seq", {"seq": seq})
        if not found or not _may_see(found[0], call):
            raise NotFound(seq)
        entry = found[0]
        if entry.kind != "change":
            raise NotReversible(seq, _why_not(entry))
        if entry.partial == "foreign":
            raise NotReversible(seq, "somebody else made that change, not this host")
        await self._standing.check_in_force(entry)
        return entry

    async def _together(self, asked: Entry, *, only: bool) -> list[Entry]:
        """A move has two targets, a folder many: half of them is no undo."""
        if only:
            return [asked]
        entries = await self._book.of_call(asked.call)
        return [
            each
            for each in entries
            if each.kind == "change"
            and each.partial != "foreign"
            and not await self._standing.is_undone(each)
        ]

    async def _intent(self, entry: Entry) -> Entry:
        entries = await self._book.of_call(entry.call)
        for each in entries:
            if each.kind == "intent":
                return each
        raise NotReversible(entry.seq, "the intent of its run is no longer kept")

    async def _arguments(self, intent: Entry) -> Any:
        digest = intent.details.get("original_arguments") or intent.details["arguments"]
        if digest is None:
            return None
        try:
            return await self._book.state(bytes.fromhex(digest))
        except ContentGone:
            return None

    async def _turned_by(
        self, asked: Entry, changes: Sequence[Entry]
    ) -> dict[str, list[tuple[int, Target]]]:
        """Undoing an undo turns back all it did: what it undid comes back.

        What it brought back, having undone an undo itself, is undone once more.
        """
        targets = {target_of(each) for each in changes}
        found: dict[str, list[tuple[int, Target]]] = {"undone": [], "redone": []}
        for each in await self._book.of_call(asked.call):
            is_one = each.kind == "rollback" and target_of(each) in targets
            if is_one and each.about is not None:
                found[each.action].append((each.about, target_of(each)))
        return found

    # --- states ---------------------------------------------------------------

    async def _states(
        self, changes: Sequence[Entry]
    ) -> dict[Target, tuple[State, State]]:
        for each in changes:
            if each.partial:
                raise PartialOnly(each.seq, str(target_of(each)), each.partial)
        await self._check_size(changes)
        states = {}
        for each in changes:
            try:
                expected = await self._book.state(each.after)
                restored = await self._book.state(each.before)
            except ContentGone:
                raise BlobMissing(each.seq, str(target_of(each))) from None
            states[target_of(each)] = (expected, restored)
        return states

    async def _check_size(self, changes: Sequence[Entry]) -> None:
        total = 0
        for each in changes:
            for digest in (each.before, each.after):
                rows = await self._book.store.read(_SIZES, {"digest": digest})
                total += rows[0][0] if rows else 0
        if total > self._limit:
            raise TooLarge(changes[0].seq, total, self._limit)


def _failed(names: list[str], done: list[str], why: str) -> RollbackFailed:
    return RollbackFailed(done, [name for name in names if name not in done], why)


def _may_see(entry: Entry, call: Call) -> bool:
    return entry.actor == call.actor.id or call.actor.may("ledger:read-all")


def _why_not(entry: Entry) -> str:
    if entry.kind == "outcome":
        return "the host cannot read what that ability changes"
    return f"it is no change of a target, but of kind {entry.kind!r}"


def _by_domain(
    states: Mapping[Target, tuple[State, State]],
) -> list[tuple[str, list[Restoration]]]:
    """Make what is made from the outside in, then remove from the inside out."""
    found: dict[str, list[Restoration]] = {}
    made = sorted(t for t, (_, back) in states.items() if back is not MISSING)
    gone = sorted((t for t, (_, back) in states.items() if back is MISSING))[::-1]
    for target in (*made, *gone):
        expected, back = states[target]
        item = Restoration(target.name, expected, back)
        found.setdefault(target.domain, []).append(item)
    return list(found.items())


def _drift(
    domain: str, items: Sequence[Restoration], drift: Drifted
) -> Mapping[str, Any]:
    names = [item.target for item in items]
    return {"target": f"{domain}:{names[0]}", "note": str(drift)}
