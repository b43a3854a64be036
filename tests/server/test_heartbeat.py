"""An open stream that has nothing to say shows a sign of life within 30 seconds."""

import time
from pathlib import Path

import anyio
from server.http_world import (
    GOOD,
    LEGACY,
    MODERN,
    Request,
    initialize,
    message,
    served,
)

from abilities_host.server.http import HttpApp

LIMIT = 30.0
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
LISTEN = {"_meta": META, "notifications": {"toolsListChanged": True}}


async def streams_of(app: HttpApp) -> dict[str, Request]:
    """Open a stream in each era."""
    session = await initialize(app)
    headers = (*GOOD, MODERN, (b"mcp-method", b"subscriptions/listen"))
    body = message("subscriptions/listen", LISTEN)
    return {
        "2025-11-25": Request("GET", headers=(*GOOD, LEGACY, session)),
        "2026-07-28": Request(headers=headers, body=body),
    }


async def signs_of_life(streams: dict[str, Request]) -> dict[str, bool]:
    """Wait until each stream has sent a comment, which says nothing."""
    deadline = time.monotonic() + LIMIT
    alive = dict.fromkeys(streams, False)
    while not all(alive.values()) and time.monotonic() < deadline:
        await anyio.sleep(0.1)
        for era, stream in streams.items():
            alive[era] = any(part.startswith(b": ") for part in stream.parts)
    return alive


async def test_a_quiet_stream_is_kept_alive_in_both_eras(tmp_path: Path) -> None:
    async with served(tmp_path) as (app, _):
        streams = await streams_of(app)
        async with anyio.create_task_group() as tasks:
            for stream in streams.values():
                tasks.start_soon(stream.open_at, app)
            alive = await signs_of_life(streams)
            tasks.cancel_scope.cancel()

    assert alive == {"2025-11-25": True, "2026-07-28": True}
