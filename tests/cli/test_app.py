"""Every command is there, and every end has one line and one exit code."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.conftest import Command
from cli.world import environment, make_demo, start

COMMANDS = [
    "init",
    "stdio",
    "serve",
    "list",
    "describe",
    "call",
    "enable",
    "disable",
    "set",
    "unset",
    "plugins",
    "config",
    "doctor",
    "log",
    "backup",
    "restore",
    "install",
    "admin",
    "token",
    "ledger",
    "servers",
    "modules",
    "memory",
    "queue",
]
GROUPS = ["install", "admin", "token", "ledger", "memory", "queue"]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_the_help_names_every_command_and_the_exit_codes(
    command: Command, arguments: list[str]
) -> None:
    ended = command(*arguments)

    listing = ended.out.partition("Commands:\n")[2]
    words = " ".join(listing.split())
    assert (ended.code, ended.err) == (0, "")
    assert re.findall(r"^  ([a-z]+)  ", listing, re.MULTILINE) == COMMANDS
    assert "..." not in listing
    assert words.endswith(
        "Exit codes: 0 done; 1 failed, unknown, or an error found; 2 wrong usage or "
        "invalid input; 3 refused or not found; 4 configuration or store."
    )


def test_every_command_takes_json_and_a_configuration(command: Command) -> None:
    without = {
        option: [name for name in COMMANDS if option not in command(name, "--help").out]
        for option in ("--json", "--config")
    }

    assert without == {
        "--json": ["stdio", "serve", *GROUPS],
        "--config": ["init", *GROUPS],
    }


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["ledgr"], "No such command 'ledgr'. Did you mean 'ledger'? See 'abilities"),
        (["call"], "Missing argument 'NAME'. See 'abilities call --help'"),
        (["list", "--al"], "No such option: --al"),
    ],
)
def test_wrong_usage_is_one_line_that_helps(
    command: Command, arguments: list[str], line: str
) -> None:
    ended = command(*arguments)

    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.startswith(f"error: {line}")


def test_a_host_that_must_record_and_cannot_only_reads(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, blocked='["core", "dispatcher", "files", "ledger"]')
    config.write_text(config.read_text().replace("required = false", ""))
    write = ("call", "demo/put", '{"key": "a"}', "--yes")

    listed = command("list", "--config", config)
    written = command(*write, "--config", config)

    assert listed.code == 0
    assert "nothing keeps the record of writes: reads only" in listed.err
    assert (written.code, written.out) == (3, "")
    assert "nothing keeps the record of writes: this host only reads" in written.err


def test_a_warning_of_the_host_is_one_line(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path)
    (tmp_path / "plugins" / "broken.py").write_text("x = ")

    ended = command("list", "--config", config)

    assert ended.code == 0
    assert ended.out.startswith("NAME ")
    for line in ended.err.splitlines():
        assert line.startswith(("error: ", "warning: "))
        assert "plugins_dir/broken" in line


def test_no_configuration_is_an_error_with_the_command_that_makes_one(
    tmp_path: Path,
) -> None:
    ended = start(tmp_path, "list")

    problem = "no abilities.toml here or in a folder above. `abilities init` makes one."
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr == f"error: {tmp_path}: {problem}\n"


def test_a_reader_that_goes_away_is_no_crash(tmp_path: Path) -> None:
    config = make_demo(tmp_path)
    reading, writing = os.pipe()
    os.close(reading)

    ended = subprocess.run(
        [sys.executable, "-m", "abilities_host", "config", "--config", str(config)],
        env=environment(tmp_path),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )

    os.close(writing)
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_text_that_the_terminal_cannot_encode_is_escaped(tmp_path: Path) -> None:
    config = make_demo(tmp_path, top='title = "Häuser 漢"')

    ended = subprocess.run(
        [sys.executable, "-m", "abilities_host", "config", "--config", str(config)],
        env={**environment(tmp_path), "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=True,
        encoding="latin-1",
    )

    assert re.search(r'^title +"Häuser \\u6f22" +file$', ended.stdout, re.MULTILINE)


SLOW = """
import asyncio
from abilities_host import hookimpl

async def wait():
    print("waiting", flush=True)
    await asyncio.Event().wait()

@hookimpl
def register_categories(registry):
    registry.register_category("demo", label="Demo", description="Demo.")

@hookimpl
def register_abilities(registry):
    registry.register_ability(
        "demo/wait", label="Wait", description="Waits.", category="demo",
        execute_callback=wait, permission_callback=lambda: True,
        meta={"annotations": {"readonly": True}})
"""


def test_an_interrupted_command_ends_with_one_line(tmp_path: Path) -> None:
    config = make_demo(tmp_path, pack=SLOW)
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "abilities_host",
            "call",
            "demo/wait",
            "--config",
            str(config),
        ],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waiting\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)

    assert (process.returncode, out, err) == (130, b"", b"error: interrupted.\n")


def test_what_the_commands_import_at_first_is_light(tmp_path: Path) -> None:
    code = (
        "import sys, abilities_host.cli.app as app; app.build_app();"
        "print([m for m in ('aiosqlite', 'jsonschema', 'mcp', 'rich', 'starlette',"
        " 'abilities_host.opening', 'abilities_host.config') if m in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(tmp_path),
        capture_output=True,
        check=True,
        encoding="utf-8",
    )

    assert ended.stdout == "[]\n"


def test_a_client_that_leaves_at_once_ends_the_server(tmp_path: Path) -> None:
    make_demo(tmp_path)

    ended = start(tmp_path, "stdio", "--read-only", "--compact")

    assert (ended.returncode, ended.stdout) == (0, "")
