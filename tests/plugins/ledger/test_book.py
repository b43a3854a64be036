"""Entries get numbers without gaps, whoever writes them, and all of a step or none."""

import asyncio
import os
import sys
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import pytest
from plugins.ledger.desk import open_book

from abilities_host import MISSING
from abilities_host.storage import Statement, Transaction
from abilities_ledger.book import (
    Begun,
    Book,
    ContentGone,
    Ended,
    Head,
    StoredAlready,
)
from abilities_ledger.chain import first_hash
from abilities_ledger.content import Content, keep
from abilities_ledger.draft import Draft, Whose

LIMIT = 1 << 20
WRITER = """
import asyncio, sys
from pathlib import Path
from plugins.ledger.desk import open_book
from abilities_ledger.draft import Draft, Whose

async def main(folder, name):
    async with open_book(Path(folder)) as book:
        def draft(n):
            return Draft(kind="review", whose=Whose(actor=name), target=str(n))
        for n in range(0, 40, 4):
            await asyncio.gather(*(book.append([draft(n + i)]) for i in range(4)))

asyncio.run(main(*sys.argv[1:]))
"""


def note(target: str, **parts: Any) -> Draft:
    return Draft(kind="review", whose=Whose(actor="ann"), target=target, **parts)


def content(state: Any, limit: int = LIMIT) -> Content:
    kept = keep(state, limit=limit)
    assert kept is not None
    return kept


async def targets(book: Book) -> list[tuple[int, str]]:
    entries = await book.select("ORDER BY seq LIMIT 1000", {})
    return [(entry.seq, entry.target) for entry in entries]


async def totals(book: Book) -> tuple[int, int]:
    [(contents, size)] = await book.store.read(
        "SELECT contents, bytes FROM ledger_total"
    )
    return contents, size


