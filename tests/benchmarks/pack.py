"""The pack that a host under measurement serves, and a policy that abstains."""

import asyncio
from typing import Any, Final

from benchmarks.heartbeat import Heartbeat
from benchmarks.world import (
    ECHO_SCHEMA,
    NO_ARGUMENTS,
    NUMBER,
    filler_description,
    filler_schema,
    filler_words,
)

from abilities_host import (
    MISSING,
    Changes,
    Drifted,
    ProposedWrite,
    RegistryView,
    State,
    hookimpl,
)

READ: Final = {"annotations": {"readonly": True}}
WRITE: Final[dict[str, Any]] = {"annotations": {"readonly": False}}

FILE = '''"""Abilities to measure with."""

from benchmarks.pack import BenchPack

PACK = BenchPack({abilities}, writes={writes})
before_write = PACK.before_write
register_categories = PACK.register_categories
register_abilities = PACK.register_abilities
'''
POLICY_FILE = '''"""A policy that abstains."""

from benchmarks.pack import Policy

before_write = Policy().before_write
'''


async def _echo(arguments: dict[str, Any]) -> dict[str, Any]:
    return arguments


async def _tasks() -> dict[str, int]:
    return {"number": len(asyncio.all_tasks())}


async def may_call() -> bool:
    """Allow every caller, as a permission that looks at nothing does."""
    return True


class Policy:
    """A policy that abstains."""

    @hookimpl
    async def before_write(self, write: ProposedWrite) -> None:
        """Abstain."""


class Shelf:
    """Things in memory, each with an id: a domain that costs as little as one can."""

    name = "bench"

    def __init__(self) -> None:
        self._things: Final[dict[str, State]] = {}

    def canonical(self, target: str) -> str:
        """Give the one spelling of an id."""
        return target.strip()

    async def capture(self, target: str) -> State:
        """Read a thing."""
        return self._things.get(target, MISSING)

    async def restore(self, target: str, expected: State, state: State) -> None:
        """Put a thing back."""
        current = await self.capture(target)
        if current != expected:
            raise Drifted(current)
        self._things.pop(target, None)
        if state is not MISSING:
            self._things[target] = state

    async def put(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Put what was sent in the place of what has the same id."""
        self._things[str(arguments["id"])] = arguments
        return arguments


WRITES: Final = 2


class BenchPack(Policy):
    """Abilities of which three can tell something, the rest are to be listed.

    Args:
        abilities: how many in all, at least three.
        writes: two of them do, one to a thing and one to nothing; then at least five.
    """

    def __init__(self, abilities: int, *, writes: bool = False) -> None:
        self._abilities: Final = abilities
        self._writes: Final = writes
        self._heartbeat: Final = Heartbeat()
        self._shelf: Final = Shelf()

    @hookimpl
    def register_categories(self, registry: RegistryView) -> None:
        """Register the one category."""
        registry.register_category("bench", label="Bench", description="To measure.")

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        """Register everything."""
        both = {"input_schema": ECHO_SCHEMA, "output_schema": ECHO_SCHEMA}
        number = {"input_schema": NO_ARGUMENTS, "output_schema": NUMBER}
        self._register(registry, "echo", _echo, both)
        self._register(registry, "stall", self._stall, number)
        self._register(registry, "tasks", _tasks, number)
        if self._writes:
            self._register_writes(registry, {**both, "meta": WRITE})
        for each in filler_words(self._abilities - WRITES * self._writes):
            changed = {
                "description": filler_description(each),
                "input_schema": filler_schema(each),
            }
            self._register(registry, f"filler-{each}", _echo, changed)

    def _register_writes(self, registry: RegistryView, both: dict[str, Any]) -> None:
        registry.register_domain(self._shelf)
        changes = Changes("bench", targets=lambda arguments: [str(arguments["id"])])
        changed = {**both, "changes": changes}
        self._register(registry, "write", self._shelf.put, changed)
        self._register(registry, "act", _echo, both)

    async def _stall(self) -> dict[str, float]:
        return {"number": self._heartbeat.read()}

    def _register(
        self,
        registry: RegistryView,
        word: str,
        execute: Any,
        changed: dict[str, Any],
    ) -> None:
        every: dict[str, Any] = {
            "label": word,
            "description": "Used by the benchmark itself.",
            "category": "bench",
            "execute_callback": execute,
            "permission_callback": may_call,
            "meta": READ,
        }
        registry.register_ability(f"bench/{word}", **{**every, **changed})
