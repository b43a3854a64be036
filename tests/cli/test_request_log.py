"""The command ``log``, on a log that no running host needs to have open."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Literal

import pytest
from cli.conftest import Command
from cli.world import IN_TREE, environment, make_demo, start
from mcp import Client, StdioServerParameters
from mcp_types import Implementation
from requestlog.log_world import NOW, file_of, record

from abilities_host.requestlog.record import Counted, Record

SECONDS = 20.0


def log_of(folder: Path, *records: Record, end: str = "") -> Path:
    """Make a host whose log has these requests; give its configuration."""
    config = make_demo(folder, end=end)
    file = file_of(folder)
    file.append(records)
    file.close()
    return config


def test_the_newest_requests_come_first_and_pages_go_on(
    tmp_path: Path, command: Command
) -> None:
    refused = Counted(NOW // 1_000_000, "http", "", "http_401").record(1_200)
    failed = record(status="failed", code="x", repaired=1, via="")
    config = log_of(
        tmp_path, refused, failed, record(method="ping", ability="", via="")
    )

    first = command("log", "--config", config, "--limit", 2)
    second = command("log", "--config", config, "--before", 2)

    assert first.code == second.code == 0
    assert first.err == "more: go on with --before 2\n"
    when = "2026-05-28 20:26:40Z"
    names = ["ID", "WHEN", "SERVER", "METHOD", "ABILITY", "ACTOR", "CLIENT"]
    assert [re.split(" {2,}", line) for line in first.out.splitlines()] == [
        [*names, "ENDED", "MS"],
        ["3", when, "default", "ping", "ci", "Client", "ok", "1.5"],
        [
            *("2", when, "default", "tools/call", "files/read", "ci", "Client"),
            *("failed x, 1 repaired", "1.5"),
        ],
    ]
    assert "refused http_401 x1,200" in second.out


def test_what_clients_called_themselves_cannot_touch_a_terminal(
    tmp_path: Path, command: Command
) -> None:
    config = log_of(tmp_path, record(client="\x1b[31m\nfake  row\u202e"))

    ended = command("log", "--config", config)

    assert len(ended.out.splitlines()) == 3
    assert "\x1b" not in ended.out
    assert r"\u001b[31m" in ended.out


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), [3, 2, 1]),
        (("--ability", "files/*"), [2, 1]),
        (("--server", "ops"), [2]),
        (("--actor", "ci", "--status", "refused", "--code", "x"), [1]),
        (("--client", "Other"), [2]),
        (("--method", "tools/list"), [3]),
        (("--since", "1h"), [3]),
        (("--since", "2026-05-29"), [3]),
        (("--since", "0s"), []),
    ],
    ids=str,
)
def test_filters_leave_what_fits(
    tmp_path: Path, command: Command, options: tuple[str, ...], found: list[int]
) -> None:
    now = time.time_ns() // 1_000 - 1_000_000
    config = log_of(
        tmp_path,
        record(status="refused", code="x"),
        record(server="ops", client="Other"),
        record(method="tools/list", ability="", at=now),
    )

    ended = command("log", "--config", config, "--json", *options)

    assert [each["seq"] for each in ended.value["requests"]] == found
    assert ended.value["next"] is None


def test_lines_are_streamed_oldest_first(tmp_path: Path, command: Command) -> None:
    config = log_of(tmp_path, *(record(request=str(n)) for n in range(2_500)))

    every = command("log", "--config", config, "--jsonl")
    some = command("log", "--config", config, "--jsonl", "--limit", 2)

    lines = [json.loads(line) for line in every.out.splitlines()]
    assert [line["request"] for line in lines] == [*map(str, range(2_500))]
    assert some.out.splitlines() == every.out.splitlines()[-2:]


def test_statistics_say_how_often_how_well_and_how_fast(
    tmp_path: Path, command: Command
) -> None:
    config = log_of(tmp_path, record(), record(status="failed"), record(micros=9_984))

    table = command("log", "--config", config, "--stats")
    value = command("log", "--config", config, "--stats", "--json").value

    assert table.out.splitlines() == [
        "NAME        REQUESTS  ERRORS  PER MINUTE  P50 MS  P95 MS  P99 MS",
        "files/read  3         33.3%   3.0         1.5     10.0    10.0",
    ]
    assert [(row["name"], row["p99_ms"]) for row in value["rows"]] == [
        ("files/read", 9.984)
    ]


def test_an_empty_log_says_so(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path, end="[requests]\nenabled = false")

    ended = command("log", "--config", config)
    stats = command("log", "--config", config, "--stats", "--actor", "nobody")
    lines = command("log", "--config", config, "--jsonl")

    assert (ended.code, ended.out) == (0, "No request was logged yet.\n")
    assert ended.err.startswith("note: [requests] enabled is false")
    assert stats.out == "No request fits.\n"
    assert lines.out == ""
    assert not (tmp_path / "requests.db").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--follow", "--stats"), "go with neither"),
        (("--jsonl", "--json"), "go with neither"),
        (("--status", "fine"), "none of ok"),
        (("--since", "soon"), "is no time"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, command: Command, options: tuple[str, ...], told: str
) -> None:
    ended = command("log", "--config", make_demo(tmp_path), *options)

    assert (ended.code, told in ended.err) == (2, True)


def test_a_damaged_log_is_said_with_the_fix(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path)
    (tmp_path / "requests.db").write_text("no log" * 1_000)

    ended = command("log", "--config", config)

    assert (ended.code, "Move it away" in ended.err) == (4, True)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_what_a_real_client_had_run_is_in_the_log(
    tmp_path: Path, mode: Literal["auto", "legacy"]
) -> None:
    blocked = json.dumps([name for name in IN_TREE if name != "dispatcher"])
    end = "[server]\ncompact = true"
    await asyncio.to_thread(make_demo, tmp_path, blocked=blocked, end=end)
    arguments = ["-m", "abilities_host", "stdio"]
    parameters = StdioServerParameters(
        command=sys.executable,
        args=arguments,
        cwd=tmp_path,
        env=environment(tmp_path),
    )

    given = {"name": "demo/echo", "arguments": {"key": "a hidden argument"}}
    me = Implementation(name="real", version="1")
    async with Client(parameters, mode=mode, client_info=me) as client:
        await client.call_tool("dispatcher_call-tool", given)

    ended = await asyncio.to_thread(start, tmp_path, "log", "--jsonl")
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    told = [
        (each["surface"], each["client"], each["ability"], each["via"], each["status"])
        for each in lines
        if each["method"] == "tools/call"
    ]
    assert told == [("stdio", "real", "demo/echo", "call-tool", "ok")]
    assert "hidden" not in ended.stdout


def followed(folder: Path, *options: str) -> "subprocess.Popen[str]":
    """Begin to follow a log in a process of its own."""
    arguments = [sys.executable, "-m", "abilities_host", "log", "--follow", *options]
    return subprocess.Popen(
        arguments,
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def read_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_followed_lines_come_as_they_are_logged_until_ctrl_c(tmp_path: Path) -> None:
    log_of(tmp_path, record(request="1"), record(request="2"))
    file = file_of(tmp_path)

    with followed(tmp_path, "--jsonl", "--limit", "1") as process:
        first = json.loads(read_line(process))
        file.append([record(request="3"), record(request="4")])
        more: list[Any] = [json.loads(read_line(process)) for _ in range(2)]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
    file.close()

    assert [each["request"] for each in (first, *more)] == ["2", "3", "4"]
    assert (process.returncode, out, err) == (0, "", "")


def test_a_log_that_is_not_there_yet_can_be_followed(tmp_path: Path) -> None:
    make_demo(tmp_path)

    with followed(tmp_path) as process:
        file = file_of(tmp_path)
        file.append([record(client="\x1b[2J")])
        line = read_line(process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=SECONDS)
    file.close()

    assert line == (
        "2026-05-28 20:26:40Z  default  tools/call  files/read (call-tool)  ci  "
        "\\u001b[2J  ok  1.5 ms\n"
    )


def test_whoever_reads_lines_may_stop_reading(tmp_path: Path) -> None:
    log_of(tmp_path, *(record(request="x" * 50) for _ in range(3_000)))
    reading, writing = os.pipe()

    arguments = [sys.executable, "-m", "abilities_host", "log", "--jsonl"]
    with subprocess.Popen(
        arguments,
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=writing,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(writing)
        os.read(reading, 100)
        os.close(reading)
        _, err = process.communicate(timeout=SECONDS)

    assert (process.returncode, err) == (0, b"")
