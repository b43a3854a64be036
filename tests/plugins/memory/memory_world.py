"""A host with notes, a policy, the ledger and project memory, and a person, ana."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from accounts.world import CHEAP, SECRET
from plugins.ledger.undo_world import Notes, Policy, World

import abilities_ledger
import abilities_memory
from abilities_host import Actor, Outcome
from abilities_host.accounts import Accounts, Unlocked, keys_beside
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.memory import (
    Guidance,
    ProjectMemory,
    Proposal,
    Rulebook,
)
from abilities_host.storage import Statement
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.testing import build_host

NOTHING: Mapping[str, Any] = {}
WRITER = Actor(
    "agent", "agent", frozenset({"read", "write", "notes:write", "ledger:undo"})
)


class MemoryWorld(World):
    """What a test of memory does most."""

    def __init__(self, host: Host, notes: Notes, policy: Policy) -> None:
        super().__init__(host, notes, policy)
        self.rulebook = host.services.find(Rulebook)

    @property
    def memory(self) -> ProjectMemory:
        return self.host.services.find(ProjectMemory)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any] = NOTHING,
        *,
        actor: Actor = WRITER,
        session: str = "",
    ) -> Outcome:
        return await self.host.execute(
            name, dict(arguments), actor=actor, session=session
        )

    async def told(
        self,
        name: str,
        arguments: Mapping[str, Any] = NOTHING,
        *,
        actor: Actor = WRITER,
    ) -> Any:
        """Call what must succeed; give its result."""
        outcome = await self.call(name, arguments, actor=actor)
        assert outcome.is_ok, outcome
        return outcome.result

    async def ana(self) -> Unlocked:
        """Have the person prove who she is; the account is made the first time."""
        anchor = self.host.loaded.anchor_path
        keys = keys_beside(anchor) if anchor else None
        async with open_sqlite(self.host.loaded.store_path) as store:
            accounts = Accounts(store, cost=CHEAP, keys=keys)
            await accounts.migrate()
            if not await accounts.list():
                await accounts.add("ana", SECRET, by=None)
            return await accounts.unlock("ana", SECRET)

    async def propose(self, text: str, **parts: Any) -> Guidance:
        given = {"type": "guardrail", "topic": "general", "rationale": "Asked for."}
        return await self.memory.propose(
            Proposal(text=text, **{**given, **parts}), by="agent"
        )

    async def approve(self, id_: str) -> Guidance:
        review = await self.memory.review(id_)
        return await self.memory.approve(id_, review.hash, await self.ana())

    async def approved(self, text: str, **parts: Any) -> Guidance:
        return await self.approve((await self.propose(text, **parts)).id)

    async def sql(self, sql: str, **values: Any) -> None:
        """Do what somebody does who can write to the store, and has no secret."""
        async with open_sqlite(self.host.loaded.store_path) as store:
            await store.write([Statement(sql, values)])


def in_tree(name: str, module: Any) -> Pack:
    """A pack that comes with the host."""
    return Pack(
        f"abilities-host/{name}", name, "0.1.0", is_policy=False, load=lambda: module
    )


@asynccontextmanager
async def remembering(
    folder: Path,
    config: str = "",
    *,
    more: Sequence[Pack | tuple[str, Any]] = (),
) -> AsyncIterator[MemoryWorld]:
    notes, policy = Notes(), Policy()
    packs: list[Pack | tuple[str, Any]] = [
        in_tree("ledger", abilities_ledger),
        in_tree("memory", abilities_memory),
        ("notes", notes),
        ("policy", policy),
        *more,
    ]
    text = f"[ledger]\nrequired = true\n{config}"
    async with build_host(folder, packs=packs, config=text) as host:
        yield MemoryWorld(host, notes, policy)
