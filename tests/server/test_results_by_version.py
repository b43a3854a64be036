"""Results in every protocol version, as they are on the wire; rows I-21 to I-25c."""

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcp import Client
from server.wire_world import (
    EARLIEST,
    EVERY,
    NEWEST,
    OBJECTS,
    VERSIONS,
    sdk_session,
    text_in,
    wired,
)
from server.world import connected, described, pack

from abilities_host import AbilityFailed
from abilities_host.hooks.packs import Pack

TOTALS = [{"slug": "simple", "total": 3}, {"slug": "variable", "total": 1}]
ROWS = {"type": "array", "items": {"type": "object", "additionalProperties": True}}

RESULTS: dict[str, tuple[Any, Any]] = {
    "list": (TOTALS, ROWS),
    "list-unsaid": (TOTALS, None),
    "empty-list": ([], ROWS),
    "string": ("words", {"type": "string"}),
    "string-unsaid": ("words", None),
    "number": (7, {"type": "integer"}),
    "null": (None, {"type": "null"}),
    "null-unsaid": (None, None),
    "object": ({"a": [1]}, {"type": "object", "additionalProperties": True}),
    "object-unsaid": ({"a": [1]}, None),
    "empty-object": ({}, {"type": "object"}),
    "object-or-null": ({"a": 1}, {"type": ["object", "null"]}),
}


def giver(name: str, result: Any, schema: Any) -> tuple[str, dict[str, Any]]:
    one = described(lambda: result, input_schema=None, output_schema=schema)
    return f"test/{name}", one


def givers() -> Pack:
    return pack(*(giver(name, *each) for name, each in RESULTS.items()))


def mirrored(result: Any) -> str:
    is_text = isinstance(result, str)
    return result if is_text else json.dumps(result, separators=(",", ":"))


def is_wrapped(result: Any, schema: Any) -> bool:
    is_declared = schema is not None and schema["type"] != "object"
    return is_declared or not isinstance(result, dict)


@pytest.mark.parametrize("version", OBJECTS)
async def test_i21_a_list_at_the_root_is_an_object_up_to_2025_11_25(
    tmp_path: Path, version: str
) -> None:
    """I-21: a top-level list made strict clients fail; it stands under `data`."""
    async with wired(tmp_path, version, givers()) as wire:
        tool = (await wire.tools())["test_list"]
        result = await wire.call("test_list")

    assert tool["outputSchema"] == {
        "type": "object",
        "properties": {"data": ROWS},
        "required": ["data"],
    }
    assert result["structuredContent"] == {"data": TOTALS}
    assert not result.get("isError")


@EVERY
async def test_i22_only_the_structured_mirror_is_wrapped_never_the_text(
    tmp_path: Path, version: str
) -> None:
    """I-22: lists, texts, numbers and null in text are what the ability gave."""
    async with wired(tmp_path, version, givers()) as wire:
        texts = {name: text_in(await wire.call(f"test_{name}")) for name in RESULTS}

    assert texts == {name: mirrored(result) for name, (result, _) in RESULTS.items()}


async def test_i23_the_newest_version_gets_any_json_as_it_is(tmp_path: Path) -> None:
    """I-23: a wrap would break an output schema of `type: array`; null is there too."""
    async with wired(tmp_path, NEWEST, givers()) as wire:
        tools = await wire.tools()
        results = {name: await wire.call(f"test_{name}") for name in RESULTS}

    assert {name: each["structuredContent"] for name, each in results.items()} == {
        name: result for name, (result, _) in RESULTS.items()
    }
    assert tools["test_list"]["outputSchema"] == ROWS
    assert tools["test_string"]["outputSchema"] == {"type": "string"}


@pytest.mark.parametrize("version", OBJECTS)
async def test_i23_versions_before_it_get_an_object_each_time(
    tmp_path: Path, version: str
) -> None:
    """I-23: wrapped by the version that was agreed on; an object or `{}` never is."""
    async with wired(tmp_path, version, givers()) as wire:
        results = {name: await wire.call(f"test_{name}") for name in RESULTS}

    assert {name: each["structuredContent"] for name, each in results.items()} == {
        name: {"data": result} if is_wrapped(result, schema) else result
        for name, (result, schema) in RESULTS.items()
    }


@pytest.mark.parametrize("version", EARLIEST)
async def test_i24_before_2025_06_18_there_is_text_and_no_structure(
    tmp_path: Path, version: str
) -> None:
    """I-24: neither `outputSchema` nor `structuredContent`, also not as null."""
    async with wired(tmp_path, version, givers()) as wire:
        tools = await wire.tools()
        results = {name: await wire.call(f"test_{name}") for name in RESULTS}

    assert tools.keys() == {f"test_{name}" for name in RESULTS}
    assert [name for name, tool in tools.items() if "outputSchema" in tool] == []
    assert [n for n, result in results.items() if "structuredContent" in result] == []
    assert {name: text_in(each) for name, each in results.items()} == {
        name: mirrored(result) for name, (result, _) in RESULTS.items()
    }


async def test_i24_an_early_client_takes_nothing_from_the_others(
    tmp_path: Path,
) -> None:
    """I-24: two clients of one host, each as its own version has it."""
    async with wired(tmp_path, EARLIEST[0], givers()) as early:
        first = await early.tools()
        late = type(early)(early.app, OBJECTS[-1], early.host)
        await late.open()
        second = await late.tools()
        again = await early.tools()

    assert first == again
    assert "outputSchema" not in first["test_list"]
    assert "outputSchema" in second["test_list"]


