"""What `make conformance` runs, as far as it can be seen without Node."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conformance import pack
from conformance.naming import as_host, as_suite, rename
from conformance.protocol import FIXTURES, add_deprecated
from conformance.run import read_checks, read_expected, surprises
from mcp import Client
from mcp_types import ElicitResult
from server.world import Mode, running, server_of

from abilities_host.hooks.packs import local_pack
from abilities_host.server.eras import ERAS


async def choose(_context: Any, params: Any) -> ElicitResult:
    names = params.requested_schema["properties"]
    return ElicitResult(action="accept", content=dict.fromkeys(names, "red"))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_fixtures_are_there_by_the_names_of_the_suite(
    tmp_path: Path, mode: Mode
) -> None:
    async with running(tmp_path, local_pack("conformance", pack)) as host:
        server = server_of(host)
        add_deprecated(server)
        rename(server)
        options: Any = {"mode": mode, "elicitation_callback": choose}
        async with Client(server, **options) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            prompts = {one.name for one in (await client.list_prompts()).prompts}
            image = await client.call_tool("test_image_content", {})
            name = "test_input_required_result_elicitation"
            hello = await client.call_tool(name, {})
            rounds = "test_input_required_result_multi_round"
            twice = await client.call_tool(rounds, {})
            logged = await client.call_tool("test_logging_tool", {})

    suite = {as_suite(f"test_{tool}") for tool in pack.TOOLS}
    assert tools == suite | {"json_schema_2020_12_tool"}
    assert prompts == {as_suite(f"test_{prompt}") for prompt in pack.PROMPTS}
    assert FIXTURES.keys() <= tools
    assert image.content[0].type == "image"
    assert getattr(hello.content[0], "text", "") == "Hello, red!"
    assert getattr(twice.content[0], "text", "") == "The favorite color is red."
    assert getattr(logged.content[0], "text", "") == "Logged."


def test_a_name_of_the_suite_leads_to_an_ability_and_back() -> None:
    assert as_host("test_simple_text") == "test_simple-text"
    assert as_suite(as_host("json_schema_2020_12_tool")) == "json_schema_2020_12_tool"
    assert as_host("unknown") == "unknown"


def test_whatever_fails_or_no_longer_does_is_told_where_it_is_not_expected() -> None:
    checks = {
        "tasks-a": Counter(FAILURE=1),
        "tasks-b": Counter(SUCCESS=2),
        "tools-list": Counter(FAILURE=1, SUCCESS=3),
        "ping": Counter(SUCCESS=1, WARNING=1),
    }

    told = surprises(checks, frozenset({"tasks-a", "tasks-b", "tasks-c"}))

    assert told == ["tools-list fails", "tasks-b passes: take it off the list"]


def test_findings_are_read_by_scenario(tmp_path: Path) -> None:
    folder = tmp_path / "server-json-schema-2020-12-2026-11-30T21-52-51-459Z"
    folder.mkdir()
    checks = [{"status": "SUCCESS"}, {"status": "SUCCESS"}, {"status": "FAILURE"}]
    (folder / "checks.json").write_text(json.dumps(checks), encoding="utf-8")

    assert read_checks(tmp_path) == {
        "json-schema-2020-12": Counter(SUCCESS=2, FAILURE=1)
    }


def test_only_what_no_revision_requires_may_fail() -> None:
    expected = read_expected()

    assert expected
    assert all(name.startswith("tasks-") for name in expected)
    assert len(ERAS) == 2
