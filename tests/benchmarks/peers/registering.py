"""Registers many tools in a process of its own, and tells what that took, as JSON."""

import argparse
import asyncio
import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import orjson
from benchmarks.pack import BenchPack
from benchmarks.peers.functions import functions
from benchmarks.process import resident_kb

from abilities_host import RegistryView, hookimpl
from abilities_host.testing import build_host


class Watched:
    """Seconds of processor time and kilobytes that something took."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.kilobytes = 0

    def watch(self, work: Callable[[], Any]) -> Any:
        """Do something and keep what it took; its result is kept alive."""
        gc.collect()
        before, start = resident_kb(os.getpid()), time.process_time()
        result = work()
        self.seconds = time.process_time() - start
        self.kilobytes = resident_kb(os.getpid()) - before
        return result


class WatchedPack(BenchPack):
    """A pack whose registration is watched; its descriptions are made in it too."""

    def __init__(self, abilities: int, watched: Watched) -> None:
        super().__init__(abilities)
        self._watched: Final = watched

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        """Register everything, and tell how long it took."""
        register = super().register_abilities
        self._watched.watch(lambda: register(registry))


async def _ours(abilities: int, watched: Watched) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pack = WatchedPack(abilities, watched)
        async with build_host(
            Path(folder) / "host",
            packs=[("bench", pack)],
            config="[limits]\nhook_seconds = 300\n",
        ) as host:
            _check(len(host.registry.list_abilities()), abilities)


def _sdk(abilities: int, watched: Watched) -> None:
    server = import_module("mcp.server").MCPServer("peer", log_level="WARNING")
    given = list(functions(abilities))

    def work() -> None:
        for name, function, description in given:
            server.add_tool(function, name=name, description=description)

    watched.watch(work)


def _fastmcp(abilities: int, watched: Watched) -> None:
    server = import_module("fastmcp").FastMCP("peer")
    tool = import_module("fastmcp.tools").Tool
    given = list(functions(abilities))

    def work() -> None:
        for name, function, description in given:
            made = tool.from_function(function, name=name, description=description)
            server.add_tool(made)

    watched.watch(work)


def _check(registered: int, abilities: int) -> None:
    if registered != abilities:
        msg = f"{registered} abilities are registered, not {abilities}"
        raise ValueError(msg)


def main() -> None:
    """Register and tell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("who", choices=("ours", "MCPServer", "FastMCP"))
    parser.add_argument("abilities", type=int)
    asked = parser.parse_args()
    watched = Watched()
    if asked.who == "ours":
        asyncio.run(_ours(asked.abilities, watched))
    else:
        peer = _sdk if asked.who == "MCPServer" else _fastmcp
        peer(asked.abilities, watched)
    sys.stdout.write(orjson.dumps(vars(watched)).decode() + "\n")


if __name__ == "__main__":
    main()
