"""Each client is shown what its family takes, and what it sends is brought back."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import Implementation
from server.http_world import GOOD, MODERN, ask, served
from server.world import Mode, connected, described, pack, running, text_of

from abilities_host.names import exposed_name
from abilities_host.schema.profiles import PROFILES, profile_of_client
from abilities_host.server.listing import Listing
from abilities_host.server.spec import following

both = pytest.mark.parametrize("mode", ["auto", "legacy"])

TUNED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "level": {"enum": [1, 2]},
        "$more": {"type": "object", "additionalProperties": True},
    },
    "required": ["level"],
    "additionalProperties": False,
}
LONG = "test/" + "a-very-long-name-" * 3 + "x"


def tune(arguments: Mapping[str, Any]) -> Any:
    return dict(arguments)


def tuned() -> Any:
    free = {"type": "object", "additionalProperties": True}
    return pack(("test/tune", described(tune, input_schema=TUNED, output_schema=free)))


def named(name: str) -> dict[str, Any]:
    return {"client_info": Implementation(name=name, version="1")}


async def schema_of(client: Client, tool: str = "test_tune") -> dict[str, Any]:
    listed = await client.list_tools(cache_mode="refresh")
    [found] = [each for each in listed.tools if each.name == tool]
    return dict(found.input_schema)


@both
async def test_a_client_is_known_by_its_name_and_gets_what_it_sent_for(
    tmp_path: Path, mode: Mode
) -> None:
    gemini = named("gemini-cli-mcp-client")
    async with connected(tmp_path, mode, tuned(), **gemini) as (client, _):
        schema = await schema_of(client)
        sent = {"level": "2", "$more": '{"a": [1]}'}
        result = await client.call_tool("test_tune", sent)

    assert schema["properties"]["level"]["enum"] == ["1", "2"]
    assert schema["properties"]["$more"]["type"] == "string"
    assert result.structured_content == {"level": 2, "$more": {"a": [1]}}


@both
async def test_a_client_that_nobody_knows_is_shown_the_schema_as_it_is(
    tmp_path: Path, mode: Mode
) -> None:
    async with connected(tmp_path, mode, tuned(), **named("other")) as (client, _):
        schema = await schema_of(client)
        result = await client.call_tool("test_tune", {"level": 2})
        text = await text_of(client, "test_tune", {"level": "2"})

    assert schema["properties"]["level"] == {"enum": [1, 2]}
    assert result.structured_content == {"level": 2}
    assert "invalid_input" in text or "level" in text


async def test_names_that_a_family_refuses_are_renamed_and_brought_back(
    tmp_path: Path,
) -> None:
    async with connected(tmp_path, "auto", tuned(), **named("claude-code")) as (
        client,
        _,
    ):
        keys = [*(await schema_of(client))["properties"]]
        [renamed] = [key for key in keys if key != "level"]
        result = await client.call_tool("test_tune", {"level": 1, renamed: {"a": 1}})

    assert "$" not in renamed
    assert result.structured_content == {"level": 1, "$more": {"a": 1}}


async def test_the_servers_own_profile_goes_before_the_clients_name(
    tmp_path: Path,
) -> None:
    config = '[server]\nprofile = "generic"'
    gemini = named("gemini-cli-mcp-client")
    async with connected(tmp_path, "auto", tuned(), config=config, **gemini) as (
        client,
        _,
    ):
        assert (await schema_of(client))["properties"]["level"] == {"enum": [1, 2]}


LIST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "cursor", "version": "1"},
        }
    },
}


@pytest.mark.parametrize(
    ("path", "header", "expected"),
    [
        ("/mcp?profile=gemini", None, ["1", "2"]),
        ("/mcp", (b"abilities-profile", b"gemini"), ["1", "2"]),
        ("/mcp?profile=vscode", (b"abilities-profile", b"gemini"), [1, 2]),
        ("/mcp", None, [1, 2]),
    ],
)
async def test_a_request_over_http_may_say_for_whom_it_asks(
    tmp_path: Path, path: str, header: Any, expected: list[Any]
) -> None:
    async with served(tmp_path, tuned()) as (app, _):
        reply = await listed_by(app, path, header)

    [tool] = reply["result"]["tools"]
    assert tool["inputSchema"]["properties"]["level"]["enum"] == expected


async def test_a_profile_that_there_is_not_is_an_error_with_a_guess(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, tuned()) as (app, _):
        reply = await listed_by(app, "/mcp?profile=gemin", None)

    assert "Did you mean 'gemini'?" in reply["error"]["message"]


async def listed_by(app: Any, path: str, header: Any) -> Any:
    more = [] if header is None else [header]
    headers = (*GOOD, MODERN, (b"mcp-method", b"tools/list"), *more)
    reply = await ask(app, path=path, headers=headers, body=LIST)
    return reply.json


def test_every_family_is_known_by_what_its_clients_call_themselves() -> None:
    said = {
        "claude-code": "anthropic",
        "claude-ai": "anthropic",
        "cursor-vscode": "cursor",
        "Visual Studio Code": "vscode",
        "gemini-cli-mcp-client-files": "gemini",
        "openai-mcp": "openai",
        "codex-mcp-client": "openai",
        "": "generic",
        "my-client": "generic",
    }

    assert {name: profile_of_client(name, "1", PROFILES).name for name in said} == said


async def test_a_long_name_is_cut_for_who_puts_the_servers_before_it(
    tmp_path: Path,
) -> None:
    cursor = PROFILES["cursor"]
    async with running(tmp_path, pack((LONG, described(tune)))) as host:
        listing = Listing(host, following(host))
        [tool] = await listing.tools("2026-07-28", host.actor("stdio"), cursor)
        found = listing.find(tool["name"], "2026-07-28", cursor)

    assert tool["name"] == exposed_name(LONG, cursor.name_budget("default"))
    assert len(tool["name"]) + len("default") < cursor.tool_name_limit
    assert found is not None
    assert found.ability.name == LONG


async def test_more_tools_than_a_family_takes_are_a_warning_that_names_the_way_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    many = pack(*((f"test/n{number}", described(tune)) for number in range(41)))
    async with running(tmp_path, many) as host:
        listing = Listing(host, following(host))
        with caplog.at_level(logging.WARNING):
            await listing.tools("2026-07-28", host.actor("stdio"), PROFILES["cursor"])

    assert "41 tools are listed" in caplog.text
    assert "[server] compact = true" in caplog.text


GARBLED = [
    ({"level": 2, "$more": '{"a": 1}'}, {"level": 2, "$more": {"a": 1}}),
    ({"level": 2, "$more": '"{\\"a\\": 1}"'}, {"level": 2, "$more": {"a": 1}}),
]


@pytest.mark.parametrize(("sent", "meant"), GARBLED)
async def test_an_object_that_comes_as_its_text_is_read_and_logged(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    sent: dict[str, Any],
    meant: dict[str, Any],
) -> None:
    async with connected(tmp_path, "auto", tuned()) as (client, _):
        with caplog.at_level(logging.INFO):
            result = await client.call_tool("test_tune", sent)

    assert result.structured_content == meant
    assert "test/tune: repaired /$more decoded" in caplog.text


@pytest.mark.parametrize("more", ["{a: 1}", "[1]", '"text"', "null"])
async def test_what_means_nothing_else_is_refused_and_not_run(
    tmp_path: Path, more: str
) -> None:
    async with connected(tmp_path, "auto", tuned()) as (client, _):
        text = await text_of(client, "test_tune", {"level": 2, "$more": more})

    assert "$more" in text
