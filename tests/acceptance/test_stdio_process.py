"""The process of `abilities stdio`: its streams, its signals and its end."""

import asyncio
import json
import signal
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import anyio
import pytest
from acceptance.world import PATIENCE, Site, Wire, make_site, start

EXIT_SECONDS = 5.0  # the promise is one; a machine that runs all tests gets more

PING = {"name": "desk_steps", "arguments": {}}
WHO = {"name": "test", "version": "1"}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path)


async def begin(wire: Wire, site: Site, tool: str, word: str) -> None:
    params = {"name": tool, "arguments": {}}
    await wire.send({"id": 9, "method": "tools/call", "params": params})
    await site.until_noted(word)


async def test_standard_output_holds_only_the_protocol(site: Site) -> None:
    wire = await Wire.open(site)
    answer = await wire.ask(1, "tools/call", PING)
    code = await wire.close()

    assert answer["result"]["content"][0]["text"] == "stepped"
    assert code == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in wire.lines)
    errors = (site.folder / "stderr.txt").read_text()
    for said in ("printed at import", "printed in a call", "a child prints in a call"):
        assert said in errors


async def test_lines_that_are_no_messages_harm_nothing(site: Site) -> None:
    wire = await Wire.open(site)
    for line in (b"", b"{", b"garbage", b"\xff\xfe", b"[]", b'{"id": 1}', b"null"):
        await wire.send_raw(line)

    assert "result" in await wire.ask(1, "tools/call", PING)
    assert await wire.close() == 0


async def test_a_message_that_is_too_long_is_dropped_and_the_next_one_read(
    site: Site,
) -> None:
    wire = await Wire.open(site)
    await wire.send_raw(b"x" * (5 << 20))

    assert "result" in await wire.ask(1, "tools/call", PING)
    assert await wire.close() == 0
    assert "a message of over 4194304 bytes" in (site.folder / "stderr.txt").read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_with_the_outcome_of_the_running_write_recorded(
    site: Site, number: signal.Signals
) -> None:
    wire = await Wire.open(site)
    await begin(wire, site, "desk_wait", "waiting")
    wire.process.send_signal(number)
    with anyio.fail_after(EXIT_SECONDS):
        code = await wire.ended()

    assert code == 128 + number
    assert site.notes() == ["waiting", "waited"]
    (run,) = site.record()
    assert (run["ability"], run["flags"]) == ("desk/wait", ["cancelled"])


async def test_the_end_of_the_client_ends_it_with_the_outcome_recorded(
    site: Site,
) -> None:
    wire = await Wire.open(site)
    await begin(wire, site, "desk_wait", "waiting")

    assert await wire.close() == 0
    (run,) = site.record()
    assert (run["ability"], run["flags"]) == ("desk/wait", ["cancelled"])


async def test_a_client_that_vanishes_takes_no_outcome_with_it(site: Site) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": WHO}
    wait = {"name": "desk_wait", "arguments": {}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": wait},
    ]
    command = site.command("stdio")
    process = await asyncio.to_thread(Popen, command, stdin=PIPE, stdout=PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    for message in messages:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    process.stdin.flush()
    await site.until_noted("waiting")
    process.stdout.close()
    ping = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": PING}
    process.stdin.write(json.dumps(ping).encode() + b"\n")
    process.stdin.flush()
    with anyio.fail_after(PATIENCE):
        while not site.record():
            await anyio.sleep(0.02)
    process.stdin.close()

    assert await asyncio.to_thread(process.wait, PATIENCE) == 0
    assert [run["ability"] for run in site.record()] == ["desk/steps", "desk/wait"]


@pytest.mark.parametrize(
    ("tool", "word"), [("desk_block", "blocking"), ("desk_freeze", "freezing")]
)
async def test_a_signal_ends_it_whatever_a_pack_blocks(
    site: Site, tool: str, word: str
) -> None:
    wire = await Wire.open(site)
    await begin(wire, site, tool, word)
    wire.process.send_signal(signal.SIGTERM)

    with anyio.fail_after(EXIT_SECONDS):
        assert await wire.ended() == 128 + signal.SIGTERM


async def test_a_signal_ends_it_while_nobody_reads_what_it_says(site: Site) -> None:
    (site.content / "big.txt").write_text("x" * 500_000)
    wire = await Wire.open(site)
    params = {"name": "files_read", "arguments": {"path": "big.txt"}}
    for number in range(1, 40):
        await wire.send({"id": number, "method": "tools/call", "params": params})
    with anyio.fail_after(PATIENCE):
        while not site.record():
            await anyio.sleep(0.02)
    wire.process.send_signal(signal.SIGTERM)

    with anyio.fail_after(EXIT_SECONDS):
        assert await wire.process.wait() == 128 + signal.SIGTERM


async def test_a_signal_ends_it_while_packs_are_still_imported(site: Site) -> None:
    hanging = "import time\nfrom pathlib import Path\n"
    hanging += f"Path({str(site.folder / 'notes.txt')!r}).write_text('importing\\n')\n"
    hanging += "time.sleep(600)\n"
    (site.folder / "packs" / "hanging.py").write_text(hanging)
    process = await start(site)
    await site.until_noted("importing")
    process.send_signal(signal.SIGTERM)

    with anyio.fail_after(EXIT_SECONDS):
        assert await process.wait() == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ("kill_switch = true", "The server is off: kill_switch is true."),
        ("\n\n[server]\nenabled = false", "The server is off: [server] enabled is"),
        ("\n\n[store]\npath = 'content'", "content"),
    ],
)
async def test_a_host_that_cannot_start_says_why_and_ends_at_once(
    tmp_path: Path, config: str, sentence: str
) -> None:
    site = make_site(tmp_path, config)
    process = await start(site)
    wire = Wire(process)
    with anyio.fail_after(PATIENCE):
        code = await wire.ended()  # although the client's end stays open

    assert code == 4
    assert wire.lines == []
    errors = (site.folder / "stderr.txt").read_text()
    assert sentence in errors
    assert "Traceback" not in errors


async def test_without_pipes_there_is_a_sentence_and_no_traceback(site: Site) -> None:
    shell = ["sh", "-c", 'exec "$@" <&-', "sh", *site.command("stdio")]
    process = await asyncio.create_subprocess_exec(*shell, stderr=PIPE)
    _, errors = await process.communicate()

    assert process.returncode == 4
    assert b"Standard input or output is closed." in errors
    assert b"Traceback" not in errors
