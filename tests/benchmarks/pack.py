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

from abilities_host import ProposedWrite, RegistryView, hookimpl

READ: Final = {"annotations": {"readonly": True}}

FILE = '''"""Abilities to measure with."""

from benchmarks.pack import BenchPack

PACK = BenchPack({abilities})
before_write = PACK.before_write
register_categories = PACK.register_categories
register_abilities = PACK.register_abilities
'''


async def _echo(arguments: dict[str, Any]) -> dict[str, Any]:
    return arguments


async def _tasks() -> dict[str, int]:
    return {"number": len(asyncio.all_tasks())}


async def may_call() -> bool:
    """Allow every caller, as a permission that looks at nothing does."""
    return True


class BenchPack:
    """Abilities of which three can tell something, the rest are to be listed.

    Args:
        abilities: how many in all, at least three.
    """

    def __init__(self, abilities: int) -> None:
        self._abilities: Final = abilities
        self._heartbeat: Final = Heartbeat()

    @hookimpl
    async def before_write(self, write: ProposedWrite) -> None:
        """Abstain."""

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
        for each in filler_words(self._abilities):
            changed = {
                "description": filler_description(each),
                "input_schema": filler_schema(each),
            }
            self._register(registry, f"filler-{each}", _echo, changed)

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
