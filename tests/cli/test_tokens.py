"""`list --tokens` counts what is really sent, and says how it counts."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from cli.conftest import Command
from cli.world import environment, make_demo

REQUEST = {
    "jsonrpc": "2.0",
    "id": 1,
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}


def sent_on_the_wire(config: Path, method: str, *options: str) -> dict[str, Any]:
    """Ask a served host, and keep what it sent as it was sent."""
    command = [sys.executable, "-m", "abilities_host", "stdio", *options]
    with subprocess.Popen(
        [*command, "--config", str(config)],
        env=environment(config.parent),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{json.dumps({**REQUEST, 'method': method})}\n")
        process.stdin.flush()
        result: dict[str, Any] = json.loads(process.stdout.readline())["result"]
    return result


def tokens_of(value: Any) -> int:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return (len(text) + 3) // 4


def spent(costs: dict[str, Any]) -> str:
    told = f"and {costs['instructions']:,} for the instructions"
    return f"{costs['tokens']:,} tokens {told}."


def test_the_cost_is_that_of_what_clients_are_sent(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "content").mkdir()
    config = make_demo(tmp_path, blocked='["core"]')

    ended = command("list", "--tokens", "--json", "--config", config)

    assert (ended.code, ended.err) == (0, "")
    assert ended.value["era"] == "2026-07-28"
    assert ended.value["method"].startswith("characters of the JSON on the wire, ")
    for mode, options in (("full", ()), ("compact", ("--compact",))):
        tools = sent_on_the_wire(config, "tools/list", *options)["tools"]
        told = sent_on_the_wire(config, "server/discover", *options)["instructions"]
        counted = ended.value[mode]
        rows = {row["name"]: row["tokens"] for row in counted["abilities"]}
        assert rows == {
            tool["name"].replace("_", "/", 1): tokens_of(tool) for tool in tools
        }
        assert counted["tokens"] == tokens_of(tools)
        assert counted["instructions"] == tokens_of(told)
        assert sum(row["tokens"] for row in counted["packs"]) == sum(rows.values())


def test_the_table_shows_abilities_and_packs_in_both_modes(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(
        tmp_path,
        blocked='["core", "database", "files", "ledger", "memory", "memory_enforcer"]',
    )
    counted = command("list", "--tokens", "--json", "--config", config).value

    ended = command("list", "--tokens", "--config", config)

    abilities, packs, words = ended.out.split("\n\n")
    (demo,) = counted["full"]["packs"]
    (dispatcher,) = counted["compact"]["packs"]
    echo = {row["name"]: row["tokens"] for row in counted["full"]["abilities"]}
    lines = [line.split() for line in abilities.splitlines()]
    assert lines[0] == ["NAME", "FULL", "COMPACT"]
    assert ["demo/echo", str(echo["demo/echo"]), "-"] in lines
    assert [line.split() for line in packs.splitlines()] == [
        ["PACK", "FULL", "COMPACT"],
        ["abilities-host/dispatcher", "-", str(dispatcher["tokens"])],
        ["plugins_dir/demo", str(demo["tokens"]), "-"],
    ]
    full, compact, *method = words.splitlines()
    assert full == f"The full listing: 6 tools, {spent(counted['full'])}"
    assert compact == f"The compact listing: 3 tools, {spent(counted['compact'])}"
    assert " ".join(method) == f"Counted for generic: {counted['method']}."


def test_what_is_off_for_clients_cannot_be_counted(
    tmp_path: Path, command: Command
) -> None:
    ended = command("list", "--tokens", "--all", "--config", make_demo(tmp_path))

    assert (ended.code, ended.out) == (2, "")
    assert "--tokens counts what clients see; leave out --all." in ended.err
