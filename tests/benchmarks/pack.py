"""The pack that a host under measurement serves, and a policy that abstains."""

import asyncio
from typing import Any, Final

from abilities_host import ProposedWrite, RegistryView, hookimpl
from benchmarks.heartbeat import Heartbeat
from benchmarks.world import (
    ECHO_SCHEMA,
    NO_ARGUMENTS,
    NUMBER,
    filler_description,
    filler_schema,
    filler_words,
)

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
        self._register(registry, "echo", _echo, ECHO_SCHEMA, ECHO_SCHEMA)
        self._register(registry, "stall", self._stall, NO_ARGUMENTS, NUMBER)
        self._register(registry, "tasks", _tasks, NO_ARGUMENTS, NUMBER)
        for number in filler_words(self._abilities):
            words = filler_description(number)
            schema = filler_schema(number)
            self._register(registry, f"filler-{number}", _echo, schema, None, words)

    async def _stall(self) -> dict[str, float]:
        return {"number": self._heartbeat.read()}

    def _register(
        self,
        registry: RegistryView,
        word: str,
        execute: Any,
        takes: dict[str, Any],
        gives: dict[str, Any] | None,
        description: str = "Used by the benchmark itself.",
    ) -> None:
        registry.register_ability(
            f"bench/{word}",
            label=word,
            description=description,
            category="bench",
            input_schema=takes,
            output_schema=gives,
            execute_callback=execute,
            permission_callback=may_call,
            meta=READ,
        )