async def test_an_empty_record_starts_from_its_own_id(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        [(record,)] = await book.store.read("SELECT id FROM ledger_total")

        assert await book.head() == Head(0, first_hash(record))
        assert await book.append([]) == []


async def test_numbers_have_no_gaps_and_times_grow(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        numbers = await asyncio.gather(
            *(book.append([note(f"{n}a"), note(f"{n}b")]) for n in range(30))
        )

        assert sorted(chain.from_iterable(numbers)) == list(range(1, 61))
        found = await targets(book)
        for (first, second), n in zip(numbers, range(30), strict=True):
            assert second == first + 1
            assert found[first - 1 : second] == [(first, f"{n}a"), (second, f"{n}b")]
        times = await book.store.read("SELECT at FROM ledger_entry ORDER BY seq")
        assert times == sorted(times)


async def test_processes_share_one_sequence(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        writers = [
            await asyncio.create_subprocess_exec(
                sys.executable, "-c", WRITER, str(tmp_path), name, env=_environment()
            )
            for name in ("one", "two")
        ]
        await asyncio.gather(*(book.append([note(str(n))]) for n in range(40)))

        assert [await writer.wait() for writer in writers] == [0, 0]
        entries = await book.select("ORDER BY seq LIMIT 1000", {})
        assert [entry.seq for entry in entries] == list(range(1, 121))
        for actor in ("ann", "one", "two"):
            own = [int(entry.target) for entry in entries if entry.actor == actor]
            assert sorted(own) == list(range(40))


async def test_listeners_hear_of_each_new_head(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        heard: list[Head] = []
        book.on_append(heard.append)

        await book.append([note("a"), note("b")])
        await book.append([])
        await book.append([note("c")])

        assert [head.seq for head in heard] == [2, 3]
        assert heard[-1] == await book.head()


async def test_a_content_is_stored_once_and_known_by_its_newest_entry(
    tmp_path: Path,
) -> None:
    async with open_book(tmp_path) as book:
        same = content("the same")

        await book.append([note("a", after=same.digest)], [same, same])
        await book.append([note("b"), note("c", before=same.digest)], [same])

        rows = await book.store.read("SELECT digest, last FROM ledger_content")
        assert rows == [(same.digest, 3)]
        assert await totals(book) == (1, len(same.data or b""))
        assert await book.state(same.digest) == "the same"


async def test_what_was_too_large_is_kept_when_the_limit_allows_it(
    tmp_path: Path,
) -> None:
    async with open_book(tmp_path) as book:
        small, large = content("x" * 100, limit=10), content("x" * 100)
        await book.append([note("a")], [small])
        with pytest.raises(ContentGone):
            await book.state(small.digest)

        await book.append([note("b")], [large])
        await book.append([note("c")], [small])

        assert await book.state(small.digest) == "x" * 100
        assert await totals(book) == (1, len(large.data or b""))


async def test_a_state_that_did_not_exist_is_missing(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        assert await book.state(None) is MISSING


async def test_what_fails_in_the_same_step_undoes_all_of_it(tmp_path: Path) -> None:
    def refuse(db: Transaction, seqs: object) -> NoReturn:
        db.execute("INSERT INTO ledger_undone (seq, by) VALUES (1, 1)")
        raise LookupError(seqs)

    async with open_book(tmp_path) as book:
        heard: list[Head] = []
        book.on_append(heard.append)
        [one] = await book.append([note("a")])

        outcomes = await asyncio.gather(
            book.append([note("b")], [content("b")], also=refuse),
            book.append([note("c")]),
            return_exceptions=True,
        )

        assert isinstance(outcomes[0], LookupError)
        assert outcomes[0].args == ([one + 1],)
        assert outcomes[1] == [2]
        assert await targets(book) == [(1, "a"), (2, "c")]
        assert await totals(book) == (0, 0)
        assert await book.store.read("SELECT * FROM ledger_undone") == []
        assert [head.seq for head in heard] == [1, 2]


async def test_a_run_that_has_ended_does_not_end_again_and_hinders_nobody(
    tmp_path: Path,
) -> None:
    async with open_book(tmp_path) as book:
        await book.append([note("a")], run=Begun("one", "host"))
        ended = await asyncio.gather(
            book.append([note("b")], run=Begun("two", "host")),
            book.append([note("c"), note("d")], run=Ended("one")),
            book.append([note("e")], [content("e")], run=Ended("one")),
            book.append([note("f")], run=Begun("three", "host")),
            return_exceptions=True,
        )
        await book.append([note("g")], run=Ended("two", is_lost=True))

        assert [ended[0], ended[1], ended[3]] == [[2], [3, 4], [5]]
        assert isinstance(ended[2], StoredAlready)
        assert [name for _, name in await targets(book)] == [
            "a",
            "b",
            "c",
            "d",
            "f",
            "g",
        ]
        assert await totals(book) == (0, 0)
        runs = "SELECT call, seq, lease, phase FROM ledger_open ORDER BY seq"
        assert await book.store.read(runs) == [
            ("two", 2, "host", "unknown"),
            ("three", 5, "host", "running"),
        ]


async def test_many_contents_at_once_are_each_kept_once(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        every = [content(f"state {n}") for n in range(150)]
        await asyncio.gather(
            *(
                book.append([note(str(n))], [each, every[0]])
                for n, each in enumerate(every)
            )
        )
        await book.append([note("again")], every[:70])

        size = sum(len(each.data or b"") for each in every)
        assert await totals(book) == (150, size)
        last = "SELECT count(*) FROM ledger_content WHERE last = :last"
        assert await book.store.read(last, {"last": 151}) == [(70,)]
        for n in (0, 69, 149):
            assert await book.state(every[n].digest) == f"state {n}"


async def test_who_has_a_content_gives_it_for_those_who_have_its_digest(
    tmp_path: Path,
) -> None:
    async with open_book(tmp_path) as book:
        with_data, without = content("x" * 100), content("x" * 100, limit=10)
        await book.append([note("a")], [without])
        await asyncio.gather(
            book.append([note("b")], [with_data]), book.append([note("c")], [without])
        )

        assert await book.state(without.digest) == "x" * 100
        assert await totals(book) == (1, len(with_data.data or b""))


async def test_a_zero_byte_in_a_target_does_not_end_it(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        await book.append([note("a\0b")])

        assert await targets(book) == [(1, "a\0b")]


async def test_the_order_holds_when_the_clock_is_set_back(tmp_path: Path) -> None:
    async with open_book(tmp_path) as book:
        await book.append([note("a")])
        ahead = "UPDATE ledger_entry SET at = at + 9000000000"
        await book.store.write([Statement(ahead)])

        await book.append([note("b")])

        entries = await book.select("ORDER BY seq LIMIT 9", {})
        assert [entry.target for entry in entries] == ["a", "b"]
        assert entries[0].at > entries[1].at


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
