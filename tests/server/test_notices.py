"""A client that fails or hangs must not hold the others back."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
from server.world import described, pack, running

from abilities_host.server.notices import Notices


def client_of(told: Callable[[], Awaitable[None]], stack: AsyncExitStack) -> Any:
    """Make as much of a request's context as a notice needs."""
    connection = type(
        "Connection", (), {"send_tool_list_changed": staticmethod(told)}
    )()
    connection.exit_stack = stack
    return cast("Any", SimpleNamespace(session=SimpleNamespace(_connection=connection)))


async def test_every_client_is_told_although_others_fail_or_hang(
    tmp_path: Path,
) -> None:
    told, hung = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        hung.set()
        await asyncio.Event().wait()

    async def fail() -> None:
        msg = "gone"
        raise OSError(msg)

    async def hear() -> None:
        told.set()

    one = pack(("test/one", described(dict)))
    async with running(tmp_path, one) as host, AsyncExitStack() as stack:
        notices = Notices(host)
        for client in (fail, hang, hear):
            await notices.collect(client_of(client, stack), cast("Any", None))
        async with notices.serving(None):
            host.registry.unregister_ability("test/one")
            with anyio.fail_after(10):
                await hung.wait()
                await told.wait()
