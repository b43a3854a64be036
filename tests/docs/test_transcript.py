"""The agent's session in a page, held with a real client and a real process."""

import asyncio
import contextlib
import json
import os
import re
import shlex
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from docs.pages import Block, blocks, page
from docs.test_sessions import Step, pattern_of, write
from mcp import Client, StdioServerParameters

PAGE = "tutorial/undo-a-change.md"
LINES = 13


@contextlib.asynccontextmanager
async def agent(host: Path) -> AsyncIterator[Client]:
    """Connect as any client does: the client starts the host and speaks MCP to it."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "abilities_host", "stdio"],
        env=dict(os.environ),
        cwd=host,
    )
    async with Client(server, mode="auto") as client:
        yield client


async def call(client: Client, line: str) -> str:
    """Call a tool; give what the client got, as the page shows it."""
    name, _, arguments = line.partition(" ")
    result = await client.call_tool(name, json.loads(arguments or "{}"))
    if result.structured_content is not None:
        return shown(result.structured_content)
    [content] = result.content
    error = (result.meta or {})["abilities/error"]
    return f"{getattr(content, 'text', '')}\n{shown(error['details'])}"


def shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


async def command(host: Path, line: str) -> str:
    """Run a command in a process of its own, beside the host that serves."""
    word, *arguments = shlex.split(line)
    assert word == "abilities"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "abilities_host", *arguments),
        cwd=host,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    return said.decode()


def steps(block: Block) -> list[Step]:
    sign = re.escape({"console": "$", "mcp": ">"}[block.language])
    parts = re.split(rf"^{sign} ", block.text, flags=re.MULTILINE)[1:]
    return [Step(*part.partition("\n")[::2]) for part in parts]


async def go_through(block: Block, host: Path, client: Client | None) -> int:
    """Do what a block shows; give how many lines that were."""
    if block.mark.startswith("file: "):
        write(block)
        return 0
    todo = steps(block)
    for line, expected in todo:
        got = await (call(client, line) if client else command(host, line))
        assert re.fullmatch(pattern_of(expected), got.strip(), re.DOTALL), got
    return len(todo)


async def test_an_agent_writes_is_stopped_undoes_and_the_record_is_whole(
    tmp_path: Path,
) -> None:
    await command(tmp_path, "abilities init demo")
    [config, policy, *session, check] = blocks(page(PAGE))
    host, count = tmp_path / "demo", 0
    with contextlib.chdir(host):
        write(config)
        write(policy)
        async with agent(host) as client:
            for block in session:
                count += await go_through(block, host, client)
        count += await go_through(check, host, None)

    assert count == LINES
