"""What a test of hooks and packs stands in: a host on a real store, packs in view."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from abilities_host import Actor, Declaration, RegistryView, hookimpl
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.testing import build_host

AGENT = Actor("agent-1")


@asynccontextmanager
async def running(folder: Path, *packs: Pack, config: str = "") -> AsyncIterator[Host]:
    """Run a host with these packs only."""
    async with build_host(folder, packs=packs, config=config) as host:
        yield host


def plugin(**hooks: Callable[..., Any]) -> SimpleNamespace:
    """Make a pack's object of plain or async functions, each under its hook's name."""
    return SimpleNamespace(**{name: hookimpl(hook) for name, hook in hooks.items()})


def keeping(kept: list[RegistryView]) -> SimpleNamespace:
    """Make a pack's object that keeps its view."""

    def register_abilities(registry: RegistryView) -> None:
        kept.append(registry)

    return plugin(register_abilities=register_abilities)


class NotesPack:
    """A pack with one write, one read, and a note of what ran."""

    def __init__(self, namespace: str = "notes") -> None:
        self.namespace = namespace
        self.ran: list[Any] = []

    @hookimpl
    def declare_pack(self) -> Declaration:
        return Declaration(namespaces=(self.namespace,))

    @hookimpl
    def register_categories(self, registry: RegistryView) -> None:
        registry.register_category(self.namespace, label="Notes", description="Texts.")

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        for word, is_read in (("add", False), ("get", True)):
            registry.register_ability(
                f"{self.namespace}/{word}",
                **ability_of(self.ran.append, category=self.namespace),
                meta={"annotations": {"readonly": is_read}},
            )


def ability_of(
    execute: Callable[..., Any] = lambda arguments: arguments, **changed: Any
) -> dict[str, Any]:
    """Give the arguments of a registration that is served."""
    arguments: dict[str, Any] = {
        "label": "A label",
        "description": "A description.",
        "category": "math",
        "execute_callback": execute,
        "permission_callback": lambda: True,
        "input_schema": {"type": "object", "additionalProperties": True},
    }
    return {k: v for k, v in (arguments | changed).items() if v is not ABSENT}


ABSENT: Any = object()


def states(host: Host) -> Mapping[str, tuple[str, str]]:
    """Give each pack's state and the reason that is shown."""
    return {pack.identity: (pack.state, pack.reason) for pack in host.packs}
