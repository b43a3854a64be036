"""Both eras through the SDK's own client, in memory: how calls end."""

import asyncio
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from server.world import (
    Mode,
    connected,
    described,
    pack,
    text_of,
)

from abilities_host import Call, ProposedWrite, Veto

both = pytest.mark.parametrize("mode", ["auto", "legacy"])


async def names(client: Client) -> list[str]:
    listed = await client.list_tools(cache_mode="refresh")
    return [tool.name for tool in listed.tools]


def echo(arguments: Any) -> Any:
    return arguments


@both
@pytest.mark.parametrize(
    ("schema", "result", "legacy"),
    [
        ({"type": "array"}, [1], {"data": [1]}),
        ({"type": ["object", "null"]}, None, {"data": None}),
        ({"type": ["object", "null"]}, {"a": 1}, {"data": {"a": 1}}),
        ({"type": "object"}, {"a": 1}, {"a": 1}),
        (None, None, {"data": None}),
    ],
)
async def test_a_client_that_checks_results_takes_every_kind(
    tmp_path: Path, mode: Mode, schema: Any, result: Any, legacy: Any
) -> None:
    one = described(lambda: result, input_schema=None, output_schema=schema)

    async with connected(tmp_path, mode, pack(("test/one", one))) as (client, _):
        await names(client)
        answer = await client.call_tool("test_one")

    assert answer.structured_content == (legacy if mode == "legacy" else result)


@both
async def test_arguments_of_any_kind_travel_under_input(
    tmp_path: Path, mode: Mode
) -> None:
    taken: list[Any] = []
    schema = {"type": "array", "items": {"type": "integer"}}
    add = described(taken.append, input_schema=schema)

    async with connected(tmp_path, mode, pack(("test/add", add))) as (client, _):
        assert not (await client.call_tool("test_add", {"input": [1]})).is_error
        said = await text_of(client, "test_add", {"input": ["x"]})

    assert taken == [[1]]
    assert "- /input/0: " in said


@both
async def test_a_tool_that_leads_to_nothing_is_itself_no_unknown_tool(
    tmp_path: Path, mode: Mode
) -> None:
    async def lead(arguments: Any, call: Call) -> Any:
        return (await call.execute(arguments["name"])).unwrap()

    async with connected(tmp_path, mode, pack(("test/lead", described(lead)))) as (
        client,
        _,
    ):
        said = await text_of(client, "test_lead", {"name": "test/none"})

    assert said == "ability_not_found: There is no ability 'test/none' here."


@both
async def test_the_text_of_a_crash_stays_in_the_host(
    tmp_path: Path, mode: Mode
) -> None:
    def crash() -> None:
        msg = "the password is hunter2"
        raise RuntimeError(msg)

    broken = pack(("test/crash", described(crash, input_schema=None)))
    async with connected(tmp_path, mode, broken) as (client, _):
        result = await client.call_tool("test_crash")

    assert result.is_error
    assert "hunter2" not in result.model_dump_json()
    assert "ability_callback_exception" in result.model_dump_json()


@both
async def test_an_invalid_call_names_each_place(tmp_path: Path, mode: Mode) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    one = described(echo, input_schema=schema)

    async with connected(tmp_path, mode, pack(("test/one", one))) as (client, _):
        said = await text_of(client, "test_one", {"n": "x", "m": 1})

    first, *places = said.split("\n")
    assert first == "ability_invalid_input: Ability 'test/one' has invalid input:"
    assert len(places) == 2
    assert any(place.startswith("- /n: ") for place in places)


@both
async def test_a_veto_names_plugin_and_reason(tmp_path: Path, mode: Mode) -> None:
    def before_write(write: ProposedWrite) -> Veto:
        return Veto("Not on Fridays.")

    guard = pack(("test/one", described(echo)), before_write=before_write)
    async with connected(tmp_path, mode, guard) as (client, _):
        said = await text_of(client, "test_one", {})

    assert said == (
        "write_vetoed: The write 'test/one' was stopped by 'local/test': "
        "Not on Fridays."
    )


@both
async def test_progress_reaches_who_asked_for_it(tmp_path: Path, mode: Mode) -> None:
    async def steps(arguments: Any, call: Call) -> None:
        await call.report_progress(1, 2, "half")
        await call.report_progress(2, 2)

    heard: list[Any] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with connected(tmp_path, mode, pack(("test/steps", described(steps)))) as (
        client,
        _,
    ):
        await client.call_tool("test_steps", {})
        await client.call_tool("test_steps", {}, progress_callback=listen)

    assert heard == [(1, 2, "half"), (2, 2, None)]


@both
async def test_progress_that_is_no_json_is_mended_or_left_out(
    tmp_path: Path, mode: Mode
) -> None:
    async def steps(arguments: Any, call: Call) -> None:
        await call.report_progress(float("nan"), 2)
        await call.report_progress(1, float("inf"))
        await call.report_progress(2, 2, "half \ud800 pair" + "." * 5_000)

    heard: list[Any] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with connected(tmp_path, mode, pack(("test/steps", described(steps)))) as (
        client,
        _,
    ):
        await client.call_tool("test_steps", {}, progress_callback=listen)

    assert heard == [(2, 2, ("half ? pair" + "." * 5_000)[:2_000])]


@both
async def test_a_call_that_the_client_gives_up_is_cancelled(
    tmp_path: Path, mode: Mode
) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    waiting = pack(("test/wait", described(wait, input_schema=None)))
    async with connected(tmp_path, mode, waiting) as (client, _):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "test_wait")
            await started.wait()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(10):
            await ended.wait()


@both
async def test_while_the_store_cannot_be_read_nothing_is_listed_or_run(
    tmp_path: Path, mode: Mode
) -> None:
    ran: list[Any] = []
    one = pack(("test/one", described(ran.append)))

    async with connected(tmp_path, mode, one) as (client, host):
        store = host.loaded.store_path
        await asyncio.to_thread(store.rename, store.with_name("elsewhere"))
        # That the file is gone is noticed within a moment, not at the very next call.
        async with asyncio.timeout(20):
            while not (await client.call_tool("test_one", {})).is_error:
                ran.clear()
        said = await text_of(client, "test_one", {})
        with pytest.raises(MCPError) as refused:
            await names(client)
        await asyncio.to_thread(store.with_name("elsewhere").rename, store)

    assert ran == []
    assert said.startswith("store_unreadable: ")
    assert refused.value.message in said
