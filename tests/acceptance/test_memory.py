"""The whole story of project memory: a real client, a real terminal, real processes."""

import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from cli.at_terminal import MAIN, Desk, at_terminal
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

SECRET = b"four words of ana\n"
TEXT = "Nobody touches the prices in data/fruit.csv."
GUARDRAIL = {
    "type": "guardrail",
    "text": TEXT,
    "rationale": "Finance owns them.",
    "domain": "shop",
    "recall": ["prices"],
    "rule": {"domain": "files", "targets": ["data/fruit.csv"], "effect": "deny"},
}
FORBIDDEN = {"path": "./data/fruit.csv", "text": "apple,1"}


@contextlib.asynccontextmanager
async def agent(host: Path) -> AsyncIterator[Client]:
    """Connect a client, which starts the host and speaks MCP to it."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "abilities_host", "stdio"],
        env=dict(os.environ),
        cwd=host,
    )
    async with Client(server, mode="auto") as client:
        yield client


async def told(client: Client, tool: str, arguments: Mapping[str, Any]) -> Any:
    """Call what must succeed."""
    result = await client.call_tool(tool, dict(arguments))
    assert not result.is_error, text_of(result)
    return result.structured_content


async def refused(client: Client, tool: str, arguments: Mapping[str, Any]) -> str:
    """Call what must be refused; give what the model reads."""
    result = await client.call_tool(tool, dict(arguments))
    assert result.is_error
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


async def command(host: Path, *arguments: str) -> Any:
    """Run a command beside the host that serves; give its JSON."""
    words = [sys.executable, "-m", "abilities_host", *arguments, "--json"]
    return json.loads((await anyio.run_process(words, cwd=host)).stdout)


def state() -> dict[str, str]:
    """Where all of them keep what is outside the store."""
    return {"XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]}


def approve(host: Path) -> str:
    """Read to the end of what waits, and approve it with the secret."""
    with Desk(host, MAIN, "memory", "review", **state()) as desk:
        desk.wait_for(b"q quit")
        desk.type(b" ")
        desk.wait_for(b"q quit")
        desk.type(b"a")
        desk.wait_for(b"Secret of ana: ")
        desk.type(SECRET)
        return desk.finish().screen


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host as `init` makes it, and ana, who may approve."""
    answers = [(b"characters: ", SECRET), (b"again: ", SECRET)]
    made = at_terminal(tmp_path, "init", "demo", "--no-account", answers=(), **state())
    folder = tmp_path / "demo"
    account = at_terminal(folder, "admin", "add", "ana", answers=answers, **state())
    assert (made.code, account.code) == (0, 0), made.screen + account.screen
    return folder


async def test_what_an_agent_learns_it_learns_from_people(host: Path) -> None:
    async with agent(host) as client:
        # What an agent proposes waits, and nobody is told or held to it.
        proposed = await told(client, "memory_remember", GUARDRAIL)
        assert (proposed["id"], proposed["status"]) == ("gm-001", "pending")
        hint = {"intent_hint": "change the prices"}
        assert (await told(client, "memory_recall", hint))["guidance"] == []
        await told(client, "files_write", {"path": "data/fruit.csv", "text": "a"})

        # A person reads it and approves, in another process.
        screen = await anyio.to_thread.run_sync(approve, host)
        assert TEXT in " ".join(screen.replace("|", " ").split())

        # The same session is told at once, and the next client without asking.
        [found] = (await told(client, "memory_recall", hint))["guidance"]
        assert (found["id"], found["text"]) == ("gm-001", TEXT)
        assert (found["reviewed_by"], found["advice"]) == ("ana", False)
        async with agent(host) as later:
            assert TEXT in (later.instructions or "")
            assert "approved by ana" in (later.instructions or "")

        # The write it forbids is stopped by every path, and the reason is named.
        onto = {"source": "notes/ideas.md", "destination": "data/fruit.csv"}
        for tool, arguments in (
            ("files_write", FORBIDDEN),
            ("files_move", {**onto, "overwrite": True}),
        ):
            said = await refused(client, tool, arguments)
            assert "gm-001" in said
            assert TEXT in said
        assert (host / "content" / "data" / "fruit.csv").read_text() == "a"

        # A summary gets the facts beside it, and where it differs from them.
        await told(client, "files_write", {"path": "notes/new.md", "text": "new"})
        summary = await told(
            client,
            "memory_save-session-summary",
            {"narrative": "I created notes/new.md. I deleted notes/ideas.md."},
        )
        assert summary["divergence"] is True
        assert summary["digest"]["by_domain"] == {"files": 2}
        kinds = {(each["kind"], each["target"]) for each in summary["divergences"]}
        assert ("claimed_not_recorded", "files:notes/ideas.md") in kinds
        assert ("recorded_not_claimed", "files:data/fruit.csv") in kinds

    # What is stopped in three sessions becomes a proposal, once.
    for _ in range(2):
        async with agent(host) as client:
            assert "gm-001" in await refused(client, "files_write", FORBIDDEN)
    first = await command(host, "memory", "patterns")
    again = await command(host, "memory", "patterns")
    waiting = await command(host, "memory", "list", "--status", "pending")
    assert json.dumps(first).count('"gm-002"') == 1
    assert '"gm-0' not in json.dumps(again)
    assert "vetoed" in json.dumps(waiting) or "stopped" in json.dumps(waiting)
