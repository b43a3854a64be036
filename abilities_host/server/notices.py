"""Notices: telling the clients of both eras that the listing has changed."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged
from mcp_types import NotificationParams

from abilities_host.host import Host
from abilities_host.server.asking import Context

log = logging.getLogger(__name__)

DEBOUNCE_SECONDS: Final = 0.05
CLIENT_SECONDS: Final = 1.0


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

    @asynccontextmanager
    async def serving(self, _server: Any) -> AsyncIterator[None]:
        """Tell the clients for as long as a server runs; its lifespan."""
        changed, loop = asyncio.Event(), asyncio.get_running_loop()

        def mark() -> None:  # an ability may register from its thread
            loop.call_soon_threadsafe(changed.set)

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
            await self.bus.publish(ToolsListChanged())
            async with anyio.create_task_group() as tasks:
                for connection in tuple(self._connections):
                    tasks.start_soon(_tell_one, connection)


async def _tell_one(connection: Connection) -> None:
    """One client that does not read must not hold back the others."""
    with anyio.move_on_after(CLIENT_SECONDS):
        try:
            await connection.send_tool_list_changed()
        except Exception:
            log.warning("a client could not be told of a change", exc_info=True)
