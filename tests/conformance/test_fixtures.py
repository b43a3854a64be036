"""What `make conformance` runs, as far as it can be seen without Node."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

from conformance import pack
from conformance.naming import as_host, as_suite, to_host, to_suite
from conformance.protocol import FIXTURES
from conformance.run import read_checks, read_expected, served, surprises
from mcp import Client
from mcp_types import CreateMessageResult, ElicitResult, TextContent
from server.world import Mode

from abilities_host.server.eras import ERAS

SAMPLED: dict[Mode, str] = {
    "auto": "test_input_required_result_sampling",
    "legacy": "test_sampling",
}


async def choose(_context: Any, params: Any) -> ElicitResult:
    names = params.requested_schema["properties"]
    return ElicitResult(action="accept", content=dict.fromkeys(names, "red"))


async def log(params: Any) -> None:
    """Take what a server logs, which the client would otherwise write somewhere."""


async def sample(_context: Any, params: Any) -> CreateMessageResult:
    content = TextContent(text="Paris")
    return CreateMessageResult(role="assistant", content=content, model="none")


def text_of(result: Any) -> str:
    return str(result.content[0].text)


async def visit(address: str, mode: Mode) -> dict[str, Any]:
    """Ask for fixtures of the host, and for some of the server beside it."""
    options: dict[str, Any] = {
        "elicitation_callback": choose,
        "sampling_callback": sample,
        "logging_callback": log,
    }
    async with Client(address, mode=mode, **options) as client:
        call = client.call_tool
        return {
            "tools": {tool.name for tool in (await client.list_tools()).tools},
            "prompts": {one.name for one in (await client.list_prompts()).prompts},
            "image": (await call("test_image_content", {})).content[0].type,
            "hello": text_of(await call("test_input_required_result_elicitation", {})),
            "twice": text_of(await call("test_input_required_result_multi_round", {})),
            "logged": text_of(await call("test_logging_tool", {})),
            "sampled": text_of(await call(SAMPLED[mode], {"prompt": "Where?"})),
        }


def test_the_command_serves_the_fixtures_by_the_names_of_the_suite(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o700)
    with served(tmp_path) as address:
        later = asyncio.run(visit(address, "auto"))
        earlier = asyncio.run(visit(address, "legacy"))

    suite = {as_suite(f"test_{tool}") for tool in pack.TOOLS}
    assert later["tools"] >= suite | {"json_schema_2020_12_tool"} | FIXTURES.keys()
    assert later["prompts"] >= {as_suite(f"test_{prompt}") for prompt in pack.PROMPTS}
    assert later["image"] == "image"
    assert later["hello"] == "Hello, red!"
    assert later["twice"] == "The favorite color is red."
    assert later["logged"] == "Logged."
    assert "Paris" in later.pop("sampled")
    assert "Paris" in earlier.pop("sampled")
    assert earlier == later


def test_a_name_of_the_suite_leads_to_an_ability_and_back() -> None:
    assert as_host("test_simple_text") == "test_simple-text"
    assert as_suite(as_host("json_schema_2020_12_tool")) == "json_schema_2020_12_tool"
    assert as_host("unknown") == "unknown"
    sent = b'{"name":"test_simple_text","said":"no test_simple_text"}'
    heard = b'{"name":"test_simple-text","said":"no test_simple_text"}'
    assert (to_host(sent), to_suite(heard)) == (heard, sent)


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
