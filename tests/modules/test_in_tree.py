"""The modules of the packs in this repository, as an operator switches them."""

from pathlib import Path

import pytest

import abilities_dispatcher
import abilities_files
import abilities_memory
from abilities_host import Actor
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.testing import build_host

AGENT = Actor("agent-1")
PACKS = [
    Pack(f"abilities-host/{name}", name, "1", is_policy=False, load=lambda m=module: m)  # type: ignore[misc]  # binds this one
    for name, module in (
        ("dispatcher", abilities_dispatcher),
        ("files", abilities_files),
        ("memory", abilities_memory),
    )
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "content").mkdir()
    return tmp_path


async def switch(host: Host, name: str, *, is_on: bool) -> None:
    await host.modules.choose(f"abilities-host/{name}", is_on=is_on, by="ann")
    await host.refresh()
    await host.modules.settle()


async def test_the_modules_of_the_tree_are_on_by_default(folder: Path) -> None:
    async with build_host(folder, packs=PACKS) as host:
        shown = {
            each.short: (each.state, each.abilities) for each in host.modules.list()
        }

    assert shown == {
        "files/search": ("active", ("files/search",)),
        "memory/patterns": ("active", ()),
    }


async def test_without_the_module_the_search_of_files_is_not_there(
    folder: Path,
) -> None:
    async def found(host: Host) -> tuple[str, bool]:
        given = {"search": "search files"}
        listed = await host.execute("dispatcher/list-tools", given, actor=AGENT)
        outcome = await host.execute("files/search", {"query": "a"}, actor=AGENT)
        return outcome.code, "files/search" in str(listed.result)

    async with build_host(folder, packs=PACKS) as host:
        seen = [await found(host)]
        for is_on in (False, True):
            await switch(host, "files/search", is_on=is_on)
            seen.append(await found(host))

    assert seen == [("", True), ("ability_not_found", False), ("", True)]


async def test_without_the_module_nobody_looks_for_patterns(folder: Path) -> None:
    def looks(host: Host) -> bool:
        return "memory-patterns" in [job.name for job in host.jobs.all]

    async with build_host(folder, packs=PACKS) as host:
        seen = [looks(host)]
        for is_on in (False, True):
            await switch(host, "memory/patterns", is_on=is_on)
            seen.append(looks(host))

    assert seen == [True, False, True]
