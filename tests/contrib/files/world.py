"""What a test of the files pack stands in: a real registry and a root on disk."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import isawaitable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import abilities_files
from abilities_files.folder import Folder
from abilities_host import Ability, AbilityFailed, Domain, State
from abilities_host.callback import Callback
from abilities_host.frozen import thaw
from abilities_host.protected import ProtectedPaths
from abilities_host.registry import Registry
from abilities_host.view import Quarantined, RegistryView


class OpenView(RegistryView):
    """A real view that also shows the callbacks, which the registry keeps closed."""

    def register_ability(self, name: str, **arguments: Any) -> Ability | Quarantined:
        self.callbacks[name] = arguments
        return super().register_ability(name, **arguments)

    @cached_property
    def callbacks(self) -> dict[str, dict[str, Any]]:
        return {}


class Told:
    """A running call that keeps what an ability tells it."""

    def __init__(self) -> None:
        self.touched: list[str] = []
        self.left: dict[str, State] = {}

    async def touch(self, domain: str, target: str) -> None:
        assert domain == "files"
        self.touched.append(target)

    def made(self, domain: str, target: str, state: State) -> None:
        assert domain == "files"
        self.left[target] = state


@dataclass(frozen=True)
class World:
    root: Path
    registry: Registry
    callbacks: dict[str, dict[str, Any]]

    @property
    def domain(self) -> Domain:
        return self.registry.get_domain("files")

    async def run(self, name: str, **arguments: Any) -> Any:
        ability = self.registry.get_ability(f"files/{name}")
        jsonschema_rs.validator_for(thaw(ability.input_schema)).validate(arguments)
        execute = Callback(self.callbacks[ability.name]["execute_callback"])
        named = await self.targets(name, **arguments)
        told = Told()
        result = await execute(arguments, told)
        jsonschema_rs.validator_for(thaw(ability.output_schema)).validate(result)
        # What it says it left is there, and was announced.
        assert told.left == {
            path: await self.domain.capture(path) for path in told.left
        }
        assert {*told.left} <= {*named, *told.touched}
        return result

    async def targets(self, name: str, **arguments: Any) -> list[str]:
        changes = self.registry.get_ability(f"files/{name}").changes
        if changes is None or changes.targets is None:
            return []
        named = changes.targets(arguments)
        return [*(await named if isawaitable(named) else named)]

    async def verify(self, name: str, **arguments: Any) -> Any:
        callback = self.callbacks[f"files/{name}"]["verify_callback"]
        return await Callback(callback)(arguments, None)

    async def code(self, name: str, **arguments: Any) -> str:
        """Run what must be refused; a refusal never tells where the root is."""
        with pytest.raises(AbilityFailed) as refusal:
            await self.run(name, **arguments)
        assert str(self.root.parent) not in str(refusal.value)
        return refusal.value.code

    async def paths(self, **arguments: Any) -> list[str]:
        listing = await self.run("list", **arguments)
        return [entry["path"] for entry in listing["entries"]]


async def build_world(
    folder: Path,
    *,
    settings: Mapping[str, Any] | None = None,
    protected: Iterable[Path] = (),
) -> World:
    root = folder / "content"
    root.mkdir(exist_ok=True)
    registry = Registry()
    view = await asyncio.to_thread(
        lambda: register(
            OpenView(
                registry,
                pack="abilities-host/files",
                namespaces=("files",),
                settings=settings or {},
                folder=folder,
                protected=ProtectedPaths(protected),
            )
        )
    )
    return World(root, registry, view.callbacks)


def register(view: OpenView) -> OpenView:
    abilities_files.register_categories(view)
    abilities_files.register_abilities(view)
    return view


def open_folder(path: Path) -> Folder:
    return Folder(path, ProtectedPaths([]).protects)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
