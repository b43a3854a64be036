"""Loads a real server for a long time while abilities are switched off and on.

Nothing may be lost, no answer may lie about what is off, and nothing may grow.
"""

import asyncio
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from benchmarks.bench import Bench
from benchmarks.http_client import Connection
from benchmarks.report import fresh_log
from benchmarks.row import HERE
from benchmarks.samples import Samples
from benchmarks.servers import Listening, http, site
from benchmarks.tally import Tally
from benchmarks.wire import LEGACY, MODERN

from abilities_host.config import load_config
from abilities_host.opening import open_host

ABILITIES: Final = 20
CLIENTS: Final = 32
LONGEST: Final = 7_000.0
SWITCHED: Final = "bench/filler-0"
STEADY_TOOL: Final = "bench_echo"
SWITCHED_TOOL: Final = "bench_filler-0"


class Soak:
    """One soak.

    Args:
        server: under load.
        config: of the server; another host with it switches the ability.
        seconds: how long.
    """

    def __init__(self, server: Listening, config: Path, seconds: float) -> None:
        self._server: Final = server
        self._config: Final = config
        self._seconds: Final = seconds
        self._over: Final = asyncio.Event()
        self.tally: Final = Tally()
        self.samples: Final = Samples(server)

    async def run(self) -> None:
        """Load, switch and take samples until the time is over."""
        async with asyncio.TaskGroup() as group:
            for number in range(CLIENTS):
                group.create_task(self._client(number))
            group.create_task(self._switch())
            group.create_task(self._sample())
            await asyncio.sleep(self._seconds)
            self._over.set()

    async def _client(self, number: int) -> None:
        """Every fourth client speaks the earlier era and has a session."""
        version = MODERN if number % 4 else LEGACY
        server, turn = self._server, 0
        while not self._over.is_set():
            async with Connection(server.port, server.token, version) as connection:
                while not self._over.is_set() and self.tally.is_connected(number):
                    turn += 1
                    is_switched = (turn + number) % 2 == 0
                    await self._call(connection, number, turn, is_switched=is_switched)

    async def _call(
        self, connection: Connection, number: int, turn: int, *, is_switched: bool
    ) -> None:
        tool = SWITCHED_TOOL if is_switched else STEADY_TOOL
        name = f"{number}-{turn}"
        arguments = (
            {"query": name}
            if is_switched
            else {"id": turn, "name": name, "active": True}
        )
        sent = self.tally.send(number, is_switched=is_switched)
        try:
            result = await connection.call(tool, arguments)
        except Exception as error:
            self.tally.fail(sent, error)
        else:
            self.tally.answer(sent, is_own=result == arguments)

    async def _switch(self) -> None:
        """Switch once a second from another host on the same store."""
        loaded = load_config(self._config, environ={}, cwd=self._config.parent)
        async with open_host(loaded) as host:
            is_on = True
            while not await self._waited(1.0):
                is_on = not is_on
                with self.tally.switching(is_on=is_on):
                    await host.toggles.set(SWITCHED, is_on, by="soak")

    async def _sample(self) -> None:
        """On a new connection each time; the server ends one that waits so long."""
        server = self._server
        while not await self._waited(max(0.5, self._seconds / 40)):
            async with Connection(server.port, server.token) as connection:
                tasks = await connection.call("bench_tasks", {})
            self.samples.take(int(tasks["number"]))

    async def _waited(self, seconds: float) -> bool:
        """Wait a while; answer whether the soak is over."""
        try:
            async with asyncio.timeout(seconds):
                await self._over.wait()
        except TimeoutError:
            return False
        return True


def main() -> int:
    """Soak for SOAK_SECONDS, by default 600, and say what came of it.

    Returns:
        0 when nothing was lost, nothing lied and nothing grew.
    """
    seconds = min(float(os.environ.get("SOAK_SECONDS", "600")), LONGEST)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="soak-")))
        bench = Bench(folder, fresh_log(), stack, is_quick=False)
        server = http(bench, HERE, ABILITIES)
        sys.stdout.write(f"{CLIENTS} clients, a switch a second, {seconds:g} s\n")
        begun = time.monotonic()
        soak = asyncio.run(_soak(server, site(bench, ABILITIES), seconds))
        taken = time.monotonic() - begun
    faults = [*soak.tally.faults(), *soak.samples.faults()]
    sys.stdout.write(f"\n{soak.samples.table()}\n{soak.tally.told(taken)}\n")
    sys.stdout.write("".join(f"FAULT: {fault}\n" for fault in faults))
    sys.stdout.write("failed\n" if faults else "nothing lost, no lie, no growth\n")
    return 1 if faults else 0


async def _soak(server: Listening, config: Path, seconds: float) -> Soak:
    soak = Soak(server, config, seconds)
    await soak.run()
    return soak


if __name__ == "__main__":
    sys.exit(main())
