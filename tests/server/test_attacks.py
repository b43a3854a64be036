"""What an attacker sends: nothing but a refusal comes back, and nothing stays."""

import ast
import asyncio
import inspect
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from server.http_world import (
    ACCEPT,
    BEARER,
    GOOD,
    HELLO,
    HOST,
    JSON,
    LEGACY,
    MODERN,
    TOKEN,
    Header,
    ask,
    message,
    modern_call,
    served,
)
from server.test_http_refused import ROOM, transports
from server.world import READ, described, pack

from abilities_host.server import guards
from abilities_host.tokens import book

SEED = 20_261_130
REQUESTS = 10_000
SECRET = "the-secret-that-must-not-leave"  # noqa: S105 - looked for in every answer

MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
BODIES: Sequence[bytes] = (
    orjson.dumps(message("initialize", HELLO)),
    orjson.dumps(message("tools/list")),
    orjson.dumps(message("tools/call", {"name": "test_read", "arguments": {}})),
    orjson.dumps(message("tools/list", {"_meta": MODERN_META})),
    orjson.dumps(message("resources/read", {"uri": "test://x", "_meta": MODERN_META})),
    b"[" * 2_000,
    b'{"jsonrpc":"2.0","id":{},"method":[]}',
    b"",
)
VALUES: Sequence[bytes] = (
    *(b"\x00", b"\xff\xfe", b"\r\nX-Injected: 1", b"null", b"-1", b"1e999"),
    *(b"../../etc/passwd", b"<script>alert(1)</script>", b"a" * 5_000, b"\xe2\x80\xae"),
    *(b'{"$ref":"#"}', b"%00", b"tools/call", b"2026-07-28", b"1999-01-01"),
)
NAMES: Sequence[bytes] = (
    *(b"host", b"origin", b"authorization", b"content-type", b"accept", b"cookie"),
    *(b"mcp-session-id", b"mcp-protocol-version", b"mcp-method", b"mcp-name"),
    *(b"x-forwarded-for", b"x-forwarded-host", b"forwarded", b"content-length"),
    *(b"transfer-encoding", b"abilities-profile", b"traceparent", b"last-event-id"),
)
PATHS = ("/mcp", "/mcp/", "/mcp/team", "/healthz", "/metrics", "/.well-known/x", "/x")


def mangled(chance: random.Random, body: bytes) -> bytes:
    """Change a few bytes of a body, or put something into it."""
    for _ in range(chance.randrange(4)):
        place = chance.randrange(len(body) + 1)
        piece = chance.choice((*VALUES, bytes([chance.randrange(256)])))
        body = body[:place] + piece + body[place + chance.randrange(8) :]
    return body


def requests(chance: random.Random) -> Iterator[tuple[str, str, list[Header], bytes]]:
    """Give requests that are wrong in one way or in many."""
    for _ in range(REQUESTS):
        headers = [HOST, JSON, ACCEPT]
        if chance.random() < 0.6:
            headers.append(BEARER)
        headers += chance.choice(([], [LEGACY], [MODERN]))
        for _ in range(chance.randrange(3)):
            name, value = chance.choice(NAMES), chance.choice(VALUES)
            if chance.random() < 0.5:
                headers = [pair for pair in headers if pair[0] != name]
            headers.append((name, value))
        method = chance.choice(("POST", "POST", "POST", "GET", "DELETE", "PUT", "X"))
        yield (
            method,
            chance.choice(PATHS),
            headers,
            mangled(chance, chance.choice(BODIES)),
        )


def read(_: Any) -> str:
    return "read"


async def test_ten_thousand_odd_requests_meet_refusals_only_and_leave_nothing(
    tmp_path: Path,
) -> None:
    chance = random.Random(SEED)  # noqa: S311 - the same each time
    statuses: Counter[int] = Counter()
    config = f'summary = "{SECRET}"\n{ROOM}'
    reads = pack(("test/read", described(read, meta=READ)))
    async with served(tmp_path, reads, config=config) as (app, _):
        tasks, sessions = len(asyncio.all_tasks()), transports()
        for method, path, headers, body in requests(chance):
            if method == "GET" and path.startswith("/mcp"):
                continue  # a stream that was opened well stays open: tried elsewhere
            reply = await ask(app, method, path, headers=headers, body=body)
            statuses[reply.status] += 1
            told = BEARER in headers and reply.status == 200
            assert told or SECRET.encode() not in reply.body, (method, path, headers)
            assert TOKEN.encode() not in reply.body
            assert not any(name == b"x-injected" for name, _ in reply.headers)
        kept = transports() - sessions
        left = len(asyncio.all_tasks()) - tasks

    # What is right in the end opens a session, and there is room for two.
    assert {status for status in statuses if status >= 500} == {503}, statuses
    assert {status // 100 for status in statuses} == {2, 4, 5}, statuses
    assert kept <= 2  # those whose handshake was right
    assert left <= 4 * kept


@pytest.mark.parametrize(
    "path",
    [
        *("//mcp", "/mcp//", "/MCP", "/mcp;x=1", "/mcp%2f", "/%6dcp", "/mcp/../mcp"),
        *("/mcp/./", "/./mcp", "/mcp\\", "/mcp\x00", "/mcp/healthz", "/healthz/mcp"),
        *("/metrics/../mcp", "/.well-known/../mcp", "/mcp/team/x", "mcp", ""),
    ],
)
async def test_a_path_has_one_spelling(tmp_path: Path, path: str) -> None:
    config = '[[servers]]\nid = "team"\n'
    async with served(tmp_path, config=config) as (app, _):
        reply = await ask(
            app, "POST", path, headers=GOOD, body=message("initialize", HELLO)
        )

    assert reply.status in (404, 405), (path, reply.status)


async def test_events_are_never_played_again(tmp_path: Path) -> None:
    async with served(tmp_path) as (app, _):
        reply = await modern_call("nothing").send_to(app)
        again = await ask(app, "GET", headers=(*GOOD, LEGACY, (b"last-event-id", b"1")))

    assert reply.value(b"mcp-session-id") is None
    assert again.status in (400, 404)


@pytest.mark.parametrize("module", [guards, book], ids=["machine", "store"])
def test_secrets_are_compared_by_digest_or_in_constant_time_only(module: Any) -> None:
    tree = ast.parse(inspect.getsource(module))
    compared = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        and any("token" in ast.unparse(side) for side in (node.left, *node.comparators))
        and isinstance(node.ops[0], ast.Eq | ast.NotEq)
    ]
    calls = {
        ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)
    }

    assert compared == []
    assert "compare_digest" in calls
