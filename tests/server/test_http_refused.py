"""Refused requests leave nothing behind."""

import asyncio
import gc
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from mcp.server.streamable_http import StreamableHTTPServerTransport
from server.http_world import (
    ACCEPT,
    BEARER,
    GOOD,
    HOST,
    JSON,
    LEGACY,
    MODERN,
    Header,
    ask,
    initialize,
    message,
    served,
)

from abilities_host.server.http import HttpApp

REFUSED: Sequence[tuple[str, Sequence[Header], bytes]] = (
    ("POST", (HOST, JSON, ACCEPT), b"{}"),
    ("POST", (HOST, (b"authorization", b"Bearer no"), JSON, ACCEPT), b"{}"),
    ("POST", ((b"host", b"example.com"), *GOOD[1:]), b"{}"),
    ("POST", (*GOOD, (b"origin", b"null")), b"{}"),
    ("PATCH", GOOD, b"{}"),
    ("GET", GOOD, b""),
    ("DELETE", (*GOOD, LEGACY), b""),
    ("POST", GOOD, b"garbage"),
    ("POST", GOOD, b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'),
    ("POST", GOOD, b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}'),
    ("POST", (*GOOD, MODERN), b"[]"),
    ("POST", (*GOOD, MODERN), b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'),
    ("POST", (*GOOD, (b"mcp-session-id", b"none")), b"{}"),
    ("POST", (HOST, BEARER, JSON), b"{}"),
)

TIMES = 5_000 // len(REFUSED) + 1
TRACED = 40


async def refuse(app: HttpApp, times: int) -> Counter[int]:
    statuses = Counter[int]()
    for _ in range(times):
        for method, headers, body in REFUSED:
            reply = await ask(app, method, headers=headers, body=body)
            statuses[reply.status] += 1
    return statuses


def transports() -> int:
    gc.collect()
    found = gc.get_objects()
    return sum(isinstance(each, StreamableHTTPServerTransport) for each in found)


ROOM = """
[limits]
http_sessions = 2
requests_per_minute = 100000
failures_per_minute = 100000
"""


async def test_five_thousand_refused_requests_leave_no_session_task_or_memory(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, config=ROOM) as (app, _):
        session = await initialize(app)
        await refuse(app, 3)
        tasks, sessions = len(asyncio.all_tasks()), transports()
        # Tracing takes four times as long: only the last ones are traced.
        statuses = await refuse(app, TIMES - 4 * TRACED)
        tracemalloc.start()
        try:
            statuses += await refuse(app, TRACED)
            grown = []
            for _ in range(3):
                gc.collect()
                before = tracemalloc.get_traced_memory()[0]
                statuses += await refuse(app, TRACED)
                gc.collect()
                grown.append(tracemalloc.get_traced_memory()[0] - before)
        finally:
            tracemalloc.stop()
        left = (len(asyncio.all_tasks()), transports())
        headers = (*GOOD, LEGACY, session)
        alive = await ask(app, headers=headers, body=message("ping"))
        await initialize(app)  # there is room for it, and for no third one

    assert sum(statuses.values()) >= 5_000
    assert {status // 100 for status in statuses} <= {2, 4}
    assert left == (tasks, sessions)
    # A hundred bytes for each; what leaks does so every time, what a cache takes once.
    assert min(grown) < 100 * TRACED * len(REFUSED)
    assert alive.status == 200
