"""Fleet: the servers that are served over HTTP, as the configuration has them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

import anyio
from anyio.abc import TaskGroup

from abilities_host.config import ServerSettings
from abilities_host.errors import StoreError
from abilities_host.host import Host
from abilities_host.server.endpoint import Endpoint

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 0.5
"""Between two looks at open streams: none outlives its token by more than a second."""

UPKEEP_SECONDS: Final = 30.0


class Fleet:
    """Starts and ends servers when the configuration changes; entered once.

    Args:
        host: the running host.
        make: makes the endpoint of a server.

    Attributes:
        first: the endpoint of the first server.
    """

    def __init__(self, host: Host, make: Callable[[ServerSettings], Endpoint]) -> None:
        self._host: Final = host
        self._make: Final = make
        self.first: Final = make(host.config.server)
        self._by_path: Final[dict[str, Endpoint]] = {self._first_path: self.first}
        self._leaving: Final[set[Endpoint]] = set()

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """Those that answer, and those whose last calls still run."""
        return (*self._by_path.values(), *self._leaving)

    def find(self, path: str) -> Endpoint | None:
        """Find the server at a path, with or without a slash at its end."""
        return self._by_path.get(path) or self._by_path.get(path.removesuffix("/"))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve for as long as it is entered."""
        changed, loop = asyncio.Event(), asyncio.get_running_loop()

        def mark() -> None:  # an ability may register from its thread
            loop.call_soon_threadsafe(changed.set)

        self._host.on_change(mark)
        try:
            async with anyio.create_task_group() as tasks:
                await tasks.start(self.first.serve)
                await self._settle(tasks)
                tasks.start_soon(self._follow, changed, tasks)
                tasks.start_soon(self._note_uses)
                yield
                tasks.cancel_scope.cancel()
        finally:
            self._host.off_change(mark)
            with anyio.CancelScope(shield=True):
                await self._flush(is_last=True)

    async def _follow(self, changed: asyncio.Event, tasks: TaskGroup) -> None:
        while True:
            with anyio.move_on_after(LOOK_SECONDS):
                await changed.wait()
            if changed.is_set():
                changed.clear()
                await self._settle(tasks)
            for endpoint in self.endpoints:
                await endpoint.review()

    async def _note_uses(self) -> None:
        while True:
            await asyncio.sleep(UPKEEP_SECONDS)
            await self._flush()

    async def _flush(self, *, is_last: bool = False) -> None:
        try:
            await self._host.tokens.flush(is_last=is_last)
        except StoreError:
            log.warning("the last uses of tokens could not be stored", exc_info=True)

    async def _settle(self, tasks: TaskGroup) -> None:
        """Serve what the configuration has now, and nothing else."""
        wanted = self._wanted()
        known = {endpoint.id: endpoint for endpoint in self._by_path.values()}
        for name in known.keys() - {each.id for each in wanted.values()}:
            self._leave(known.pop(name), tasks)
        for settings in wanted.values():
            if settings.id not in known:
                known[settings.id] = self._make(settings)
                await tasks.start(known[settings.id].serve)
                log.info("server %s is served", settings.id)
        self._by_path.clear()
        self._by_path.update({path: known[one.id] for path, one in wanted.items()})
        for endpoint in known.values():
            endpoint.server.follow()

    def _leave(self, endpoint: Endpoint, tasks: TaskGroup) -> None:
        self._leaving.add(endpoint)
        endpoint.leave()
        tasks.start_soon(self._forget, endpoint)
        log.info("server %s is served no more", endpoint.id)

    async def _forget(self, endpoint: Endpoint) -> None:
        await endpoint.is_over.wait()
        self._leaving.discard(endpoint)

    def _wanted(self) -> Mapping[str, ServerSettings]:
        first, *further = self._host.config.all_servers
        paths = {first.path(is_first=True): first}
        return paths | {each.path(is_first=False): each for each in further}

    @property
    def _first_path(self) -> str:
        return self._host.config.server.path(is_first=True)
