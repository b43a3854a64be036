"""A host whose files are guarded by approved rules, with ways to try them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from plugins.memory.memory_world import MemoryWorld, in_tree, remembering

import abilities_dispatcher
import abilities_files
import abilities_memory_enforcer
from abilities_host import (
    Actor,
    Call,
    Changes,
    Outcome,
    RegistryView,
    Site,
    hookimpl,
    run_in_thread,
)
from abilities_host.gate import Gate
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.ledger import Ledger, Query
from abilities_host.memory import Guidance
from abilities_memory_enforcer.opening import open_enforcer

AGENT = Actor(
    "agent", "agent", frozenset({"read", "write", "notes:write", "ledger:undo"})
)
OTHER = Actor("other", "agent", AGENT.scopes)
RULE: Mapping[str, Any] = {
    "domain": "files",
    "targets": ["config/**"],
    "effect": "deny",
}
_ANY = {"type": "object", "additionalProperties": True}


class Late:
    """A pack that names what it changes late, or leaves the change to another."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        registry.register_category("late", label="Late", description="Late.")
        for name, work, changes in (
            ("touch", self.touch, Changes("files")),
            ("create", self.create, Changes("files")),
            ("nest", self.nest, None),
        ):
            registry.register_ability(
                f"late/{name}",
                label=name,
                description=f"Does {name}.",
                category="late",
                input_schema=_ANY,
                execute_callback=work,
                permission_callback=lambda: True,
                changes=changes,
                meta={"annotations": {"readonly": False}},
            )

    async def touch(self, arguments: Mapping[str, Any], call: Call) -> None:
        for path in arguments["paths"]:
            await call.touch("files", path)
            await run_in_thread(partial((self._root / path).write_text, "late"))

    async def create(self, arguments: Mapping[str, Any], call: Call) -> None:
        await call.created("files", arguments["path"])

    async def nest(self, arguments: Mapping[str, Any], call: Call) -> Any:
        outcome = await call.execute(arguments["name"], arguments["arguments"])
        return {"code": outcome.code, "text": str(outcome.error or "")}


class Guarded:
    """What a test of the enforcer does most."""

    def __init__(self, world: MemoryWorld, root: Path, clock: "Clock") -> None:
        self.world = world
        self.root = root
        self.clock = clock

    @property
    def host(self) -> Host:
        return self.world.host

    @property
    def gate(self) -> Gate:
        return self.host.services.find(Gate)

    async def guard(self, text: str = "Leave it.", **rule: Any) -> Guidance:
        """Approve a guardrail; what is not said of its rule is as in `RULE`."""
        return await self.world.approved(text, rule={**RULE, **rule})

    async def run(
        self, name: str, actor: Actor = AGENT, /, **arguments: Any
    ) -> Outcome:
        return await self.host.execute(name, arguments, actor=actor)

    async def write(
        self, path: str, text: str = "new", actor: Actor = AGENT
    ) -> Outcome:
        return await self.run("files/write", actor, path=path, text=text)

    async def approve(self, ticket: str) -> None:
        _, seen = await self.gate.show("write", ticket)
        await self.gate.approve("write", ticket, seen, await self.world.ana())

    async def noted(self, action: str) -> list[tuple[str, str, Mapping[str, Any]]]:
        """Give actor, target and details of what was noted, in order."""
        ledger = self.host.services.find(Ledger)
        return [
            (entry["actor"], entry["target"], entry["details"])
            async for entry in ledger.export()
            if entry["kind"] == "review" and entry["action"] == action
        ]

    async def last(self) -> int:
        ledger = self.host.services.find(Ledger)
        page = await ledger.list_changes(Query(limit=1))
        return page.entries[0].entry.seq

    def content(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")


class Clock:
    """Microseconds since 1970, as a test says."""

    def __init__(self) -> None:
        self.now = 1_800_000_000_000_000

    def __call__(self) -> int:
        return self.now


def enforcer(clock: Clock) -> Pack:
    """The pack as the host finds it, in the group of policies, with another clock."""

    @hookimpl
    def open_pack(site: Site) -> AbstractAsyncContextManager[None]:
        return open_enforcer(site, clock)

    hooks = {**vars(abilities_memory_enforcer), "open_pack": open_pack}
    return Pack(
        "abilities-host/memory_enforcer",
        "memory_enforcer",
        "0.1.0",
        is_policy=True,
        load=lambda: SimpleNamespace(**hooks),
    )


def lay_out(folder: Path) -> Path:
    root = folder / "content"
    (root / "config").mkdir(parents=True, exist_ok=True)
    (root / "config" / "app.toml").write_text("old")
    (root / "free.txt").write_text("old")
    return root


@asynccontextmanager
async def guarded(
    folder: Path,
    config: str = "",
    *,
    more: Sequence[Pack | tuple[str, Any]] = (),
) -> AsyncIterator[Guarded]:
    """Start a host in which ``config/app.toml`` and ``free.txt`` hold ``old``."""
    root, clock = lay_out(folder), Clock()
    packs: list[Pack | tuple[str, Any]] = [
        in_tree("files", abilities_files),
        in_tree("dispatcher", abilities_dispatcher),
        enforcer(clock),
        ("late", Late(root)),
        *more,
    ]
    async with remembering(folder, config, more=packs) as world:
        yield Guarded(world, root, clock)
