from pathlib import Path
from typing import Any, cast

import pytest
from plugins.ledger.shelf import (
    Shelf,
    change,
    content_of,
    open_shelf,
    other,
    outcome,
)

from abilities_host import Evaluation, RecordedWrite, Target, Verdict
from abilities_host.ledger import Entry, Query
from abilities_ledger.content import Content
from abilities_ledger.draft import Draft
from abilities_ledger.evaluate import Ask, Evaluator
from abilities_ledger.history import History

NONE = {"ok": 0, "changed": 0, "unchanged": 0, "failed": 0}


def answering(
    *verdicts: str, asked: list[RecordedWrite] | None = None, reason: str = "I looked."
) -> Ask:
    """Make packs that give these verdicts on every write, one each."""

    async def ask(write: RecordedWrite) -> list[tuple[str, Evaluation]]:
        if asked is not None:
            asked.append(write)
        words = [cast("Verdict", each) for each in verdicts]
        return [(f"pack-{word}", Evaluation(word, reason)) for word in words]

    return ask


async def evaluations(shelf: Shelf) -> list[Entry]:
    return await shelf.book.select("WHERE kind = 'evaluation' ORDER BY seq", {})


async def verdicts(shelf: Shelf) -> list[tuple[Any, ...]]:
    return await shelf.store.read("SELECT call, real, seq FROM ledger_verdict")


async def cursor(shelf: Shelf) -> int:
    [(evaluated,)] = await shelf.store.read("SELECT evaluated FROM ledger_total")
    return int(evaluated)


def run(call: str, *, real: str = "", arguments: Content | None = None) -> list[Draft]:
    """Make what one write records."""
    details = {"arguments": arguments.digest.hex() if arguments else None}
    return [
        other("intent", call, details=details),
        change(call, real=real),
        change(call, target="b", real=real),
        outcome(call, real=real),
    ]


async def test_a_write_is_judged_from_its_record(tmp_path: Path) -> None:
    arguments = content_of({"text": "hello"})
    asked: list[RecordedWrite] = []
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append(run("c1", arguments=arguments), [arguments])
        evaluator = Evaluator(answering("failed", asked=asked), shelf.book)
        counts = await evaluator.evaluate()
        [entry] = await evaluations(shelf)
        listed = await History(shelf.book).get_change(2)
        [recorded] = await shelf.book.select("WHERE seq = 4", {})

    assert asked == [
        RecordedWrite(
            call="c1",
            ability="notes/write",
            actor="ann",
            session="s1",
            result="ok",
            arguments={"text": "hello"},
            targets=(Target("notes", "a"), Target("notes", "b")),
            at=recorded.at,
        )
    ]
    assert counts == {**NONE, "failed": 1, "divergences": 1}
    assert (entry.about, entry.real, entry.call, entry.ability) == (
        4,
        "failed",
        "c1",
        "notes/write",
    )
    assert entry.details == {"plugin": "pack-failed", "reason": "I looked."}
    assert listed is not None
    assert (listed.entry.real, listed.real, listed.is_divergent) == ("", "failed", True)


async def test_a_write_is_judged_once(tmp_path: Path) -> None:
    asked: list[RecordedWrite] = []
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append([*run("c1"), *run("c2", real="ok")])
        evaluator = Evaluator(answering("ok", asked=asked), shelf.book)
        first = await evaluator.evaluate()
        await evaluator.go_on(seconds=60)
        second = await evaluator.evaluate()
    assert first == {**NONE, "ok": 2, "divergences": 0}
    assert second == {**NONE, "divergences": 0}
    assert [write.call for write in asked] == ["c1", "c2"]


