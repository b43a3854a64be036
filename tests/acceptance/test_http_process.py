"""The process of `abilities serve`: its start, its signals and its end."""

import asyncio
import json
import signal
import socket
import stat
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE
from typing import Any

import anyio
import httpx2
import pytest
from acceptance.over_http import HttpSite, Server
from acceptance.world import PATIENCE, Mode, make_site
from mcp import Client

EXIT_SECONDS = 5.0  # the promise is one; a machine that runs all tests gets more

both = pytest.mark.parametrize("mode", ["auto", "legacy"])


@pytest.fixture
def site(tmp_path: Path) -> HttpSite:
    made = make_site(tmp_path, kind=HttpSite)
    assert isinstance(made, HttpSite)
    return made


async def said(site: HttpSite, *words: str) -> tuple[int | None, str]:
    command = site.command("serve", *words)
    process = await asyncio.create_subprocess_exec(*command, stderr=PIPE)
    with anyio.fail_after(PATIENCE):
        _, errors = await process.communicate()
    return process.returncode, errors.decode()


async def test_the_first_start_shows_the_token_once_with_a_client_that_works(
    site: HttpSite,
) -> None:
    async with site.served() as server:
        first = server.errors
    async with site.served() as server:
        second = server.errors
        settings = json.loads(first[first.index("{") : first.rindex("}") + 1])
        entry = settings["mcpServers"]["abilities"]
        url = entry["url"].rpartition(":")[0] + ":" + server.url.rpartition(":")[2]
        async with httpx2.AsyncClient(headers=entry["headers"]) as http:
            known = await http.post(url, content=b"garbage")
            foreign = await http.post(url, headers={"Authorization": "Bearer x"})
            health = await http.get(url.replace("/mcp", "/healthz"), headers={})

    token = (site.folder / "token").read_text().strip()
    assert stat.S_IMODE((site.folder / "token").stat().st_mode) == 0o600
    assert entry["headers"] == {"Authorization": f"Bearer {token}"}
    assert token not in second
    assert (known.status_code, foreign.status_code) == (400, 401)
    assert (health.status_code, health.json()) == (200, {"ok": True})


@both
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_with_streams_open_and_the_running_write_recorded(
    site: HttpSite, number: signal.Signals, mode: Mode
) -> None:
    listening, told = asyncio.Event(), list[Any]()

    async def listen(client: Client) -> None:
        async with client.listen(tools_list_changed=True) as changes:
            listening.set()
            async for _ in changes:
                pass

    async def call(client: Client) -> None:
        told.append(await client.call_tool("desk_wait", {}))

    async with site.served() as server, anyio.create_task_group() as tasks:
        if mode == "auto":  # in the other era every client has a stream open
            tasks.start_soon(as_client, site, server, mode, listen)
            await listening.wait()
        tasks.start_soon(as_client, site, server, mode, call)
        await site.until_noted("waiting")
        with anyio.fail_after(EXIT_SECONDS):
            code = await server.stop(number)
        tasks.cancel_scope.cancel()

    assert code == 128 + number
    assert site.notes() == ["waiting", "waited"]
    (run,) = site.record()
    assert (run["ability"], run["status"]) == ("desk/wait", "unknown")
    assert run["flags"] == ["cancelled"]
    assert all(result.is_error for result in told)
    assert "Traceback" not in server.errors
    assert "error: " not in server.errors


async def as_client(
    site: HttpSite,
    server: Server,
    mode: Mode,
    work: Callable[[Client], Awaitable[None]],
) -> None:
    """Work until the server goes, which the client of the SDK may not survive."""
    with suppress(Exception):
        async with site.client_of(server, mode) as client:
            await work(client)


