"""What systemd does with a unit, done by hand: start it, stop it while calls run."""

import asyncio
import json
import shlex
import subprocess
import sys
from getpass import getuser
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from acceptance.over_http import HttpSite
from acceptance.world import PATIENCE, make_site

SOMEBODY = "daemon" if getuser() == "root" else getuser()
MODERN = "2026-07-28"


class Unit(HttpSite):
    """A site that is started with the command of its unit."""

    def settings(self) -> dict[str, str]:
        words = ("install", "systemd", "--user", SOMEBODY)
        printed = subprocess.run(
            [sys.executable, "-m", "abilities_host", *words, "--config", self.config],
            check=True,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
        )
        lines = [line.partition("=")[::2] for line in printed.stdout.splitlines()]
        return {key: value for key, value in lines if value}

    def command(self, *words: str) -> list[str]:
        assert words[:2] == ("serve", "--port")
        started = shlex.split(self.settings()["ExecStart"])
        assert started[-3:] == ["serve", "--config", str(self.config)]
        return [*started, *words[1:]]

    def ledger(self) -> list[dict[str, Any]]:
        words = ("ledger", "list", "--json", "--config", str(self.config))
        command = [sys.executable, "-m", "abilities_host", *words]
        printed = subprocess.run(
            command, check=True, capture_output=True, timeout=PATIENCE
        )
        # The pack of the site prints as well.
        said = printed.stdout[printed.stdout.index(b"{") :]
        found: list[dict[str, Any]] = json.loads(said)["changes"]
        return found


@pytest.fixture
def unit(tmp_path: Path) -> Unit:
    made = make_site(tmp_path, kind=Unit)
    assert isinstance(made, Unit)
    return made


async def call(unit: Unit, url: str, tool: str) -> httpx2.Response:
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": {}, "_meta": meta}
    headers = {
        **unit.headers,
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
        return await http.post(url, json=body)


async def test_stopping_the_service_answers_records_and_counts_as_a_good_end(
    unit: Unit,
) -> None:
    answers: list[httpx2.Response] = []

    async def wait(url: str) -> None:
        answers.append(await call(unit, url, "desk_wait"))

    async with unit.served() as server, anyio.create_task_group() as tasks:
        tasks.start_soon(wait, server.url)
        await unit.until_noted("waiting")
        code = await server.stop()

    told = await asyncio.to_thread(unit.settings)
    [entry] = await asyncio.to_thread(unit.ledger)
    [answer] = answers
    assert str(code) in told["SuccessExitStatus"].split()
    assert str(code) not in told["RestartPreventExitStatus"].split()
    assert unit.notes() == ["waiting", "waited"]
    assert (entry["ability"], entry["result"]) == ("desk/wait", "unknown")
    result = answer.json()["result"]
    assert result["isError"]
    assert result["_meta"]["abilities/error"]["code"] == "host_stopping"


async def test_what_a_person_must_mend_is_not_tried_again(unit: Unit) -> None:
    told = await asyncio.to_thread(unit.settings)
    command = [*shlex.split(told["ExecStart"]), "--port", "0"]
    unit.config.write_text("titel = 1\n")
    process = await asyncio.create_subprocess_exec(*command, stderr=subprocess.PIPE)
    with anyio.fail_after(PATIENCE):
        _, said = await process.communicate()

    assert str(process.returncode) in told["RestartPreventExitStatus"].split()
    assert b"titel" in said
