"""Notices: telling the clients of both eras that a listing has changed."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from mcp.server.connection import Connection
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ServerEvent,
    ToolsListChanged,
)
from mcp_types import NotificationParams

from abilities_host.component import Kind
from abilities_host.host import Host
from abilities_host.server.asking import Context

log = logging.getLogger(__name__)

DEBOUNCE_SECONDS: Final = 0.05
CLIENT_SECONDS: Final = 1.0


_EVENTS: Final[Mapping[Kind, Callable[[], ServerEvent]]] = {
    "tool": ToolsListChanged,
    "resource": ResourcesListChanged,
    "prompt": PromptsListChanged,
}
_SENDERS: Final[Mapping[Kind, Callable[[Connection], Awaitable[None]]]] = {
    "tool": lambda connection: connection.send_tool_list_changed(),
    "resource": lambda connection: connection.send_resource_list_changed(),
    "prompt": lambda connection: connection.send_prompt_list_changed(),
}


class Notices:
    """Waits for changes of a host and tells every client once for each burst.

    Args:
        host: the running host.

    Attributes:
        bus: where the streams of the later era listen.
    """

    def __init__(self, host: Host) -> None:
        self.bus: Final = InMemorySubscriptionBus()
        self._host: Final = host
        self._connections: Final[set[Connection]] = set()
        self._kinds: Final[set[Kind]] = {"tool"}

    @asynccontextmanager
    async def serving(self, _server: Any) -> AsyncIterator[None]:
        """Tell the clients for as long as a server runs; its lifespan."""
        changed, loop = asyncio.Event(), asyncio.get_running_loop()

        def mark() -> None:  # an ability may register from its thread
            loop.call_soon_threadsafe(changed.set)

        self._note_kinds()
        self._host.on_change(mark)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._tell, changed)
                yield
                tasks.cancel_scope.cancel()
        finally:
            self._host.off_change(mark)

    async def collect(self, ctx: Context, _params: NotificationParams) -> None:
        """Keep the connection of a client of the earlier era until it closes."""
        # The SDK has no public way to the connection, and a session reaches only its
        # own caller.
        connection = ctx.session._connection  # noqa: SLF001
        self._connections.add(connection)
        connection.exit_stack.callback(self._connections.discard, connection)

    async def _tell(self, changed: asyncio.Event) -> None:
        while True:
            await changed.wait()
            await asyncio.sleep(DEBOUNCE_SECONDS)
            changed.clear()
            self._note_kinds()
            for kind in sorted(self._kinds):
                await self.bus.publish(_EVENTS[kind]())
            async with anyio.create_task_group() as tasks:
                for connection in tuple(self._connections):
                    tasks.start_soon(_tell_one, connection, sorted(self._kinds))

    def _note_kinds(self) -> None:
        """A kind that was there once is told of, also when the last one has gone."""
        for ability in self._host.registry.list_abilities():
            self._kinds.add(ability.component.kind)


async def _tell_one(connection: Connection, kinds: Sequence[Kind]) -> None:
    """One client that does not read must not hold back the others."""
    with anyio.move_on_after(CLIENT_SECONDS):
        try:
            for kind in kinds:
                await _SENDERS[kind](connection)
        except Exception:
            log.warning("a client could not be told of a change", exc_info=True)
