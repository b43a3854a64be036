"""Spans as the SDK of OpenTelemetry exports them."""

import asyncio
import importlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from requestlog.log_world import record
from server.world import write_config

from abilities_host.requestlog.opening import open_request_log
from abilities_host.requestlog.tracing import Tracing
from abilities_host.requestlog.writer import END_SECONDS

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"

Receive = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def sdk(name: str) -> Any:
    """The SDK is no dependency of the tests, so its types are not known."""
    return importlib.import_module(f"opentelemetry.sdk.{name}")


def test_a_request_is_a_span_below_that_of_its_client() -> None:
    memory = sdk("trace.export.in_memory_span_exporter").InMemorySpanExporter()
    provider = sdk("trace").TracerProvider()
    provider.add_span_processor(sdk("trace.export").SimpleSpanProcessor(memory))
    tracing = Tracing(provider.get_tracer("abilities-host"), provider.shutdown)

    spanned = tracing.begin("tools/call", "default", {"traceparent": PARENT})
    tracing.end(spanned, record())
    [span] = memory.get_finished_spans()
    tracing.close()

    assert f"{span.context.trace_id:032x}" == TRACE
    assert f"{span.parent.span_id:016x}" == "b7ad6b7169203331"
    assert (span.name, span.kind.name) == ("tools/call", "SERVER")
    assert dict(span.attributes) == {
        "mcp.method.name": "tools/call",
        "abilities.server": "default",
        "abilities.ability": "files/read",
        "abilities.via": "call-tool",
        "abilities.call": "c1",
        "abilities.status": "ok",
        "abilities.actor": "ci",
    }


@asynccontextmanager
async def sending_to(receive: Receive) -> AsyncIterator[None]:
    """Have spans sent to a server of this test."""
    server = await asyncio.start_server(receive, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    variables = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
    }
    os.environ.update(variables)
    try:
        async with server:
            yield
    finally:
        for name in variables:
            del os.environ[name]


async def send_one(folder: Path) -> None:
    text = "[requests]\ntraces = true"
    loaded = await asyncio.to_thread(write_config, folder, text)
    async with open_request_log(loaded) as log:
        assert log.tracing is not None
        spanned = log.tracing.begin("tools/list", "default", {})
        log.tracing.end(spanned, record(method="tools/list"))


async def test_a_host_sends_spans_where_the_variables_say(tmp_path: Path) -> None:
    received: list[bytes] = []

    async def receive(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        received.append(await reader.readexactly(length))
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )
        await writer.drain()
        writer.close()

    async with sending_to(receive):
        await send_one(tmp_path)

    assert b"tools/list" in b"".join(received)
    assert b"abilities-host" in b"".join(received)


async def test_who_never_takes_spans_does_not_hold_up_the_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    is_over = asyncio.Event()

    async def receive(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await is_over.wait()
        writer.close()

    async with sending_to(receive):
        with anyio.fail_after(3 * END_SECONDS):
            await send_one(tmp_path)
        is_over.set()

    assert "could not be written to its end in time" in caplog.text
