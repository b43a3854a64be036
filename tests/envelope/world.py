"""A small world for the envelope: notes, a pack that reports every step, a host."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from abilities_host import (
    MISSING,
    Actor,
    Call,
    Changes,
    Drifted,
    Outcome,
    ProposedWrite,
    RegistryView,
    State,
    Target,
    Veto,
    hookimpl,
)
from abilities_host.calls import Ask
from abilities_host.config import LoadedConfig, load_config
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.host import Host
from abilities_host.opening import open_host
from abilities_host.threads import run_in_thread

ACTOR = Actor("ann", "human", frozenset({"read", "write"}))

SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "text": {"type": "string"}},
    "required": ["id"],
}
READ = {"annotations": {"readonly": True}}


class Notes:
    """A domain in memory that reports when it is read."""

    name = "notes"

    def __init__(self, events: list[str]) -> None:
        self.events = events
        self.kept: dict[str, str] = {}
        self.is_broken = False
        self.gate: asyncio.Event | None = None
        self.waiting = asyncio.Event()

    def canonical(self, target: str) -> str:
        if not target:
            msg = "a note has an id"
            raise ValueError(msg)
        return target.lower()

    async def capture(self, target: str) -> State:
        self.events.append(f"capture {target}={self.kept.get(target, '-')}")
        if self.gate is not None:
            self.waiting.set()
            await self.gate.wait()
        if self.is_broken:
            raise OSError
        return self.kept.get(target, MISSING)

    async def restore(self, target: str, expected: State, state: State) -> None:
        current = self.kept.get(target, MISSING)
        if current != expected:
            raise Drifted(current)
        self.kept[target] = state


class Record:
    """A recorder that keeps events; it fails where it is told to."""

    def __init__(self, events: list[str]) -> None:
        self.events = events
        self.outcomes: list[Outcome] = []
        self.fails_at: set[str] = set()
        self.gates: dict[str, asyncio.Event] = {}
        self.reached: dict[str, asyncio.Event] = {}

    async def _keep(self, step: str, event: str) -> None:
        if step in self.gates:
            self.reached[step].set()
            await self.gates[step].wait()
        if step in self.fails_at:
            raise OSError
        self.events.append(event)

    def hold(self, step: str) -> None:
        self.gates[step], self.reached[step] = asyncio.Event(), asyncio.Event()

    async def intent(self, call: Call, before: Mapping[Target, State]) -> None:
        await self._keep("intent", f"intent {call.ability.name}")

    async def before(self, call: Call, target: Target, state: State) -> None:
        await self._keep("before", f"before {target.name}={state}")

    async def outcome(self, call: Call, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        changes = ",".join(str(change.target.name) for change in outcome.changes)
        await self._keep(
            "outcome", f"outcome {call.ability.name} {outcome.status} [{changes}]"
        )

    async def refusal(self, call: Call, outcome: Outcome) -> None:
        await self._keep("refusal", f"refusal {call.ability.name} {outcome.code}")


class World:
    """Everything a test of the envelope needs, in view."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.notes = Notes(self.events)
        self.record = Record(self.events)
        self.answers: list[Veto | Ask | None] = []
        self.allows: Any = True
        self.abilities: dict[str, dict[str, Any]] = {}
        self.host: Host

    def ability(self, name: str, execute: Any, **more: Any) -> None:
        async def may() -> Any:
            self.events.append(f"permission {name}")
            return self.allows

        async def verify(arguments: dict[str, Any]) -> dict[str, Any]:
            self.events.append(f"verify {name}")
            return {"text": self.notes.kept.get(arguments["id"])}

        self.abilities[name] = {
            "label": name,
            "description": name,
            "category": "notes",
            "input_schema": SCHEMA,
            "execute_callback": execute,
            "permission_callback": may,
            **({"verify_callback": verify} if more.pop("verifies", False) else {}),
            **more,
        }

    def write(self, name: str, execute: Any, **more: Any) -> None:
        changes = Changes("notes", targets=lambda arguments: [arguments["id"]])
        self.ability(name, execute, changes=changes, **more)

    async def run(self, name: str, **arguments: Any) -> Outcome:
        return await self.host.execute(name, arguments, actor=ACTOR)

    async def put(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self.events.append(f"run {arguments['id']}")
        self.notes.kept[arguments["id"].lower()] = arguments["text"]
        return {"ok": True}

    # --- hooks ---

    @hookimpl
    def register_categories(self, registry: RegistryView) -> None:
        registry.register_category("notes", label="Notes", description="Notes.")

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        registry.register_domain(self.notes)
        for name, arguments in self.abilities.items():
            registry.register_ability(name, **arguments)

    @hookimpl
    async def before_write(self, write: ProposedWrite) -> Veto | Ask | None:
        names = ",".join(target.name for target in write.targets)
        self.events.append(f"before_write {write.ability.name} [{names}]")
        return self.answers.pop(0) if self.answers else None

    @hookimpl
    async def after_execute(self, call: Call, outcome: Outcome) -> None:
        self.events.append(f"after {call.ability.name} {outcome.status}")

    @asynccontextmanager
    async def open(
        self, folder: Path, settings: str = "", *, packs: Sequence[Pack] = ()
    ) -> AsyncIterator["World"]:
        loaded = await run_in_thread(lambda: configured(folder, settings))
        async with open_host(
            loaded,
            packs=[local_pack("notes", self), *packs],
            finds_packs=False,
            recorder=self.record,
        ) as host:
            assert not any(pack.refused for pack in host.packs)
            self.host = host
            yield self


def configured(folder: Path, settings: str = "") -> LoadedConfig:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "abilities.toml"
    path.write_text(settings)
    path.chmod(0o600)
    return load_config(path, environ={}, cwd=folder)
