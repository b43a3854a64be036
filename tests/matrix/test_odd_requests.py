"""Requests that are wrong in themselves tell nothing of what is off either."""

from pathlib import Path
from typing import Any

import pytest
from matrix.doors import DOORS, HttpSession
from matrix.reading import unlike
from matrix.reasons import REASONS
from matrix.walking import world_for

HIDING = [
    "disabled in the file",
    "disabled at run time",
    "not included",
    "scope missing",
    "scope of the server missing",
]
ODD: dict[str, tuple[str, dict[str, Any]]] = {
    "an argument that its header lacks": (
        "tools/call",
        {"name": "OWNER_read", "arguments": {"number": "one"}},
    ),
    "arguments that do not fit": (
        "tools/call",
        {"name": "OWNER_read", "arguments": {"input": [], "other": 1}},
    ),
    "arguments that are none": (
        "tools/call",
        {"name": "OWNER_read", "arguments": [1]},
    ),
    "a tool with a session that is none": (
        "tools/call",
        {"name": "OWNER_read", "_meta": {"abilities/session": 5}},
    ),
    "a resource with a session that is none": (
        "resources/read",
        {"uri": "OWNER://page", "_meta": {"abilities/session": 5}},
    ),
    "a template with a session that is none": (
        "resources/read",
        {"uri": "OWNER://notes/one", "_meta": {"abilities/session": ""}},
    ),
    "a prompt with a session that is none": (
        "prompts/get",
        {"name": "OWNER_letter", "_meta": {"abilities/session": []}},
    ),
    "a prompt with arguments that do not fit": (
        "prompts/get",
        {"name": "OWNER_letter", "arguments": {"tone": "three"}},
    ),
    "a template with a value that does not fit": (
        "resources/read",
        {"uri": "OWNER://notes/three"},
    ),
    "a state that nobody sealed": (
        "tools/call",
        {"name": "OWNER_read", "requestState": "1:confirm:x"},
    ),
    "a schema by the name of a tool": (
        "tools/call",
        {
            "name": "dispatcher_get-tool-schema",
            "arguments": {"names": ["OWNER_read", "OWNER/letter"]},
        },
    ),
    "a text of arguments behind call-tool": (
        "tools/call",
        {
            "name": "dispatcher_call-tool",
            "arguments": {"name": "OWNER/read", "arguments": '{"input": 1}'},
        },
    ),
    "a completion of an argument that is none": (
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "OWNER_letter"},
            "argument": {"name": "other", "value": "x"},
        },
    ),
}


def named(node: Any, owner: str) -> Any:
    """Write whose the names are."""
    if isinstance(node, dict):
        return {key: named(value, owner) for key, value in node.items()}
    if isinstance(node, list):
        return [named(each, owner) for each in node]
    return node.replace("OWNER", owner) if isinstance(node, str) else node


@pytest.mark.parametrize("door", [door for door in DOORS if door != "in process"])
@pytest.mark.parametrize("reason", HIDING)
async def test_an_odd_request_for_what_is_off_is_answered_as_for_what_never_was(
    tmp_path: Path, reason: str, door: str
) -> None:
    told: dict[str, str] = {}
    async with world_for(reason, tmp_path) as world:
        sessions = [await DOORS[door](world, each) for each in ("first", "first-small")]
        happens = REASONS[reason].happens
        assert happens is not None
        await happens(world)
        await sessions[0].ask("tools/list", {})
        for what, (method, params) in ODD.items():
            is_small = params.get("name", "").startswith("dispatcher")
            session = sessions[is_small]
            answer = await session.ask(method, named(params, "target"))
            twin = await session.ask(method, named(params, "absent"))
            told |= {what: unlike(answer, twin)} if unlike(answer, twin) else {}

    assert told == {}


async def test_what_is_on_is_told_of_its_missing_header(tmp_path: Path) -> None:
    async with world_for("disabled at run time", tmp_path) as world:
        session = await DOORS["http, later era"](world, "first")
        assert isinstance(session, HttpSession)
        method, params = ODD["an argument that its header lacks"]

        reply = await session.post(method, named(params, "target"))

    assert reply.status == 400
    assert b"Mcp-Param" in reply.body