async def call_in_vain(site: HttpSite, server: Server, tool: str) -> None:
    """Call without the client of the SDK, which does not survive a lost connection."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": {}, "_meta": meta}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        **site.headers,
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
        with suppress(httpx2.HTTPError):
            await http.post(server.url, json=call)


@pytest.mark.parametrize(
    ("tool", "word"), [("desk_block", "blocking"), ("desk_freeze", "freezing")]
)
async def test_a_signal_ends_it_whatever_a_pack_blocks(
    site: HttpSite, tool: str, word: str
) -> None:
    async with (
        site.served() as server,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(call_in_vain, site, server, tool)
        await site.until_noted(word)
        with anyio.fail_after(EXIT_SECONDS):
            code = await server.stop()
        tasks.cancel_scope.cancel()

    assert code == 128 + signal.SIGTERM


async def test_a_signal_ends_it_while_packs_are_still_imported(site: HttpSite) -> None:
    hanging = "import time\nfrom pathlib import Path\n"
    hanging += f"Path({str(site.folder / 'notes.txt')!r}).write_text('importing\\n')\n"
    hanging += "time.sleep(600)\n"
    (site.folder / "packs" / "hanging.py").write_text(hanging)
    server = await site.start()
    await site.until_noted("importing")

    with anyio.fail_after(EXIT_SECONDS):
        assert await server.stop() == 128 + signal.SIGTERM
    assert not (site.folder / "token").exists()


def version(number: int) -> str:
    return f"{number:06d}\n" * 30_000


@both
@pytest.mark.parametrize("answered", [1, 7])
async def test_a_signal_during_writes_leaves_whole_files_and_true_results(
    site: HttpSite, mode: Mode, answered: int
) -> None:
    good: list[int] = []
    enough = asyncio.Event()

    async def write(client: Client) -> None:
        for number in range(1, 1_000):
            arguments = {"path": "a.txt", "text": version(number)}
            if (await client.call_tool("files_write", arguments)).is_error:
                return
            good.append(number)
            if len(good) >= answered:
                enough.set()

    async with site.served() as server, anyio.create_task_group() as tasks:
        tasks.start_soon(as_client, site, server, mode, write)
        with anyio.fail_after(PATIENCE):
            await enough.wait()
        await server.stop()
        tasks.cancel_scope.cancel()

    (file,) = site.content.iterdir()
    written = int(file.read_text()[:6])
    recorded = [run["status"] for run in site.record()]
    assert file.read_text() == version(written)
    assert written in {good[-1], good[-1] + 1}
    assert recorded[: len(good)] == ["ok"] * len(good)
    assert len(recorded) >= written  # the one in flight has its end in the record too


async def test_a_port_in_use_is_told_with_another_one(site: HttpSite) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, errors = await said(site, "--port", str(port))

    assert code == 4
    assert errors == (
        f"error: Port {port} is in use. Stop what uses it, or choose another: "
        f"abilities serve --port {port + 1}.\n"
    )


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("0.0.0.0", "The address '0.0.0.0' can be reached from other machines, and"),  # noqa: S104 - what is refused
        ("::", "The address '::' can be reached from other machines, and no name"),
        ("192.0.2.1", "The address '192.0.2.1' can be reached from other machines,"),
        ("example.com", "'example.com' is no address. Write one of this machine,"),
    ],
)
async def test_an_address_that_others_could_reach_is_refused_without_names(
    site: HttpSite, address: str, problem: str
) -> None:
    code, errors = await said(site, "--port", "0", "--host", address)

    assert code == 4
    assert problem in errors
    assert len(errors.splitlines()) == 1


async def test_a_token_file_that_others_may_read_is_refused(site: HttpSite) -> None:
    path = site.folder / "token"
    path.write_text("t" * 43)
    path.chmod(0o644)
    code, errors = await said(site, "--port", "0")

    assert code == 4
    assert "is open to others, who may have read it. Remove it" in errors
    assert "t" * 43 not in errors


@pytest.mark.parametrize("address", ["localhost", "127.0.0.2", "::1"])
async def test_any_address_of_this_machine_can_be_served(
    site: HttpSite, address: str
) -> None:
    async with (
        site.served("--host", address) as server,
        site.client_of(server, "auto") as client,
    ):
        tools = (await client.list_tools()).tools

    assert "files_write" in {tool.name for tool in tools}


async def test_the_flags_restrict_what_is_served(site: HttpSite) -> None:
    async with (
        site.served("--read-only", "--compact") as server,
        site.client_of(server, "auto") as client,
    ):
        tools = (await client.list_tools()).tools
        arguments = {"path": "a.txt", "text": "x"}
        call = {"name": "files/write", "arguments": arguments}
        written = await client.call_tool("dispatcher_call-tool", call)

    assert len(tools) == 3
    assert written.is_error
    assert list(site.content.iterdir()) == []


async def test_the_kill_switch_of_the_file_turns_a_running_server_off_and_on(
    tmp_path: Path,
) -> None:
    site = HttpSite(make_site(tmp_path, "kill_switch = true").folder)
    off = site.config.read_text()

    async with (
        site.served() as server,
        httpx2.AsyncClient(headers=site.headers) as http,
    ):
        await until(http, server, 404)
        site.config.write_text(off.replace("kill_switch = true", ""))
        await until(http, server, 400)
        site.config.write_text(off)
        await until(http, server, 404)

    assert "warning: the server is off" in server.errors


async def until(http: httpx2.AsyncClient, server: Server, status: int) -> None:
    with anyio.fail_after(PATIENCE):
        while (await http.post(server.url, content=b"x")).status_code != status:
            await anyio.sleep(0.02)


class PlainSite(HttpSite):
    """A site served where uvloop and httptools do not exist."""

    def command(self, *words: str) -> list[str]:
        command, _, _, *rest = super().command(*words)
        program = (
            "import sys\n"
            "sys.modules['uvloop'] = sys.modules['httptools'] = None\n"
            "from abilities_host.cli import main\n"
            "main()"
        )
        return [command, "-c", program, *rest]


@both
async def test_without_the_fast_parts_it_serves_and_ends_as_well(
    tmp_path: Path, mode: Mode
) -> None:
    make_site(tmp_path)
    site = PlainSite(tmp_path)
    async with site.served() as server:
        async with site.client_of(server, mode) as client:
            told = await client.call_tool("desk_steps", {})
        code = await server.stop()

    assert told.content[0].text == "stepped"  # type: ignore[union-attr]  # it is a text
    assert code == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--port", "65536"), "--port"),
        (("--host", "::1%none"), "of ::1%none cannot be used: "),
    ],
)
async def test_what_cannot_be_listened_at_is_told_in_a_line(
    site: HttpSite, words: tuple[str, ...], sentence: str
) -> None:
    code, errors = await said(site, *words)

    assert code in {2, 4}
    assert sentence in errors
    assert len(errors.splitlines()) == 1
