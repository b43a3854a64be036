"""Every request is told to the log: what ran, for whom, how it ended; never more."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import ElicitResult, Implementation
from opentelemetry import trace
from pydantic import ValidationError
from server.http_world import (
    ACCEPT,
    GOOD,
    HOST,
    JSON,
    TOKEN,
    URL,
    ask,
    client_of,
    initialize,
    message,
)
from server.world import Mode, described, pack, running

import abilities_dispatcher
from abilities_host import AbilityFailed, Actor, Call, NeedsInput
from abilities_host.hooks.packs import local_pack
from abilities_host.host import Host
from abilities_host.requestlog.exposition import metrics_text
from abilities_host.requestlog.log import RequestLog
from abilities_host.requestlog.record import Record
from abilities_host.requestlog.tracing import Tracing
from abilities_host.server.builder import build_server
from abilities_host.server.http import HttpApp, serve_host
from abilities_host.server.noting import Note
from abilities_host.server.observing import LISTS, ending_of, ending_of_error

HIDDEN = "an argument that nobody may read"
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
NUMBER = {
    "type": "object",
    "properties": {"number": {"type": "integer"}, "post": {"type": "object"}},
    "additionalProperties": False,
}


class Told(RequestLog):
    """A log that only remembers."""

    def __init__(self, tracing: Tracing | None = None) -> None:
        super().__init__(tracing=tracing)
        self.records: list[Record] = []

    def note(self, record: Record) -> None:
        super().note(record)
        self.records.append(record)

    def of(self, method: str) -> list[Record]:
        return [each for each in self.records if each.method == method]


def fail(arguments: Any) -> None:
    msg = f"It failed: {arguments}"
    raise AbilityFailed(msg)


def crash(arguments: Any) -> None:
    raise ValueError(HIDDEN)


async def accept(_context: Any, _params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"confirm": True})


def question(call: Call) -> str:
    if call.answer is None:
        msg = "Really?"
        raise NeedsInput(msg)
    return "yes"


class Hanging:
    """An ability that waits until it is given up."""

    def __init__(self) -> None:
        self.begun = anyio.Event()

    async def __call__(self, arguments: Any) -> None:
        self.begun.set()
        await anyio.sleep_forever()


def packs(hanging: Hanging | None = None) -> tuple[Any, ...]:
    test = pack(
        ("test/echo", described(lambda value: value, input_schema=NUMBER)),
        ("test/fail", described(fail)),
        ("test/crash", described(crash)),
        ("test/hang", described(hanging or Hanging())),
        ("test/ask", described(question, input_schema=None)),
        ("test/admin", described(lambda value: value, requires="test:admin")),
    )
    dispatcher = local_pack("dispatcher", abilities_dispatcher)
    dispatcher.identity = "abilities-host/dispatcher"
    return test, dispatcher


@asynccontextmanager
async def observed(
    folder: Path,
    mode: Mode,
    config: str = "",
    *,
    log: Told | None = None,
    hanging: Hanging | None = None,
    **client: Any,
) -> AsyncIterator[tuple[Client, Told, Host]]:
    """Connect a client, in memory, to a server that is observed."""
    log = log or Told()
    async with running(folder, *packs(hanging), config=config) as host:
        server = build_server(
            host, authenticate=lambda _ctx: host.actor("stdio"), requests=log
        )
        async with Client(server, mode=mode, **client) as session:
            yield session, log, host


COMPACT = "[server]\ncompact = true"
MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


@MODES
async def test_a_call_is_told_with_all_that_is_known_of_it(
    tmp_path: Path, mode: Mode
) -> None:
    me = Implementation(name="a client", version="1")
    async with observed(tmp_path, mode, client_info=me) as (client, log, host):
        result = await client.call_tool("test_echo", {"number": 7})
        session = host.session

    [told] = log.of("tools/call")
    meta = cast("dict[str, Any]", result.meta)
    assert told == Record(
        at=told.at,
        surface="stdio",
        server="default",
        method="tools/call",
        ability="test/echo",
        via="",
        actor="stdio",
        client="a client",
        status="ok",
        code="",
        micros=told.micros,
        bytes_in=told.bytes_in,
        bytes_out=len(b'{"number":7}'),
        request=told.request,
        era="2026-07-28" if mode == "auto" else "2025-11-25",
        repaired=0,
        session=session,
        trace="",
        call=meta["abilities/call"],
    )
    assert told.at > 0
    assert told.micros > 0
    assert told.bytes_in > len(b'{"number":7}')
    assert told.request.isdecimal()


@MODES
async def test_what_ran_behind_call_tool_is_told_by_its_own_name(
    tmp_path: Path, mode: Mode
) -> None:
    async with observed(tmp_path, mode, COMPACT) as (client, log, _):
        for name in ("test/echo", "test/fail", "test/admin", "test/\x1b[31m\nnone"):
            given: dict[str, Any] = {"name": name, "arguments": {}}
            await client.call_tool("dispatcher_call-tool", given)
        await client.call_tool("dispatcher_call-tool", {"name": "x", "arguments": 5})

    told = [(r.ability, r.via, r.status, r.code) for r in log.of("tools/call")]
    missing = ("dispatcher/call-tool", "", "refused", "ability_not_found")
    assert told == [
        ("test/echo", "call-tool", "ok", ""),
        ("test/fail", "call-tool", "failed", "ability_failed"),
        ("test/admin", "call-tool", "refused", "ability_not_found"),
        missing,
        ("dispatcher/call-tool", "", "refused", "ability_invalid_input"),
    ]
    assert len({each.call for each in log.of("tools/call")}) == 5


@MODES
async def test_every_other_request_is_told_too(tmp_path: Path, mode: Mode) -> None:
    async with observed(tmp_path, mode) as (client, log, _):
        await client.list_tools()
        await client.list_tools()
        await client.list_prompts()
        for missing in (client.call_tool("none", {}), client.get_prompt("none")):
            with pytest.raises(MCPError):
                await missing
        with pytest.raises(MCPError):
            await client.read_resource("none://none")

    hello = "server/discover" if mode == "auto" else "initialize"
    told = {(r.method, r.ability, r.status, r.code) for r in log.records}
    assert told == {
        (hello, "", "ok", ""),
        ("tools/list", "", "ok", ""),
        ("prompts/list", "", "ok", ""),
        ("tools/call", "", "refused", "ability_not_found"),
        ("prompts/get", "", "refused", "ability_not_found"),
        ("resources/read", "", "refused", "ability_not_found"),
    }
    assert {each.actor for each in log.records} == {"stdio"}
    sizes = {each.bytes_out for each in log.of("tools/list")}
    assert len(sizes) == 1
    assert sizes.pop() > 500


@MODES
async def test_how_a_call_ended_is_told_as_the_client_was_told(
    tmp_path: Path, mode: Mode
) -> None:
    async with observed(tmp_path, mode) as (client, log, _):
        await client.call_tool("test_echo", {"nunber": HIDDEN})
        await client.call_tool("test_crash", {"text": HIDDEN})
        await client.call_tool("test_fail", {"text": HIDDEN})
        with pytest.raises(MCPError):
            await client.call_tool("test_admin", {})

    told = [(r.ability, r.status, r.code) for r in log.of("tools/call")]
    assert told == [
        ("test/echo", "refused", "ability_invalid_input"),
        ("test/crash", "failed", "ability_callback_exception"),
        ("test/fail", "failed", "ability_failed"),
        ("test/admin", "refused", "ability_not_found"),
    ]
    assert HIDDEN not in repr(log.records)


async def test_an_open_question_is_told_and_so_is_that_nobody_answered(
    tmp_path: Path,
) -> None:
    async with observed(tmp_path / "a", "legacy") as (client, log, _):
        await client.call_tool("test_ask", {})
    [unanswered] = log.of("tools/call")

    async with observed(tmp_path / "b", "auto", elicitation_callback=accept) as (
        client,
        log,
        _,
    ):
        await client.call_tool("test_ask", {})
    told = [(r.ability, r.status, r.code) for r in log.of("tools/call")]

    assert (unanswered.status, unanswered.code) == ("refused", "needs_answer")
    assert unanswered.ability == "test/ask"
    assert told == [("test/ask", "input_required", ""), ("test/ask", "ok", "")]


async def test_mended_arguments_are_counted(tmp_path: Path) -> None:
    async with observed(tmp_path, "auto") as (client, log, _):
        await client.call_tool("test_echo", {"post": '{"a": 1}'})

    assert [(r.status, r.repaired) for r in log.of("tools/call")] == [("ok", 1)]


@MODES
async def test_a_call_that_was_given_up_is_told_as_unknown(
    tmp_path: Path, mode: Mode
) -> None:
    hanging = Hanging()
    async with observed(tmp_path, mode, hanging=hanging) as (client, log, _):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "test_hang", {})
            await hanging.begun.wait()
            assert log.metrics.in_flight == {"default": 1}
            tasks.cancel_scope.cancel()
        with anyio.fail_after(10):
            while not log.of("tools/call"):
                await anyio.sleep(0.01)

    [told] = log.of("tools/call")
    assert (told.ability, told.status, told.code, told.actor) == (
        "test/hang",
        "unknown",
        "ability_cancelled",
        "stdio",
    )
    assert log.metrics.in_flight == {"default": 0}


async def test_a_client_cannot_write_lines_into_the_log(tmp_path: Path) -> None:
    me = Implementation(name="a\r\n\x1b[2J\u202e" + "b" * 500, version="1")
    async with observed(tmp_path, "auto", client_info=me) as (client, log, _):
        await client.call_tool("test_echo", {})

    [told] = log.of("tools/call")
    assert told.client == "a���[2J�" + "b" * 120


async def test_a_log_that_fails_fails_no_call(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Told):
        def note(self, record: Record) -> None:
            raise RuntimeError(record.method)

    async with observed(tmp_path, "auto", log=Broken()) as (client, _, _host):
        result = await client.call_tool("test_echo", {"number": 1})

    assert result.structured_content == {"number": 1}
    assert "a request could not be logged" in caplog.text
    assert caplog.records[-1].levelno == logging.ERROR


def invalid() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Implementation.model_validate({})
    return caught.value


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (MCPError(-32601, "no"), ("refused", "method_not_found")),
        (MCPError(-32603, "no"), ("error", "internal_error")),
        (MCPError(-32077, "no"), ("refused", "other")),
        (MCPError(-32603, "no", {"code": "x"}), ("error", "x")),
        (MCPError(-32603, "no", {"code": "x", "status": "failed"}), ("failed", "x")),
        (
            MCPError(-32603, "no", {"code": 5, "status": "x"}),
            ("error", "internal_error"),
        ),
        (invalid(), ("refused", "invalid_params")),
        (ValueError("no"), ("error", "internal_error")),
        (asyncio.CancelledError(), ("unknown", "ability_cancelled")),
    ],
    ids=repr,
)
def test_every_error_is_a_status_and_a_code(
    error: BaseException, ending: tuple[str, str]
) -> None:
    assert ending_of_error(error, Note()) == ending


@pytest.mark.parametrize(
    ("result", "ending"),
    [
        (None, ("ok", "")),
        ({}, ("ok", "")),
        ({"isError": False}, ("ok", "")),
        ({"isError": True}, ("failed", "other")),
        ({"isError": True, "_meta": {"abilities/error": {}}}, ("failed", "other")),
        ({"resultType": "input_required"}, ("input_required", "")),
    ],
    ids=repr,
)
def test_every_result_is_a_status(
    result: dict[str, Any] | None, ending: tuple[str, str]
) -> None:
    assert ending_of(result) == ending


async def test_whoever_is_nobody_is_told_as_nobody(tmp_path: Path) -> None:
    def nobody(_ctx: Any) -> Actor:
        raise PermissionError

    log = Told()
    async with running(tmp_path, *packs()) as host:
        server = build_server(host, authenticate=nobody, requests=log)
        async with Client(server) as client:
            result = await client.call_tool("test_echo", {})

    [told] = log.of("tools/call")
    assert result.is_error
    assert (told.actor, told.ability, told.code) == ("", "", "server_failed")


async def test_listings_of_many_kinds_are_measured_within_bounds(
    tmp_path: Path,
) -> None:
    async with observed(tmp_path, "legacy") as (client, log, host):
        for _ in range(2 * LISTS):
            await client.list_tools()
            host.registry.unregister_category(
                host.registry.register_category("x", label="X", description="X.").slug
            )

    sizes = {each.bytes_out for each in log.of("tools/list")}
    assert (len(log.of("tools/list")), len(sizes)) == (2 * LISTS, 1)


async def test_what_no_json_can_say_is_measured_as_nothing(tmp_path: Path) -> None:
    async with observed(tmp_path, "auto") as (client, log, _):
        await client.call_tool("test_echo", {"number": 1 << 90})

    [told] = log.of("tools/call")
    assert (told.ability, told.bytes_in) == ("test/echo", 0)


# --- over HTTP ----------------------------------------------------------------


@asynccontextmanager
async def reached(
    folder: Path, config: str = ""
) -> AsyncIterator[tuple[HttpApp, Told]]:
    """Serve over HTTP, without a socket, and observe it."""
    log = Told()
    async with running(folder, *packs(), config=config) as host:
        app = serve_host(host, URL, token=TOKEN, requests=log)
        async with app.running():
            yield app, log


@MODES
async def test_over_http_both_eras_are_told(tmp_path: Path, mode: Mode) -> None:
    given = {"name": "test/echo", "arguments": {"number": 1}}
    async with (
        reached(tmp_path, COMPACT) as (app, log),
        client_of(app, mode) as client,
    ):
        await client.call_tool("dispatcher_call-tool", given)
        await client.list_tools()

    [call] = log.of("tools/call")
    [*_, listing] = log.of("tools/list")
    assert (call.surface, call.ability, call.via) == ("http", "test/echo", "call-tool")
    assert (call.actor, listing.actor) == ("http", "http")
    assert call.session
    assert (listing.session == call.session) is (mode == "legacy")
    assert call.bytes_in > 100
    assert call.era == ("2026-07-28" if mode == "auto" else "2025-11-25")


async def test_the_trace_of_a_request_is_that_of_its_meta_or_of_its_head(
    tmp_path: Path,
) -> None:
    other = TRACE[::-1]
    head = (b"traceparent", PARENT.encode())
    async with reached(tmp_path) as (app, log):
        session = await initialize(app)
        headers = (*GOOD, session, head)
        await ask(app, headers=headers, body=message("ping"))
        meta = {"traceparent": f"00-{other}-b7ad6b7169203331-01"}
        await ask(app, headers=headers, body=message("ping", {"_meta": meta}))
        meta = {"traceparent": "nonsense"}
        await ask(app, headers=headers, body=message("ping", {"_meta": meta}))

    assert [each.trace for each in log.of("ping")] == [TRACE, other, TRACE]


async def test_a_method_that_there_is_not_is_not_told_by_its_name(
    tmp_path: Path,
) -> None:
    async with reached(tmp_path) as (app, log):
        session = await initialize(app)
        body = {**message("evil\n\x1b[2J"), "id": "id\n\x1b" + "x" * 500}
        await ask(app, headers=(*GOOD, session), body=body)
        await ask(app, headers=(*GOOD, session), body=message("resources/read"))

    told = [(r.method, r.status, r.code, r.request) for r in log.records[1:]]
    assert told == [
        ("other", "refused", "method_not_found", "id��" + "x" * 60),
        ("resources/read", "refused", "invalid_params", "1"),
    ]
    assert 'method="other"' in metrics_text(log.metrics)


async def test_what_is_refused_before_the_protocol_is_told_once(
    tmp_path: Path,
) -> None:
    async with reached(tmp_path) as (app, log):
        session = await initialize(app)
        await ask(app, headers=[HOST, JSON, ACCEPT], body=message("ping"))
        await ask(app, headers=(*GOOD, session), body=message("no/method"))

    text = metrics_text(log.metrics)
    counted = [line for line in text.splitlines() if 'status="refused"' in line]
    assert len(counted) == 2
    assert any('method=""' in line and 'code="http_401"' in line for line in counted)
    assert any('code="method_not_found"' in line for line in counted)
    assert all(line.endswith(" 1") for line in counted)


async def test_with_traces_the_span_is_current_while_the_ability_runs(
    tmp_path: Path,
) -> None:
    class Tracer:
        def start_span(self, name: str, **options: Any) -> trace.Span:
            context = trace.SpanContext(int(TRACE, 16), 5, is_remote=False)
            return trace.NonRecordingSpan(context)

    seen: list[int] = []

    def look(arguments: Any) -> None:
        seen.append(trace.get_current_span().get_span_context().span_id)

    log = Told(Tracing(Tracer()))
    looking = pack(("test/look", described(look)))
    async with running(tmp_path, looking) as host:
        actor = host.actor("stdio")
        server = build_server(host, authenticate=lambda _: actor, requests=log)
        async with Client(server) as client:
            await client.call_tool("test_look", {})

    assert [each.trace for each in log.of("tools/call")] == [TRACE]
    assert seen == [5]
