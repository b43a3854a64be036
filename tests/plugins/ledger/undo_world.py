"""What the tests of undo stand in: a pack of notes, a policy, a recording host."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import abilities_ledger
from abilities_host import (
    MISSING,
    Actor,
    Changes,
    Drifted,
    Outcome,
    ProposedWrite,
    RegistryView,
    State,
    Veto,
    hookimpl,
)
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.ledger import Ledger, Listed, Query
from abilities_host.testing import build_host

AGENT = Actor("agent", "agent", frozenset({"read", "notes:write", "ledger:undo"}))
READER = Actor("reader", "agent", frozenset({"read", "ledger:undo"}))
PERSON = Actor(
    "ann",
    "human",
    frozenset({"read", "notes:write", "ledger:undo", "ledger:read-all"}),
)
FORCER = Actor(
    "boss",
    "human",
    frozenset(
        {"read", "notes:write", "ledger:undo", "ledger:read-all", "ledger:force"}
    ),
)

_STRING = {"type": "string"}


class Notes:
    """A pack of notes in memory; a note is a text."""

    name = "notes"

    def __init__(self) -> None:
        self.kept: dict[str, State] = {}
        self.fails_at: str = ""
        self.keeps: str = ""
        self.may: bool = True
        self.asked: list[Any] = []
        self.secrets: set[str] = set()
        self.edit_before_restore: tuple[str, State] | None = None

    # --- the domain ---

    def canonical(self, target: str) -> str:
        return target.lower()

    def is_secret(self, target: str) -> bool:
        return target in self.secrets

    async def capture(self, target: str) -> State:
        return self.kept.get(target, MISSING)

    async def restore(self, target: str, expected: State, state: State) -> None:
        if self.edit_before_restore is not None:
            name, text = self.edit_before_restore
            self.kept[name] = text
            self.edit_before_restore = None
        if target == self.fails_at:
            raise OSError
        current = self.kept.get(target, MISSING)
        if current != expected:
            raise Drifted(current)
        if target != self.keeps:
            self._set(target, state)

    def _set(self, target: str, state: State) -> None:
        if state is MISSING:
            self.kept.pop(target, None)
        else:
            self.kept[target] = state

    # --- the pack ---

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        registry.register_category("notes", label="Notes", description="Notes.")
        registry.register_domain(self)
        one = Changes("notes", targets=lambda arguments: [arguments["id"]])
        two = Changes("notes", targets=lambda a: [a["source"], a["to"]])
        self._register(registry, "put", self.put, one)
        self._register(registry, "drop", self.drop, one)
        self._register(registry, "move", self.move, two)
        self._register(registry, "send", self.send, None)

    def _register(
        self, registry: RegistryView, name: str, work: Any, changes: Changes | None
    ) -> None:
        registry.register_ability(
            f"notes/{name}",
            label=name,
            description=f"Does {name}.",
            category="notes",
            input_schema={"type": "object", "additionalProperties": True},
            execute_callback=work,
            permission_callback=self.permit,
            requires="notes:write",
            changes=changes,
            meta={"annotations": {"readonly": False}},
        )

    def permit(self, arguments: Mapping[str, Any]) -> bool:
        self.asked.append(arguments)
        return self.may

    async def put(self, arguments: Mapping[str, Any]) -> None:
        self.kept[arguments["id"].lower()] = arguments["text"]

    async def drop(self, arguments: Mapping[str, Any]) -> None:
        del self.kept[arguments["id"].lower()]

    async def move(self, arguments: Mapping[str, Any]) -> None:
        self.kept[arguments["to"]] = self.kept.pop(arguments["source"])

    async def send(self) -> str:
        return "sent"


class Policy:
    """A policy that remembers every write, and stops what touches some targets."""

    def __init__(self) -> None:
        self.seen: list[ProposedWrite] = []
        self.keeps: set[str] = set()

    @hookimpl
    def before_write(self, write: ProposedWrite) -> Veto | None:
        self.seen.append(write)
        if any(target.name in self.keeps for target in write.targets):
            return Veto("that note is kept as it is")
        return None


class World:
    """A host with notes, a policy and the ledger."""

    def __init__(self, host: Host, notes: Notes, policy: Policy) -> None:
        self.host = host
        self.notes = notes
        self.policy = policy

    @property
    def ledger(self) -> Ledger:
        return self.host.services.find(Ledger)

    async def run(self, name: str, actor: Actor = AGENT, **arguments: Any) -> Outcome:
        return await self.host.execute(name, arguments, actor=actor)

    async def put(self, id_: str, text: State, actor: Actor = AGENT) -> int:
        """Write a note; give the number of the change."""
        outcome = await self.run("notes/put", actor, id=id_, text=text)
        assert outcome.is_ok, outcome
        return (await self.last()).entry.seq

    async def undo(self, seq: int, actor: Actor = AGENT, **switches: Any) -> Outcome:
        return await self.run("ledger/rollback-change", actor, id=seq, **switches)

    async def last(self) -> Listed:
        page = await self.ledger.list_changes(Query(limit=1))
        return page.entries[0]

    async def listed(self, seq: int) -> Listed:
        found = await self.ledger.get_change(seq)
        assert found is not None
        return found

    async def shown(self) -> list[tuple[str, str, str, bool]]:
        """Give ability, target, action and whether it was undone; oldest first."""
        page = await self.ledger.list_changes(Query(limit=100))
        return [
            (each.entry.ability, each.entry.target, each.entry.action, undone)
            for each in reversed(page.entries)
            for undone in [each.is_rolled_back]
        ]


@asynccontextmanager
async def undoing(folder: Path, config: str = "") -> AsyncIterator[World]:
    notes, policy = Notes(), Policy()
    ledger = Pack(
        "abilities-host/ledger",
        "ledger",
        "0.1.0",
        is_policy=False,
        load=lambda: abilities_ledger,
    )
    packs: list[Pack | tuple[str, Any]] = [
        ledger,
        ("notes", notes),
        ("policy", policy),
    ]
    text = f"[ledger]\nrequired = true\n{config}"
    async with build_host(folder, packs=packs, config=text) as host:
        yield World(host, notes, policy)
