"""What the tests of the in-tree packs stand in: the packs, actors, abilities."""

from collections.abc import Callable
from typing import Any

import abilities_core
import abilities_dispatcher
from abilities_host import RegistryView, hookimpl
from abilities_host.calls import Actor, Outcome
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host

AGENT = Actor("agent-7", "agent", frozenset({"read", "write"}))
READER = Actor("reader", "human", frozenset({"read"}))
NOBODY = Actor("nobody", "agent", frozenset())


def core_pack() -> Pack:
    return _in_tree("core", abilities_core)


def dispatcher_pack() -> Pack:
    return _in_tree("dispatcher", abilities_dispatcher)


def packs_of(**plugins: Any) -> list[Pack | tuple[str, Any]]:
    """Give the dispatcher and these packs, each under its name."""
    return [dispatcher_pack(), *plugins.items()]


def _in_tree(name: str, plugin: Any) -> Pack:
    identity = f"abilities-host/{name}"
    return Pack(identity, name, "0.1.0", is_policy=False, load=lambda: plugin)


def declare(registry: RegistryView, name: str, **arguments: Any) -> None:
    """Register an ability of which a test says only what it is about."""
    notes = arguments.pop("annotations", {"readonly": True})
    given: dict[str, Any] = {
        "label": name.partition("/")[2],
        "description": f"Does {name}.",
        "category": "things",
        "execute_callback": lambda arguments: arguments,
        "permission_callback": lambda: True,
        "meta": {"annotations": notes},
    }
    registry.register_ability(name, **(given | arguments))


def pack_of(register: Callable[[RegistryView], None]) -> type:
    """Make a pack whose abilities stand in the category ``things``."""

    class Registers:
        @hookimpl
        @staticmethod
        def register_categories(registry: RegistryView) -> None:
            registry.register_category("things", label="Things", description="All.")

        @hookimpl
        @staticmethod
        def register_abilities(registry: RegistryView) -> None:
            register(registry)

    return Registers


async def dispatch(
    host: Host, tool: str, actor: Actor = AGENT, **arguments: Any
) -> Outcome:
    return await host.execute(
        f"dispatcher/{tool}", arguments, actor=actor, server="default"
    )


async def listed(host: Host, actor: Actor = AGENT, **arguments: Any) -> list[str]:
    outcome = await dispatch(host, "list-tools", actor, **arguments)
    return [tool["name"] for tool in outcome.unwrap()["tools"]]