async def test_of_several_verdicts_the_worst_counts(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append(run("c1"))
        ask = answering("unchanged", "failed", "ok")
        counts = await Evaluator(ask, shelf.book).evaluate()
        entries = await evaluations(shelf)
        found = await verdicts(shelf)
    assert [each.real for each in entries] == ["ok", "unchanged", "failed"]
    assert found == [("c1", "failed", 7)]
    assert counts == {**NONE, "ok": 1, "unchanged": 1, "failed": 1, "divergences": 1}


async def test_without_an_answer_a_write_stays_unjudged(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append(run("c1"))
        counts = await Evaluator(answering(), shelf.book).evaluate()
        entries = await evaluations(shelf)
    assert (counts, entries) == ({**NONE, "divergences": 0}, [])


async def test_a_word_that_is_no_verdict_is_left_out_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append(run("c1"))
        await Evaluator(answering("splendid", "ok"), shelf.book).evaluate()
        entries = await evaluations(shelf)
    assert [each.real for each in entries] == ["ok"]
    assert "pack-splendid judges with an unknown word" in caplog.text


async def test_a_reason_is_short_and_shows_no_password(tmp_path: Path) -> None:
    reason = "http://ann:hunter2@host " + "x" * 1000
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append(run("c1"))
        await Evaluator(answering("ok", reason=reason), shelf.book).evaluate()
        [entry] = await evaluations(shelf)
    kept = entry.details["reason"]
    assert kept.startswith("http://ann:(hidden)@host xxx")
    assert len(kept) <= 401


async def test_only_the_last_end_of_a_run_is_judged(tmp_path: Path) -> None:
    asked: list[RecordedWrite] = []
    async with open_shelf(tmp_path) as shelf:
        ask = answering("ok", asked=asked)
        early = outcome("c1", result="unknown")
        late = outcome("c1", result="unknown", real="changed")
        question = outcome("c2", result="asked")
        await shelf.book.append([early, late, question])
        await Evaluator(ask, shelf.book).evaluate()
        entries = await evaluations(shelf)
        await shelf.book.append([outcome("c1", result="ok")])
        await Evaluator(ask, shelf.book).evaluate()
        later = await evaluations(shelf)
    assert [each.about for each in entries] == [2]
    assert [each.about for each in later] == [2, 5]
    assert [(write.result, write.targets) for write in asked] == [
        ("unknown", ()),
        ("ok", ()),
    ]


@pytest.mark.parametrize(
    "kept", [None, content_of("x" * 99, limit=10)], ids=["none", "not kept"]
)
async def test_arguments_that_are_not_kept_are_none(
    tmp_path: Path, kept: Content | None
) -> None:
    asked: list[RecordedWrite] = []
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append(run("c1", arguments=kept), [kept] if kept else [])
        await shelf.book.append([outcome("no-intent")])
        await Evaluator(answering(asked=asked), shelf.book).evaluate()
    assert [write.arguments for write in asked] == [None, None]


async def test_progress_tells_how_far_it_is(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> None:
        told.append((done, total))

    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append([*run("c1"), *run("c2"), outcome("c3")])
        evaluator = Evaluator(answering("ok"), shelf.book, at_once=4)
        counts = await evaluator.evaluate(tell)
    assert told == [(4, 9), (8, 9), (9, 9)]
    assert counts["ok"] == 3


async def test_a_job_does_a_part_and_goes_on_where_it_ended(tmp_path: Path) -> None:
    asked: list[RecordedWrite] = []
    at: list[int] = []
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append([*run("c1"), *run("c2"), outcome("c3")])
        ask = answering(asked=asked)
        for seconds in (0, 0, 60, 60):
            await Evaluator(ask, shelf.book, at_once=4).go_on(seconds=seconds)
            at.append(await cursor(shelf))
        await shelf.book.append([outcome("c4")])
        await Evaluator(ask, shelf.book, at_once=4).go_on(seconds=60)
    assert at == [4, 8, 9, 9]
    assert [write.call for write in asked] == ["c1", "c2", "c3", "c4"]


async def test_divergences_are_runs_not_entries(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append([*run("c1", real="failed"), *run("c2", real="ok")])
        counts = await Evaluator(answering(), shelf.book).evaluate()
        page = await History(shelf.book).list_changes(Query(result="failed"))
    assert counts["divergences"] == 1
    assert len(page.entries) == 2


async def test_an_evaluation_and_its_verdict_are_one_step(tmp_path: Path) -> None:
    """What fails while it is recorded leaves neither; the next run makes up for it."""
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append(run("c1"))
        await shelf.store.transact(refuse_verdicts)
        with pytest.raises(Exception, match="no verdict now"):
            await Evaluator(answering("ok"), shelf.book).evaluate()
        half = await evaluations(shelf), await verdicts(shelf)
        await shelf.store.transact(allow_verdicts)
        counts = await Evaluator(answering("ok"), shelf.book).evaluate()
    assert half == ([], [])
    assert counts["ok"] == 1


def refuse_verdicts(db: Any) -> None:
    db.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON ledger_verdict "
        "BEGIN SELECT RAISE(ABORT, 'no verdict now'); END"
    )


def allow_verdicts(db: Any) -> None:
    db.execute("DROP TRIGGER refuse")
