"""What a test of hooks and packs stands in: a host on a real store, packs in view."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from abilities_host import Actor, Declaration, RegistryView, hookimpl
from abilities_host.config import LoadedConfig, load_config
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.opening import open_host

AGENT = Actor("agent-1")


def write_config(folder: Path, text: str = "") -> LoadedConfig:
    """Write a configuration whose top-level keys come first, and load it."""
    folder.mkdir(exist_ok=True)
    file = folder / "abilities.toml"
    file.write_text(f"{text}\n[ledger]\nrequired = false\n", encoding="utf-8")
    file.chmod(0o600)
    return load_config(file, environ={}, cwd=folder)


@asynccontextmanager
async def running(
    folder: Path, *packs: Pack, config: str = "", is_traced: bool = False
) -> AsyncIterator[Host]:
    """Run a host with these packs only."""
    loaded = await asyncio.to_thread(write_config, folder, config)
    opening = open_host(loaded, packs=packs, finds_packs=False, is_traced=is_traced)
    async with opening as host:
        yield host


def plugin(**hooks: Callable[..., Any]) -> SimpleNamespace:
    """Make a pack's object of plain or async functions, each under its hook's name."""
    return SimpleNamespace(**{name: hookimpl(hook) for name, hook in hooks.items()})


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
