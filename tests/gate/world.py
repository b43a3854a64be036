"""A gate over a real store, with accounts that cost little and notes as its kind."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

from accounts.world import CHEAP, SECRET, Clock

from abilities_host.accounts import Accounts, Unlocked
from abilities_host.errors import CallError
from abilities_host.gate import Gate, Waiting
from abilities_host.ledger import Ledger
from abilities_host.storage import Migration, Statement, Transaction
from abilities_host.storage.sqlite import SqliteStore, open_sqlite

AT = 1_800_000_000_000_000
TABLE = Migration(
    "0001", ("CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT, state TEXT)",)
)
READ = "SELECT text, state FROM note WHERE id = :id"


class Notes:
    """Notes that are drafts until they are on."""

    name = "note"

    def __init__(self, store: SqliteStore) -> None:
        self.store = store

    def canonical(self, changing: Transaction, id_: str) -> bytes:
        return self._find(changing, id_)[0].encode()

    def approve(
        self, changing: Transaction, id_: str, *, by: str, at: int
    ) -> tuple[str, ...]:
        text, state = self._find(changing, id_)
        self._set(changing, id_, "draft", state, "on")
        old = text.removeprefix("instead of ")
        if old == text:
            return ()
        self.withdraw(changing, old, by=by, at=at)
        return (old,)

    def withdraw(self, changing: Transaction, id_: str, *, by: str, at: int) -> None:
        self._set(changing, id_, "on", self._find(changing, id_)[1], "off")

    def reject(self, changing: Transaction, id_: str, *, by: str, at: int) -> None:
        self._set(changing, id_, "draft", self._find(changing, id_)[1], "off")

    def binds(self, canonical: bytes) -> bool:
        return canonical.startswith(b"never")

    async def waiting(self) -> list[Waiting]:
        sql = "SELECT id, text FROM note WHERE state = 'draft' ORDER BY id"
        rows = await self.store.read(sql)
        return [Waiting(id_, text, "agent", AT) for id_, text in rows]

    async def effective(self) -> list[tuple[str, bytes]]:
        sql = "SELECT id, text FROM note WHERE state = 'on' ORDER BY id"
        return [(id_, text.encode()) for id_, text in await self.store.read(sql)]

    def _find(self, changing: Transaction, id_: str) -> tuple[str, str]:
        for text, state in changing.execute(READ, {"id": id_}):
            return text, state
        raise CallError("There is no such note.")

    def _set(
        self, changing: Transaction, id_: str, needed: str, state: str, new: str
    ) -> None:
        if state != needed:
            raise CallError(f"The note is {state}.")
        sql = "UPDATE note SET state = :state WHERE id = :id"
        changing.execute(sql, {"id": id_, "state": new})


class Noted(NamedTuple):
    """What the record of writes was told."""

    kind: str
    actor: str
    action: str
    target: str
    details: Mapping[str, Any]


class Record:
    """The one thing that the gate asks of a record of writes."""

    def __init__(self) -> None:
        self.noted: list[Noted] = []

    async def note(
        self,
        kind: str,
        *,
        actor: str,
        action: str,
        target: str = "",
        session: str = "",
        details: Mapping[str, Any] | None = None,
    ) -> int:
        self.noted.append(Noted(kind, actor, action, target, details or {}))
        return len(self.noted)


class World(NamedTuple):
    store: SqliteStore
    accounts: Accounts
    gate: Gate
    record: Record
    keys: Path

    async def sql(self, sql: str, **values: Any) -> None:
        """Do what somebody does who can write to the store, and has no secret."""
        await self.store.write([Statement(sql, values)])

    async def draft(self, id_: str, text: str) -> str:
        await self.sql(
            "INSERT INTO note VALUES (:id, :text, 'draft')", id=id_, text=text
        )
        _, seen = await self.gate.show("note", id_)
        return seen

    async def ana(self) -> Unlocked:
        return await self.accounts.unlock("ana", SECRET)


@asynccontextmanager
async def opened_gate(folder: Path, *, has_record: bool = True) -> AsyncIterator[World]:
    """Open a gate for notes; there is the account ana."""
    record, keys = Record(), folder / "outside" / "s.keys"

    def find_ledger() -> Ledger:
        if not has_record:
            raise LookupError
        return cast("Ledger", record)

    async with open_sqlite(folder / "s.db") as store:
        accounts = Accounts(store, cost=CHEAP, clock=Clock(), keys=keys)
        await accounts.migrate()
        await accounts.add("ana", SECRET, by=None)
        gate = Gate(
            store,
            accounts,
            find_ledger=find_ledger,
            journal=folder / "outside" / "s.seals" if has_record else None,
            clock=lambda: AT,
        )
        await gate.migrate()
        await store.migrate("notes", (TABLE,))
        gate.register_kind(Notes(store))
        yield World(store, accounts, gate, record, keys)
