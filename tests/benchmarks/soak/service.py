"""Service: the host that is stopped, killed and started again at the same place."""

import asyncio
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from benchmarks.http_client import Connection, HttpError
from benchmarks.process import Process, started
from benchmarks.servers import wait_for
from benchmarks.soak.answer import LOST
from benchmarks.soak.faults import Faults
from benchmarks.soak.life import Life
from benchmarks.soak.lived import Counted, Lived
from benchmarks.soak.samples import Samples
from benchmarks.soak.site import DEFAULT, WATCH
from benchmarks.wire import MODERN, BadAnswer

STOP_SECONDS: Final = 20.0
GONE_SECONDS: Final = 1.0
"""The log counts some requests by the second: no two processes share one."""

SAMPLES: Final = 60
SIGTERM_CODE: Final = 128 + signal.SIGTERM


class Service:
    """One host at a time.

    Args:
        config: of the host.
        port: where it listens, each time.
        log: what it says on standard error is added to it.
        faults: are told when it ends in another way than it should.

    Attributes:
        lives: every process so far.
        samples: of the long life; None before.
        is_ending: whether it has been told to end, or is not there.
    """

    def __init__(self, config: Path, port: int, log: Path, faults: Faults) -> None:
        self.lives: Final[list[Lived]] = []
        self.samples: Samples | None = None
        self.is_ending = True
        self._arguments: Final = [
            *("-m", "abilities_host", "serve", "--config", str(config)),
            *("--port", str(port)),
        ]
        self._port: Final = port
        self._log: Final = log
        self._faults: Final = faults

    @property
    def now(self) -> Lived:
        """The process that is there, or was there last."""
        return self.lives[-1]

    def connect(
        self,
        token: str,
        version: str = MODERN,
        *,
        path: str = DEFAULT,
        session: str = "",
    ) -> Connection:
        """Make a connection to the process that is there now; enter it at once."""
        counted = Counted(self.now)
        return Connection(
            self._port, token, version, path=path, listener=counted, session=session
        )

    async def run(self, lives: Sequence[Life], token: str) -> None:
        """Live one life after the other; the last one lives on.

        Args:
            lives: as planned.
            token: what the samples are taken with.
        """
        for number, life in enumerate(lives):
            if number:
                await asyncio.sleep(GONE_SECONDS)
                await self._start()
            if life.is_long:
                await self._watch(life.seconds, token)
            else:
                await asyncio.sleep(life.seconds)
            if number + 1 < len(lives):
                await self._end(life.ending)

    @asynccontextmanager
    async def living(self) -> AsyncIterator[None]:
        """Start the first process, and stop the last one at the end."""
        with ExitStack() as self._stack:
            await self._start()
            try:
                yield
            finally:
                await self._end(signal.SIGTERM)

    async def _start(self) -> None:
        self.lives.append(Lived(len(self.lives) + 1))
        self._stack.close()
        make = started(self._arguments, self._log)
        self._process: Process = await asyncio.to_thread(
            self._stack.enter_context, make
        )
        await asyncio.to_thread(wait_for, self._port, self._process)
        self.is_ending = False

    async def _end(self, ending: signal.Signals) -> None:
        self.is_ending, self.now.ending = True, ending
        if self._process.poll() is None:
            self.now.ended = time.time()
            self._process.send_signal(ending)
        else:
            self._faults.add("the host ended by itself", f"{self._process.returncode}")
        try:
            code = await asyncio.to_thread(self._process.wait, STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._faults.add(f"the host did not stop within {STOP_SECONDS:g} s")
            self._process.kill()
            code = await asyncio.to_thread(self._process.wait)
        self.now.gone = time.time()
        if ending is signal.SIGTERM:
            self.now.ended = self.now.gone
        if code not in (-ending, SIGTERM_CODE):
            self._faults.add("the host ended with a strange code", f"{code}")

    async def _watch(self, seconds: float, token: str) -> None:
        self.samples = Samples(self._process.pid)
        over = time.monotonic() + seconds
        while (left := over - time.monotonic()) > 0:
            await asyncio.sleep(min(left, max(0.25, seconds / SAMPLES)))
            try:
                async with self.connect(token, path=WATCH) as connection:
                    tasks = await connection.call("bench_tasks", {})
            except (HttpError, BadAnswer, *LOST) as error:
                self._faults.add("no sample could be taken", str(error))
            else:
                self.samples.take(int(tasks["number"]))
