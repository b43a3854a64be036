"""A pack of modules whose start and stop are noted, and a host that runs it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from abilities_host import Module, RegistryView, Site, hookimpl
from abilities_host.host import Host


class PartsPack:
    """A pack with one read for each letter, and the modules that a test gives it.

    Attributes:
        happened: what was started and stopped, in order.
        callbacks: by name of the ability; without one it gives its name.
    """

    def __init__(
        self,
        *modules: Module,
        namespace: str = "parts",
        callbacks: Mapping[str, Callable[..., Any]] | None = None,
    ) -> None:
        self.happened: list[str] = []
        self.declared: Any = list(modules)
        self.namespace = namespace
        self.callbacks = callbacks or {}

    @hookimpl
    def register_categories(self, registry: RegistryView) -> None:
        registry.register_category("parts", label="Parts", description="Of a pack.")

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        for letter in "abcd":
            name = f"{self.namespace}/{letter}"
            registry.register_ability(
                name,
                label="Gives",
                description="Gives its name.",
                category="parts",
                execute_callback=self.callbacks.get(letter, lambda name=name: name),
                permission_callback=lambda: True,
                meta={"annotations": {"readonly": True}},
            )

    @hookimpl
    def modules(self) -> Any:
        return self.declared


def part(
    slug: str,
    *,
    requires: Sequence[str] = (),
    is_on: bool = True,
    noted: list[str] | None = None,
    **more: Any,
) -> Module:
    """Make a module that has the ability of its own letter and notes what happens."""
    if noted is not None:
        more["open"] = noting(slug, noted, is_slow=bool(requires))
    return Module(
        slug,
        label=slug.upper(),
        description=f"The part {slug}.",
        default_active=is_on,
        requires=tuple(requires),
        abilities=more.pop("abilities", (f"parts/{slug}",)),
        **more,
    )


def noting(slug: str, noted: list[str], *, is_slow: bool) -> Callable[[Site], Any]:
    """Make what is opened for a module: it notes its start and, late, its stop."""

    @asynccontextmanager
    async def opened(site: Site) -> AsyncIterator[None]:
        noted.append(f"start {slug}")
        yield
        await turns(20 * is_slow)
        noted.append(f"stop {slug}")

    return opened


def states(host: Host) -> dict[str, str]:
    """Give the state of each module by its slug, in the order of the start."""
    return {each.module.slug: each.state for each in host.modules.list()}


def reasons(host: Host) -> dict[str, str]:
    """Give the reason of each module that has one."""
    return {each.module.slug: each.why for each in host.modules.list() if each.why}


async def visible(host: Host) -> list[str]:
    """Give the letters of the abilities that a caller sees."""
    abilities = await host.list_abilities(host.actor("cli"))
    return [ability.name.rpartition("/")[2] for ability in abilities]


async def switch(host: Host, **slugs: bool) -> None:
    """Choose, as the commands do, and wait until it holds."""
    for slug, is_on in slugs.items():
        await host.modules.choose(f"local/parts/{slug}", is_on=is_on, by="ann")
    await host.refresh()
    await host.modules.settle()


async def turns(number: int) -> None:
    """Let everybody else have some turns of the loop."""
    for _ in range(number):
        await asyncio.sleep(0)
