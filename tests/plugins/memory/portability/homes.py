"""Homes of guidance: a store with a gate and the person ana, and documents to take."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from accounts.world import CHEAP, SECRET, Clock
from plugins.memory.shelves import AT

from abilities_host.accounts import Accounts, Unlocked
from abilities_host.gate import Gate, Seal
from abilities_host.ledger import Ledger
from abilities_host.memory import Guidance, Imported, Topic
from abilities_host.storage.sqlite import SqliteStore, open_sqlite
from abilities_memory.approvals import Approving
from abilities_memory.exporting import export
from abilities_memory.importing import bring_in
from abilities_memory.kind import GuidanceKind
from abilities_memory.shelf import Shelf
from abilities_memory.tables import MIGRATIONS, OWNER

LATER = AT + 1_000_000


class Home(NamedTuple):
    """One host's guidance."""

    store: SqliteStore
    shelf: Shelf
    gate: Gate
    accounts: Accounts

    async def ana(self) -> Unlocked:
        return await self.accounts.unlock("ana", SECRET)

    async def approved(self, id_: str) -> Guidance:
        _, seen = await self.gate.show("guidance", id_)
        await self.gate.approve("guidance", id_, seen, await self.ana())
        return await self.shelf.get(id_)

    async def sealed(self) -> Mapping[str, Seal]:
        return (await self.gate.survey("guidance")).sealed

    async def all(self) -> tuple[Guidance, ...]:
        return (await self.shelf.list(limit=500)).entries

    async def export(self) -> dict[str, Any]:
        return await export(self.shelf, self.gate)

    async def take(self, raw: Any) -> Imported:
        return await bring_in(self.store, raw, by="ana", clock=lambda: LATER)

    async def take_over(
        self,
        raw: Any,
        keys: Mapping[str, bytes] | None = None,
        *,
        human: Unlocked | None = None,
    ) -> Imported:
        """Import with the secret of ana, who trusts her own key, or these."""
        trusted = await self.accounts.public_keys() if keys is None else keys
        approving = Approving(self.gate, human or await self.ana(), trusted)
        return await bring_in(
            self.store, raw, by="ana", clock=lambda: LATER, approving=approving
        )


@asynccontextmanager
async def home(folder: Path) -> AsyncIterator[Home]:
    """Open a home; its clock stands still."""

    def no_ledger() -> Ledger:
        raise LookupError

    async with open_sqlite(folder / "s.db") as store:
        accounts = Accounts(store, cost=CHEAP, clock=Clock(), keys=folder / "s.keys")
        await accounts.migrate()
        if not await accounts.list():
            await accounts.add("ana", SECRET, by=None)
        gate = Gate(
            store,
            accounts,
            find_ledger=no_ledger,
            journal=folder / "s.seals",
            clock=lambda: AT,
        )
        await gate.migrate()
        await store.migrate(OWNER, MIGRATIONS)
        gate.register_kind(GuidanceKind(store))
        yield Home(store, Shelf(store, clock=lambda: AT), gate, accounts)


def entry(id_: str = "gm-001", **parts: Any) -> dict[str, Any]:
    """Write guidance as it is in a document, with no more than has to be there."""
    return {
        "id": id_,
        "type": "guardrail",
        "domain": "checkout",
        "text": f"Text of {id_}.",
        "rationale": "Asked for.",
        **parts,
    }


def document(*entries: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {"guidance": list(entries), **parts}


CHECKOUT = Topic(
    name="checkout",
    state="inactive",
    always_on=True,
    recall=("stripe", "gateway de pagamento"),
    exclude=("docs",),
)
