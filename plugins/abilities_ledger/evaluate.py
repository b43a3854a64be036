"""Evaluate: writes judged by other packs, at once or long after they ran."""

import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from abilities_host import Evaluation, RecordedWrite, Target, Verdict, masked
from abilities_host.ledger import Entry, Progress
from abilities_host.storage import Statement, Transaction
from abilities_ledger.book import Book, ContentGone
from abilities_ledger.draft import Draft, Whose
from abilities_ledger.filters import REAL

log = logging.getLogger(__name__)

AT_ONCE: Final = 500  # entries that one step looks through
REASON_LIMIT: Final = 400

# The last evaluation of a run is what counts: of several at once, the worst.
_SEVERITY: Final[tuple[Verdict, ...]] = ("ok", "changed", "unchanged", "failed")
_UNJUDGED: Final = """
WHERE kind = 'outcome' AND result <> 'asked' AND seq > :after AND seq <= :through
AND NOT EXISTS (
    SELECT 1 FROM ledger_verdict v
    WHERE v.call = ledger_entry.call AND v.seq > ledger_entry.seq)
ORDER BY seq LIMIT 10000
"""
_DIVERGENCES: Final = f"""
SELECT count(DISTINCT e.call) FROM ledger_entry e
LEFT JOIN ledger_verdict v ON v.call = e.call
WHERE e.listed = 1 AND {REAL} <> '' AND {REAL} <> e.result
"""  # noqa: S608 - constants
_REMEMBER: Final = (
    "INSERT INTO ledger_verdict (call, real, seq) VALUES (:call, :real, :seq) "
    "ON CONFLICT (call) DO UPDATE SET real = excluded.real, seq = excluded.seq"
)
_CURSOR: Final = "SELECT evaluated FROM ledger_total"
_ADVANCE: Final = "UPDATE ledger_total SET evaluated = :through"

Answer = tuple[str, Evaluation]
Ask = Callable[[RecordedWrite], Awaitable[list[Answer]]]


class Evaluator:
    """Has the writes of a record judged.

    Args:
        ask: asks every pack what came of a write.
        book: the entries.
        at_once: how many entries one step looks through.
    """

    def __init__(self, ask: Ask, book: Book, *, at_once: int = AT_ONCE) -> None:
        self._ask: Final = ask
        self._book: Final = book
        self._at_once: Final = at_once

    async def evaluate(self, progress: Progress | None = None) -> Mapping[str, int]:
        """Have every write judged that nobody has judged; see `Ledger.evaluate`.

        Args:
            progress: told how far it is.

        Returns:
            Verdict to number of new evaluations, and ``divergences``: how many runs in
            the whole record said of themselves what was not so.
        """
        head = (await self._book.head()).seq
        counts: Counter[str] = Counter()
        for after in range(0, head, self._at_once):
            through = min(after + self._at_once, head)
            counts.update(await self._step(after, through))
            if progress is not None:
                progress(through, head)
        [(divergences,)] = await self._book.store.read(_DIVERGENCES)
        verdicts: dict[str, int] = {verdict: counts[verdict] for verdict in _SEVERITY}
        return {**verdicts, "divergences": divergences}

    async def go_on(self, *, seconds: float) -> None:
        """Have new writes judged, each once, from where this ended before.

        Args:
            seconds: after which no further step begins; the next run goes on.
        """
        ends = time.monotonic() + seconds
        [(after,)] = await self._book.store.read(_CURSOR)
        head = (await self._book.head()).seq
        while after < head:
            through = min(after + self._at_once, head)
            await self._step(after, through)
            advance = Statement(_ADVANCE, {"through": through})
            await self._book.store.write([advance])
            after = through
            if time.monotonic() >= ends:
                return

    async def _step(self, after: int, through: int) -> list[str]:
        """Judge the runs that ended between two numbers; give the new verdicts."""
        values = {"after": after, "through": through}
        verdicts: list[str] = []
        for outcome in await self._book.select(_UNJUDGED, values):
            verdicts += await self._judge(outcome)
        return verdicts

    async def _judge(self, outcome: Entry) -> list[str]:
        entries = await self._book.of_call(outcome.call)
        last = max(each.seq for each in entries if each.kind == "outcome")
        if last != outcome.seq:
            return []  # a later end of the same run has more to say
        write = await self._write_of(outcome, entries)
        answers = sorted(_usable(await self._ask(write)), key=_severity)
        drafts = [_draft(outcome, pack, each) for pack, each in answers]
        if drafts:
            remember = partial(_remember, outcome.call, drafts[-1].real)
            await self._book.append(drafts, also=remember)
        return [each.real for each in drafts]

    async def _write_of(
        self, outcome: Entry, entries: Sequence[Entry]
    ) -> RecordedWrite:
        changes = [each for each in entries if each.kind == "change"]
        targets = dict.fromkeys(Target(each.domain, each.target) for each in changes)
        return RecordedWrite(
            call=outcome.call,
            ability=outcome.ability,
            actor=outcome.actor,
            session=outcome.session,
            result=outcome.result,
            arguments=await self._arguments(entries),
            targets=tuple(targets),
            at=outcome.at,
        )

    async def _arguments(self, entries: Sequence[Entry]) -> Any:
        """Read what it was called with; None when it was nothing, or is not kept."""
        intents = (each.details for each in entries if each.kind == "intent")
        digest = next(intents, {}).get("arguments")
        try:
            return await self._book.state(bytes.fromhex(digest)) if digest else None
        except ContentGone:
            return None


def _usable(answers: Sequence[Answer]) -> list[Answer]:
    """Leave out what a pack made up, and say so."""
    usable = [each for each in answers if each[1].result in _SEVERITY]
    for pack, evaluation in answers:
        if evaluation.result not in _SEVERITY:
            log.warning("%s judges with an unknown word; see Evaluation", pack)
    return usable


def _severity(answer: Answer) -> int:
    return _SEVERITY.index(answer[1].result)


def _draft(outcome: Entry, pack: str, evaluation: Evaluation) -> Draft:
    return Draft(
        kind="evaluation",
        whose=Whose(
            outcome.call,
            outcome.parent,
            outcome.actor,
            outcome.session,
            outcome.ability,
        ),
        action="judged",
        real=evaluation.result,
        about=outcome.seq,
        details={
            "plugin": pack,
            "reason": masked(str(evaluation.reason)[:REASON_LIMIT]),
        },
    )


def _remember(call: str, real: str, db: Transaction, seqs: Sequence[int]) -> None:
    db.execute(_REMEMBER, {"call": call, "real": real, "seq": seqs[-1]})
