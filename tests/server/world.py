"""What a test of servers stands in: a host on a real store, and hand-made packs."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

from mcp import Client

from abilities_host import Actor, RegistryView, hookimpl
from abilities_host.ability import Ability
from abilities_host.config import LoadedConfig, load_config
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.host import Host
from abilities_host.opening import open_host
from abilities_host.registry import Registry
from abilities_host.server.builder import HostServer, build_server

Mode = Literal["auto", "legacy"]

OBJECT = {"type": "object", "additionalProperties": True}
READ = {"annotations": {"readonly": True}}


def write_config(folder: Path, text: str = "") -> LoadedConfig:
    """Write a configuration whose top-level keys come first, and load it."""
    folder.mkdir(exist_ok=True)
    file = folder / "abilities.toml"
    file.write_text(f"{text}\n[ledger]\nrequired = false\n", encoding="utf-8")
    file.chmod(0o600)
    return load_config(file, environ={}, cwd=folder)


def described(execute: Callable[..., Any], **changed: Any) -> dict[str, Any]:
    """Give the arguments of a registration that is served."""
    arguments: dict[str, Any] = {
        "label": "A label",
        "description": "A description.",
        "category": "test",
        "execute_callback": execute,
        "permission_callback": lambda: True,
        "input_schema": OBJECT,
    }
    return arguments | changed


def ability(name: str = "test/echo", **changed: Any) -> Ability:
    """Register one ability, without a host, and give its record."""
    registry = Registry()
    registry.register_category("test", label="Test", description="For tests.")
    return registry.register_ability(name, **described(lambda value: value, **changed))


def pack(
    *abilities: tuple[str, dict[str, Any]], name: str = "test", **hooks: Any
) -> Pack:
    """Make a pack of abilities, each a name and its registration's arguments."""

    def register_categories(registry: RegistryView) -> None:
        registry.register_category(name, label="Test", description="For tests.")

    def register_abilities(registry: RegistryView) -> None:
        for each, arguments in abilities:
            registry.register_ability(each, **{**arguments, "category": name})

    every = {
        "register_categories": register_categories,
        "register_abilities": register_abilities,
        **hooks,
    }
    plugin = SimpleNamespace(**{key: hookimpl(hook) for key, hook in every.items()})
    return local_pack(name, plugin)


@asynccontextmanager
async def running(folder: Path, *packs: Pack, config: str = "") -> AsyncIterator[Host]:
    """Run a host with these packs only."""
    loaded = await asyncio.to_thread(write_config, folder, config)
    async with open_host(loaded, packs=packs, finds_packs=False) as host:
        yield host


def server_of(host: Host, actor: Actor | None = None) -> HostServer:
    """Expose a host to one actor."""
    caller = actor or host.actor("stdio")
    return build_server(host, authenticate=lambda _ctx: caller)


@asynccontextmanager
async def connected(
    folder: Path, mode: Mode, *packs: Pack, config: str = "", **client: Any
) -> AsyncIterator[tuple[Client, Host]]:
    """Connect a client of one era to a running host, in memory."""
    async with (
        running(folder, *packs, config=config) as host,
        Client(server_of(host), mode=mode, **client) as session,
    ):
        yield session, host


async def text_of(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    """Call a tool that must answer with an error, and give its text."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(getattr(result.content[0], "text", ""))
