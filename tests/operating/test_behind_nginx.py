"""The page about nginx leads where it says: two clients through TLS, nobody else."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from operating.site import NAME, PATIENCE, URL, Mode, Served, exchange, serve

from abilities_host.server.endpoint import BODY_BYTES

pytestmark = pytest.mark.timeout(180)  # a site is made, and served by two programs
both = pytest.mark.parametrize("mode", ["auto", "legacy"])
READS = {"files_list", "files_read", "files_search"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("site")) as served:
        yield served


@both
async def test_one_client_writes_and_the_other_reads_what_it_wrote(
    served: Served, mode: Mode
) -> None:
    text = f"written by a client of {mode}"
    async with (
        served.client("writer", "/mcp", mode) as writer,
        served.client("reader", "/mcp/reading", mode) as reader,
    ):
        offered = {tool.name for tool in (await writer.list_tools()).tools}
        shown = {tool.name for tool in (await reader.list_tools()).tools}
        path = f"{mode}.md"
        wrote = await writer.call_tool("files_write", {"path": path, "text": text})
        read = await reader.call_tool("files_read", {"path": path})

    assert shown == READS
    assert {*READS, "files_write", "desk_steps"} <= offered
    assert not wrote.is_error
    assert text in str(read.content)


@pytest.mark.parametrize(
    ("name", "route"), [("reader", "/mcp"), ("writer", "/mcp/reading")]
)
async def test_a_token_is_for_its_own_server(
    served: Served, name: str, route: str
) -> None:
    async with served.http(served.tokens[name]) as http:
        answer = await http.post(f"{URL}{route}", content=b"{}")

    assert answer.status_code == 401
    assert answer.headers["cache-control"] == "no-store"


@both
async def test_an_event_arrives_while_the_call_still_runs(
    served: Served, mode: Mode
) -> None:
    word = f"go-on-{mode}"

    async def let_it_end(
        progress: float, total: float | None, message: str | None
    ) -> None:
        assert (progress, total, message) == (1, 2, "begun")
        # Held back on the way, this would come after the end that waits for it.
        await asyncio.to_thread((served.folder / word).touch)

    with anyio.fail_after(PATIENCE):
        async with served.client("writer", "/mcp", mode) as client:
            ended = await client.call_tool(
                "desk_steps", {"until": word}, progress_callback=let_it_end
            )

    assert "ended" in str(ended.content)


@both
async def test_a_stream_brings_what_another_process_switches(
    served: Served, mode: Mode
) -> None:
    heard, tool = asyncio.Event(), {"auto": "move", "legacy": "edit"}[mode]

    async def listen(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            heard.set()

    async def switch() -> None:
        await asyncio.to_thread(served.run, "disable", f"files/{tool}")

    with anyio.fail_after(PATIENCE):
        async with served.client(
            "writer", "/mcp", mode, message_handler=listen
        ) as client:
            before = {tool.name for tool in (await client.list_tools()).tools}
            if mode == "auto":
                async with client.listen(tools_list_changed=True) as changes:
                    await switch()
                    await anext(aiter(changes))
            else:
                await switch()
                await heard.wait()
            after = {tool.name for tool in (await client.list_tools()).tools}

    assert before - after == {f"files_{tool}"}


@pytest.mark.parametrize("path", ["/healthz", "/mcp"])
async def test_under_another_name_nobody_is_served(served: Served, path: str) -> None:
    async with served.http(served.tokens["writer"], Host="evil.example") as http:
        answer = await http.post(f"{URL}{path}", content=b"{}")

    assert (answer.status_code, answer.json()["code"]) == (421, "host_not_allowed")
    assert NAME not in answer.text


async def test_what_a_client_writes_of_the_way_is_replaced(served: Served) -> None:
    forged = {
        "X_Forwarded_Host": "evil.example",
        "X_Forwarded_Proto": "gopher",
        "Forwarded": "for=192.0.2.1;host=evil.example",
    }
    async with served.http(**forged) as http:
        answer = await http.get(f"{URL}/healthz")

    assert (answer.status_code, answer.json()) == (200, {"ok": True})


async def test_a_page_of_another_origin_may_not_call(served: Served) -> None:
    token = served.tokens["writer"]
    async with (
        served.http(token, Origin="https://evil.example") as foreign,
        served.http(token, Origin=URL) as own,
    ):
        refused = await foreign.post(f"{URL}/mcp", content=b"x")
        known = await own.post(f"{URL}/mcp", content=b"x")

    assert (refused.status_code, known.status_code) == (403, 400)
    for answer in (
        refused,
        known,
    ):  # without such a header no browser shows it to a page
        assert not any(name.startswith("access-control-") for name in answer.headers)


@pytest.mark.parametrize(
    "path", ["metrics", "metrics/", "%6detrics", "x/../metrics", "admin", "admin/queue"]
)
def test_what_is_for_who_looks_after_it_stays_on_the_machine(
    served: Served, path: str
) -> None:
    token = served.tokens["writer"]
    head = f"Host: {NAME}\r\nAuthorization: Bearer {token}\r\n\r\n"
    said = exchange(served, f"GET /{path} HTTP/1.0\r\n{head}")

    assert said.startswith(b"HTTP/1.1 404 ")
    assert b"<center>nginx" in said  # the host was not asked


@pytest.mark.parametrize(("more", "status"), [(0, 400), (1, 413)])
async def test_a_message_as_large_as_the_host_takes_is_passed_on_and_no_larger(
    served: Served, more: int, status: int
) -> None:
    headers = {
        "Content_Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    async with served.http(served.tokens["writer"], **headers) as http:
        answer = await http.post(f"{URL}/mcp", content=b" " * (BODY_BYTES + more))
        after = await http.get(f"{URL}/healthz")

    assert (answer.status_code, after.status_code) == (status, 200)


async def test_who_shows_no_good_token_is_known_by_the_address_it_comes_from(
    tmp_path: Path,
) -> None:
    config = "\n[limits]\nfailures_per_minute = 3\n"
    with serve(tmp_path, config=config) as served:
        liar = [await _stranger(served, "127.0.0.2", number) for number in range(5)]
        other = await _stranger(served, "127.0.0.3", 0)

    assert liar == [401, 401, 401, 429, 429]
    assert other == 401


async def _stranger(served: Served, come_from: str, number: int) -> int:
    forged = f"192.0.2.{number}"
    async with served.http(
        "none", come_from=come_from, X_Forwarded_For=forged, X_Real_IP=forged
    ) as http:
        return (await http.post(f"{URL}/mcp", content=b"{}")).status_code


@pytest.mark.long
def test_a_body_that_does_not_come_holds_nothing_up(tmp_path: Path) -> None:
    short = {"client_body_timeout 30s": "client_body_timeout 1s"}
    with serve(tmp_path, **short) as served:
        head = f"POST /mcp HTTP/1.1\r\nHost: {NAME}\r\nContent-Length: 9\r\n\r\n{{"
        said = exchange(served, head)
        health = exchange(served, f"GET /healthz HTTP/1.0\r\nHost: {NAME}\r\n\r\n")

    assert not said or said.startswith(b"HTTP/1.1 408 ")
    assert health.startswith(b"HTTP/1.1 200 ")