@pytest.mark.parametrize("version", [*OBJECTS, NEWEST])
async def test_i25a_what_is_declared_is_there_and_valid(
    tmp_path: Path, version: str
) -> None:
    """I-25a: an output schema without structured content is -32600 in some clients."""
    async with wired(tmp_path, version, givers()) as wire:
        tools = await wire.tools()
        results = {name: await wire.call(f"test_{name}") for name in RESULTS}

    declared = [name for name, (_, schema) in RESULTS.items() if schema is not None]
    for name in declared:
        schema = tools[f"test_{name}"]["outputSchema"]
        assert jsonschema_rs.is_valid(schema, results[name]["structuredContent"])
    assert declared == [n for n in RESULTS if "outputSchema" in tools[f"test_{n}"]]


def failing() -> Pack:
    def fail() -> Any:
        raise AbilityFailed("The shelf is full.", code="full")

    schema = {"type": "object", "required": ["a"], "properties": {"a": {}}}
    one = described(fail, input_schema=None, output_schema=schema)
    other = described(lambda: {"b": 1}, input_schema=None, output_schema=schema)
    return pack(("test/fail", one), ("test/lie", other))


@EVERY
@pytest.mark.parametrize(
    ("tool", "code"), [("test_fail", "full"), ("test_lie", "ability_invalid_output")]
)
async def test_i25a_an_error_is_marked_and_held_to_no_schema(
    tmp_path: Path, version: str, tool: str, code: str
) -> None:
    """I-25a: errors say `isError` and have text; nothing there to be validated."""
    async with wired(tmp_path, version, failing()) as wire:
        result = await wire.call(tool)

    assert result["isError"] is True
    assert "structuredContent" not in result
    assert text_in(result).startswith(f"{code}: ")
    assert result["_meta"]["abilities/error"]["code"] == code


@pytest.mark.parametrize("version", VERSIONS[:-1])
async def test_i25a_the_sdks_client_takes_every_result_of_every_version(
    tmp_path: Path, version: str
) -> None:
    """I-25a: it validates by the output schemas that it was shown."""
    async with sdk_session(tmp_path, version, givers()) as session:
        tools = (await session.list_tools()).tools
        results = [await session.call_tool(tool.name) for tool in tools]

    assert len(tools) == len(RESULTS)
    assert [result.is_error for result in results] == [False] * len(RESULTS)


@pytest.mark.parametrize("version", VERSIONS[:-1])
async def test_i25a_the_sdks_client_takes_errors_of_tools_with_an_output_schema(
    tmp_path: Path, version: str
) -> None:
    """I-25a: what is an error is not validated."""
    async with sdk_session(tmp_path, version, failing()) as session:
        await session.list_tools()
        results = [await session.call_tool(f"test_{name}") for name in ("fail", "lie")]

    assert [result.is_error for result in results] == [True, True]


async def test_i25a_the_sdks_client_of_the_newest_version_takes_them_too(
    tmp_path: Path,
) -> None:
    """I-25a: the same for 2026-07-28, where there is no handshake."""

    async def call_all(client: Client) -> list[bool]:
        tools = (await client.list_tools()).tools
        return [(await client.call_tool(tool.name)).is_error for tool in tools]

    async with connected(tmp_path, "auto", givers()) as (client, _):
        good = await call_all(client)
    async with connected(tmp_path / "bad", "auto", failing()) as (client, _):
        bad = await call_all(client)

    assert (good, bad) == ([False] * len(RESULTS), [True, True])


@EVERY
async def test_i25b_an_output_schema_of_a_wrong_type_costs_its_own_tool_only(
    tmp_path: Path, version: str
) -> None:
    """I-25b: one such schema made clients drop the whole list."""
    wrong = pack(
        giver("nonsense", {}, {"type": "record"}),
        giver("no-schema", {}, ["object"]),
        giver("good", {}, {"type": "object"}),
        giver("array", [], {"type": "array"}),
    )
    async with wired(tmp_path, version, wrong) as wire:
        tools = await wire.tools()

    assert set(tools) == {"test_good", "test_array"}
    refused = " ".join(wrong.refused)
    assert all(f"'test/{name}'" in refused for name in ("nonsense", "no-schema"))
    roots = {tool.get("outputSchema", {}).get("type") for tool in tools.values()}
    expected = {"object", "array"} if version == NEWEST else {"object"}
    assert roots == ({None} if version in EARLIEST else expected)


@pytest.mark.parametrize("version", [*OBJECTS, NEWEST])
async def test_i25c_text_and_structure_say_the_same(
    tmp_path: Path, version: str
) -> None:
    """I-25c: clients prefer the one or the other, so nothing is in one alone."""
    async with wired(tmp_path, version, givers()) as wire:
        results = {name: await wire.call(f"test_{name}") for name in RESULTS}

    for name, (result, schema) in RESULTS.items():
        wraps = version != NEWEST and is_wrapped(result, schema)
        structured = results[name]["structuredContent"]
        said = text_in(results[name])
        told = said if isinstance(result, str) else json.loads(said)
        assert told == (structured["data"] if wraps else structured) == result


async def test_i25c_they_say_the_same_when_many_versions_ask_at_once(
    tmp_path: Path,
) -> None:
    """I-25c: what one version gets does not depend on who else asks."""
    async with wired(tmp_path, VERSIONS[0], givers()) as first:
        wires = [type(first)(first.app, version, first.host) for version in VERSIONS]
        for wire in wires:
            await wire.open()
        calls = [wire.call("test_list") for wire in wires for _ in range(3)]
        results = await asyncio.gather(*calls)

    told = [result.get("structuredContent") for result in results]
    wanted = [None, None, {"data": TOTALS}, {"data": TOTALS}, TOTALS]
    assert told == [each for each in wanted for _ in range(3)]
    assert {text_in(result) for result in results} == {mirrored(TOTALS)}
