"""The veto stage: ten async implementations that abstain, time limit included."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pluggy
from benchmarks.bench import Bench
from benchmarks.pack import may_call
from benchmarks.row import HERE, Goal, Measured, Row

from abilities_host import ProposedWrite, RegistryView, hookimpl
from abilities_host.testing import build_host

PLUGGY = "pluggy, each awaited"
PROJECT = "veto-stage"
IMPLEMENTATIONS = 10


class Policy:
    """A policy that abstains."""

    @hookimpl
    @pluggy.HookimplMarker(PROJECT)
    async def before_write(self, write: ProposedWrite) -> None:
        """Abstain."""


class Specs:
    """What pluggy alone is told of the hook."""

    @pluggy.HookspecMarker(PROJECT)
    def before_write(self, write: ProposedWrite) -> None:
        """Decide."""


class Keeper:
    """A pack with one write, and a policy that keeps what it was asked about."""

    def __init__(self) -> None:
        self.kept: list[ProposedWrite] = []

    @hookimpl
    def register_categories(self, registry: RegistryView) -> None:
        """Register the one category."""
        registry.register_category("veto", label="Veto", description="To measure.")

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        """Register the one write."""
        registry.register_ability(
            "veto/write",
            label="Write",
            description="Write nothing.",
            category="veto",
            input_schema={"type": "object", "properties": {}},
            execute_callback=lambda _arguments: None,
            permission_callback=may_call,
        )

    async def propose(self, bench: Bench) -> ProposedWrite:
        """Have a host propose a real write."""
        folder = bench.folder / "propose"
        async with build_host(folder, packs=[("veto", self)]) as host:
            await host.execute("veto/write", {}, actor=host.actor("cli"))
        return self.kept[0]

    @hookimpl
    async def before_write(self, write: ProposedWrite) -> None:
        """Keep it."""
        self.kept.append(write)


def measure(bench: Bench) -> Measured:
    """Compare a pass of the host with pluggy's own, awaited one by one."""
    with asyncio.Runner() as runner:
        return runner.run(_measure(bench))


async def _measure(bench: Bench) -> Measured:
    write = await Keeper().propose(bench)
    manager = _pluggy()
    packs = [(f"policy-{number}", Policy()) for number in range(IMPLEMENTATIONS)]
    async with build_host(bench.folder / "veto", packs=packs) as host:

        async def theirs() -> None:
            for answer in manager.hook.before_write(write=write):
                await answer

        passes: dict[str, Callable[[], Awaitable[Any]]] = {
            HERE: lambda: host.hooks.before_write(write),
            PLUGGY: theirs,
        }
        spread: dict[str, list[float]] = {who: [] for who in passes}
        for _ in range(bench.pick(5, 15)):
            for who, once in passes.items():
                spread[who].append(await _each_us(once, bench.pick(1_000, 3_000)))
    remark = "processor time; CPEX (534 to 669 µs where the design was made) is not run"
    return Measured.of(spread, remark=remark)


def _pluggy() -> pluggy.PluginManager:
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Specs)
    for number in range(IMPLEMENTATIONS):
        manager.register(Policy(), name=str(number))
    return manager


async def _each_us(once: Callable[[], Awaitable[Any]], count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        await once()
    return (time.process_time() - start) / count * 1e6


ROW = Row(
    name="veto stage, 10 async implementations",
    unit="µs/pass",
    measure=measure,
    first=(Goal("≤ 40 µs", "", 40),),
    second=(Goal("≤ 1/4 of pluggy, awaited", PLUGGY, 4),),
)
