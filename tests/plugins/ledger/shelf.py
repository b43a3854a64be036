"""What the tests of reading stand in: a real store with entries given in the test."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from abilities_host.ledger import Kind
from abilities_host.storage import Statement
from abilities_host.storage.sqlite import SqliteStore, open_sqlite
from abilities_ledger.book import Book
from abilities_ledger.content import Content, keep
from abilities_ledger.draft import Draft, Whose
from abilities_ledger.tables import MIGRATIONS, OWNER

LIMIT = 1 << 20


class Shelf(NamedTuple):
    """A store with the tables of the record, and its book."""

    store: SqliteStore
    book: Book

    async def undone(self, seq: int, by: int) -> None:
        values = {"seq": seq, "by": by}
        sql = "INSERT INTO ledger_undone (seq, by) VALUES (:seq, :by)"
        await self.store.write([Statement(sql, values)])

    async def verdict(self, call: str, real: str, seq: int) -> None:
        values = {"call": call, "real": real, "seq": seq}
        sql = "INSERT INTO ledger_verdict (call, real, seq) VALUES (:call, :real, :seq)"
        await self.store.write([Statement(sql, values)])

    async def set_time(self, seq: int, at: int) -> None:
        """Set the clock of one entry, as a clock that was set back would."""
        sql = "UPDATE ledger_entry SET at = :at WHERE seq = :seq"
        await self.store.write([Statement(sql, {"seq": seq, "at": at})])

    async def remove_content(self, content: Content) -> None:
        sql = "UPDATE ledger_content SET data = NULL WHERE digest = :digest"
        await self.store.write([Statement(sql, {"digest": content.digest})])


@asynccontextmanager
async def open_shelf(folder: Path) -> AsyncIterator[Shelf]:
    async with open_sqlite(folder / "store.db") as store:
        await store.migrate(OWNER, MIGRATIONS)
        yield Shelf(store, Book(store))


def content_of(state: Any, limit: int = LIMIT) -> Content:
    content = keep(state, limit=limit)
    assert content is not None
    return content


def change(
    call: str = "c1",
    *,
    actor: str = "ann",
    session: str = "s1",
    ability: str = "notes/write",
    target: str = "a",
    **parts: Any,
) -> Draft:
    """Make a change of which a test says only what it is about."""
    given: dict[str, Any] = {
        "kind": "change",
        "is_listed": True,
        "domain": "notes",
        "action": "updated",
        "result": "ok",
        "real": "ok",
    }
    whose = Whose(call, "", actor, session, ability)
    return Draft(**{**given, "whose": whose, "target": target, **parts})


def outcome(call: str = "c1", *, actor: str = "ann", **parts: Any) -> Draft:
    given: dict[str, Any] = {"kind": "outcome", "action": "ran", "result": "ok"}
    whose = Whose(call, "", actor, "s1", "notes/write")
    return Draft(**{**given, "whose": whose, **parts})


def other(kind: Kind, call: str = "c1", **parts: Any) -> Draft:
    whose = Whose(call, "", "ann", "s1", "notes/write")
    return Draft(**{"kind": kind, "whose": whose, **parts})


def numbers(entries: Sequence[Any]) -> list[int]:
    return [each.entry.seq for each in entries]
