"""Recorder: turns the steps of a write into entries."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple

from abilities_host import MISSING, Call, Change, Outcome, State, Target, masked
from abilities_host.storage import Transaction
from abilities_ledger.book import Begun, Book, Ended, StoredAlready
from abilities_ledger.content import INLINE, Content
from abilities_ledger.draft import Draft, Whose, of_call
from abilities_ledger.keeping import remove_content
from abilities_ledger.refusals import Refusals
from abilities_ledger.retention import Retention
from abilities_ledger.states import NOTHING, Kept, States
from abilities_ledger.verdict import judge, nominal

VERIFIED_LIMIT: Final = 4000  # characters of what `verify_callback` read

_UNDONE: Final = (
    "INSERT INTO ledger_undone (seq, by) VALUES (:seq, :by) "
    "ON CONFLICT (seq) DO UPDATE SET by = excluded.by"
)
_REDONE: Final = "DELETE FROM ledger_undone WHERE seq = :seq"


class LedgerRecorder:
    """Keeps the record of writes for the envelope; a `Recorder`.

    Args:
        book: where entries go.
        states: what is kept of states.
        refusals: counts denials and vetoes.
        retention: says whether there is room.
        lease: of this host.
    """

    def __init__(
        self,
        book: Book,
        *,
        states: States,
        refusals: Refusals,
        retention: Retention,
        lease: str,
    ) -> None:
        self._book: Final = book
        self._states: Final = states
        self._refusals: Final = refusals
        self._retention: Final = retention
        self._lease: Final = lease
        # Of the writes under way: their states before are not looked at twice.
        self._known: Final[dict[str, dict[Target, tuple[State, Kept]]]] = {}

    async def intent(self, call: Call, before: Mapping[Target, State]) -> None:
        """Record that a write is about to run; see `Recorder.intent`."""
        await self._retention.check_room(call.actor.id)
        states = await self._states.keep([*before.items()])
        kept = dict(zip(before, states, strict=True))
        await self._intend(call, before, kept)
        known = {target: (before[target], each) for target, each in kept.items()}
        self._known[call.id] = {
            t: each for t, each in known.items() if _is_small(each[1])
        }

    async def _intend(
        self, call: Call, before: Mapping[Target, State], kept: Mapping[Target, Kept]
    ) -> None:
        arguments = await self._states.arguments(
            call.ability, call.arguments, is_secret=self._states.has_secret(before)
        )
        undone = call.undo.arguments if call.undo else None
        original = await self._states.arguments(call.ability, undone)
        details = {
            **_details(call, kept),
            "lease": self._lease,
            "arguments": _hex(arguments),
            "original_arguments": _hex(original),
        }
        draft = Draft(
            kind="intent", whose=of_call(call), **_single(kept), details=details
        )
        contents = [each for each in (arguments, original) if each]
        contents += _contents(kept.values())
        await self._book.append([draft], contents, run=Begun(call.id, self._lease))

    async def before(self, call: Call, target: Target, state: State) -> None:
        """Record one more target, before it is changed; see `Recorder.before`."""
        [kept] = await self._states.keep([(target, state)])
        draft = Draft(
            kind="touch",
            whose=of_call(call),
            domain=target.domain,
            target=target.name,
            partial=kept.partial,
            before=kept.digest,
        )
        hides = None
        if self._states.has_secret([target]):  # what is written may stand in them
            arguments = await self._states.arguments(call.ability, call.arguments)
            hides = partial(_hide, arguments)
        await self._book.append([draft], _contents([kept]), also=hides)

    async def outcome(self, call: Call, outcome: Outcome) -> None:
        """Record how a write ended, and what changed; see `Recorder.outcome`."""
        changes = outcome.changes
        states = [(each.target, each.before) for each in changes]
        states += [(each.target, each.after) for each in changes]
        kept = await self._states.keep(states, self._known.pop(call.id, NOTHING))
        before, after = kept[: len(changes)], kept[len(changes) :]
        said = Said(of_call(call), nominal(outcome), judge(call, outcome))
        drafts = [
            draft_change(said, change, old, new)
            for change, old, new in zip(changes, before, after, strict=True)
        ]
        rollbacks = _rollbacks(call, changes)
        drafts += [_outcome(said, call, outcome), *rollbacks]
        also = partial(mark_rollbacks, drafts) if rollbacks else None
        # A thread that did not return keeps its run open.
        run = Ended(call.id, is_lost="thread_lost" in outcome.flags)
        # Who gave up waiting tries again, and the first try may have been stored.
        with suppress(StoredAlready):
            await self._book.append(drafts, _contents(kept), run=run, also=also)

    async def refusal(self, call: Call, outcome: Outcome) -> None:
        """Record a denial or veto, or count it; see `Recorder.refusal`."""
        await self._refusals.note(call, outcome)


def _details(call: Call, kept: Mapping[Target, Kept]) -> dict[str, Any]:
    undo = call.undo
    return {
        "actor_kind": call.actor.kind,
        "client": call.client,
        "server": call.server,
        "via": call.via,
        "targets": [_shown(target, each) for target, each in kept.items()],
        "undoes": [entry for entry, _ in undo.undoes] if undo else [],
        "redoes": [entry for entry, _ in undo.redoes] if undo else [],
        "original": undo.original if undo else "",
        "forced": undo is not None and undo.is_forced,
    }


def _hex(content: Content | None) -> str | None:
    return content.digest.hex() if content else None


class Said(NamedTuple):
    """What all entries of one ending say.

    Attributes:
        whose: whose call it was.
        result: the run's own word.
        real: what the facts say, empty when nobody can.
    """

    whose: Whose
    result: str
    real: str


def draft_change(said: Said, change: Change, before: Kept, after: Kept) -> Draft:
    """Make the entry of one change.

    Args:
        said: what the ending says.
        change: target and states.
        before: what is kept of the state before.
        after: what is kept of the state after.

    Returns:
        The draft; it is partial when an undo could not put all of it back.
    """
    is_foreign = "foreign" if change.is_foreign else ""
    return Draft(
        kind="change",
        whose=said.whose,
        is_listed=True,
        domain=change.target.domain,
        target=change.target.name,
        action=action_of(change),
        result=said.result,
        real=said.real,
        partial=is_foreign or before.partial or after.partial,
        before=before.digest,
        after=after.digest,
        details={"before_bytes": before.size, "after_bytes": after.size},
    )


def _outcome(said: Said, call: Call, outcome: Outcome) -> Draft:
    is_own = call.ability.namespace == "ledger"
    may_have_done = not is_own and outcome.status not in ("refused", "input_required")
    is_over = "thread_lost" not in outcome.flags  # its second outcome is listed
    return Draft(
        kind="outcome",
        whose=said.whose,
        is_listed=not outcome.changes and may_have_done and is_over,
        action="ran",
        result=said.result,
        real=said.real,
        details={
            "status": outcome.status,
            "code": outcome.code,
            "flags": sorted(outcome.flags),
            "verified": _verified(outcome),
            "changes": len(outcome.changes),
        },
    )


def action_of(change: Change) -> str:
    """Say in one word what happened to a target."""
    if change.before is MISSING:
        return "created"
    return "deleted" if change.after is MISSING else "updated"


def _rollbacks(call: Call, changes: Sequence[Change]) -> list[Draft]:
    """One for each entry that this undo really put back, or brought back."""
    undo = call.undo
    if undo is None or undo.is_dry_run:
        return []
    changed = {change.target for change in changes if not change.is_foreign}
    found = [("undone", *each) for each in undo.undoes]
    found += [("redone", *each) for each in undo.redoes]
    return [
        draft_rollback(of_call(call), action, entry, target, is_forced=undo.is_forced)
        for action, entry, target in found
        if target in changed
    ]


def draft_rollback(
    whose: Whose, action: str, about: int, target: Target, *, is_forced: bool
) -> Draft:
    """Make the entry that says of another that it was undone, or came back.

    Args:
        whose: whose call did it.
        action: ``undone`` or ``redone``.
        about: number of the change.
        target: of the change.
        is_forced: whatever was there then.

    Returns:
        The draft; `mark_rollbacks` keeps what it says.
    """
    return Draft(
        kind="rollback",
        whose=whose,
        domain=target.domain,
        target=target.name,
        action=action,
        about=about,
        details={"forced": is_forced},
    )


def mark_rollbacks(
    drafts: Sequence[Draft], db: Transaction, seqs: Sequence[int]
) -> None:
    """Keep which changes are undone now, in the transaction that says so.

    Args:
        drafts: some of them may be rollbacks.
        db: the transaction.
        seqs: numbers of the drafts.
    """
    for draft, seq in zip(drafts, seqs, strict=True):
        if draft.kind == "rollback" and draft.action == "undone":
            db.execute(_UNDONE, {"seq": draft.about, "by": seq})
        elif draft.kind == "rollback":
            db.execute(_REDONE, {"seq": draft.about})


def _is_small(kept: Kept) -> bool:
    """A large state is rather read again than held until the write has ended."""
    return kept.size is None or kept.size < INLINE


def _hide(arguments: Content | None, db: Transaction, _: Sequence[int]) -> None:
    if arguments is not None:
        remove_content(db, arguments.digest)


def _single(kept: Mapping[Target, Kept]) -> dict[str, Any]:
    """The one target of a write stands in the columns, for those who search."""
    if len(kept) != 1:
        return {}
    [(target, each)] = kept.items()
    return {
        "domain": target.domain,
        "target": target.name,
        "before": each.digest,
        "partial": each.partial,
    }


def _shown(target: Target, kept: Kept) -> list[Any]:
    digest = kept.digest.hex() if kept.digest else None
    return [target.domain, target.name, digest, kept.partial]


def _contents(kept: Iterable[Kept]) -> list[Content]:
    return [each.content for each in kept if each.content]


def _verified(outcome: Outcome) -> Any:
    facts = masked(outcome.verified)
    return facts if len(str(facts)) <= VERIFIED_LIMIT else "(too long)"
