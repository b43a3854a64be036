"""`install` adds one entry to a client's file, and loses nothing that is there."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import Command
from cli.world import make_demo, start

from abilities_host.cli.clients import FILE_BYTES, ClientFile
from abilities_host.cli.init import client_settings
from abilities_host.errors import ConfigError

OTHERS: dict[str, Any] = {
    "theme": "dark \u202e",
    "mcpServers": {"other": {"command": "x", "env": {"A": "1"}}},
    "numbers": [1.0, 12345678901234567890],
}


def stdio_server(config: Path) -> Any:
    return client_settings(config)["mcpServers"]["abilities"]


def make_project(folder: Path, content: Any = None) -> Path:
    project = folder / "project"
    project.mkdir()
    if content is not None:
        (project / ".mcp.json").write_text(json.dumps(content), encoding="utf-8")
    return project


def test_claude_desktop_finds_the_server_in_its_file(tmp_path: Path) -> None:
    config = make_demo(tmp_path)

    ended = start(tmp_path, "install", "claude", "--config", "abilities.toml")

    (file,) = tmp_path.rglob("claude_desktop_config.json")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == (
        f"abilities was added in {file}.\n"
        "Start the client again to make it read the file.\n"
    )
    assert json.loads(file.read_text()) == {
        "mcpServers": {"abilities": stdio_server(config)}
    }
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_everything_else_stays_and_the_file_before_is_kept(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)
    project = make_project(tmp_path, OTHERS)
    file = project / ".mcp.json"
    file.chmod(0o664)
    before = file.read_bytes()

    given = ("--config", config, "--project", project, "--name", "mine", "--json")
    ended = command("install", "claude", *given)

    backup = project / ".mcp.json.before-abilities"
    server = stdio_server(config)
    servers = {**OTHERS["mcpServers"], "mine": server}
    assert ended.code == 0
    assert ended.value == {
        "client": "claude",
        "file": str(file),
        "name": "mine",
        "server": server,
        "change": "added",
        "dry_run": False,
        "backup": str(backup),
    }
    written = json.loads(file.read_text())
    assert written == {**OTHERS, "mcpServers": servers}
    assert list(written) == list(OTHERS)
    assert backup.read_bytes() == before
    assert stat.S_IMODE(file.stat().st_mode) == 0o664
    assert sorted(path.name for path in project.iterdir()) == [file.name, backup.name]


def test_a_second_time_changes_nothing_and_says_so(
    tmp_path: Path, command: Command
) -> None:
    project = make_project(tmp_path)
    given = ("--config", make_demo(tmp_path), "--project", project)
    command("install", "claude", *given)
    file = project / ".mcp.json"
    before = file.stat()

    ended = command("install", "claude", *given)

    sentence = f"abilities is already in {file}; nothing was changed.\n"
    assert ended == (0, sentence, "")
    assert file.stat() == before
    assert list(project.iterdir()) == [file]


def test_an_entry_of_the_same_name_is_replaced_and_kept_beside(
    tmp_path: Path, command: Command
) -> None:
    project = make_project(tmp_path, {"mcpServers": {"abilities": {"command": "old"}}})
    config = make_demo(tmp_path)

    ended = command("install", "claude", "--config", config, "--project", project)

    file, backup = project / ".mcp.json", project / ".mcp.json.before-abilities"
    assert ended.out == (
        f"abilities was replaced in {file}.\n"
        f"The file as it was: {backup}\n"
        "Start the client again to make it read the file.\n"
    )
    assert "old" in backup.read_text()
    assert json.loads(file.read_text())["mcpServers"] == {
        "abilities": stdio_server(config)
    }


def test_a_dry_run_writes_nothing(tmp_path: Path, command: Command) -> None:
    project = make_project(tmp_path)
    given = ("--config", make_demo(tmp_path), "--project", project, "--dry-run")

    ended = command("install", "claude", *given)

    told = f"abilities would be added in {project / '.mcp.json'}:\n\n{{\n"
    assert ended.code == 0
    assert ended.out.startswith(told)
    assert list(project.iterdir()) == []


def test_a_file_that_may_be_shared_never_holds_the_token(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)
    token = tmp_path / "token"
    token.write_text("s3cret")
    token.chmod(0o600)
    project = make_project(tmp_path)
    (project / ".git").mkdir()

    given = ("--transport", "http", "--port", "9000", "--project", project)
    ended = command("install", "claude", "--config", config, *given)

    written = (project / ".mcp.json").read_text()
    assert json.loads(written) == {
        "mcpServers": {
            "abilities": {
                "type": "http",
                "url": "http://127.0.0.1:9000/mcp",
                "headers": {"Authorization": "Bearer ${MCP_ABILITIES_TOKEN}"},
            }
        }
    }
    assert "s3cret" not in written + ended.out
    assert ended.out.endswith(f'\n  export MCP_ABILITIES_TOKEN="$(cat {token})"\n')


def test_a_url_is_not_put_where_no_client_would_read_it(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)

    ended = command("install", "claude", "--config", config, "--transport", "http")

    assert (ended.code, ended.out) == (2, "")
    assert "Add --project DIR for Claude Code" in ended.err


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"a": 1,\n', "is not JSON"),
        (b'{"a": "\xff"}', "is not UTF-8"),
        (b'{"a": 1, "a": 2}', "has the key 'a' twice"),
        (b'{"mcpServers": []}', "mcpServers is not an object"),
        (b"[]", "does not hold one object"),
        (b"[" * 200_000, "is nested too deep"),
        (b" " * (FILE_BYTES + 1), "is larger than"),
    ],
    ids=["cut", "bytes", "twice", "list", "array", "deep", "large"],
)
def test_a_file_that_would_lose_something_stays_as_it_is(
    tmp_path: Path, command: Command, content: bytes, problem: str
) -> None:
    project = make_project(tmp_path)
    file = project / ".mcp.json"
    file.write_bytes(content)
    config = make_demo(tmp_path)

    ended = command("install", "claude", "--config", config, "--project", project)

    assert (ended.code, ended.out) == (4, "")
    assert ended.err.startswith(f"error: {file}")
    assert problem in ended.err
    assert ended.err.endswith("so nothing was changed.\n") or "; so" in ended.err
    assert file.read_bytes() == content
    assert list(project.iterdir()) == [file]


def test_a_link_stays_a_link_and_the_real_file_is_written(
    tmp_path: Path, command: Command
) -> None:
    project = make_project(tmp_path)
    real = tmp_path / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_text("")
    (project / ".mcp.json").symlink_to(real)
    config = make_demo(tmp_path)

    ended = command("install", "claude", "--config", config, "--project", project)

    assert ended.code == 0
    assert (project / ".mcp.json").is_symlink()
    assert list(json.loads(real.read_text())["mcpServers"]) == ["abilities"]


def test_a_place_that_cannot_be_written_is_an_error_that_names_it(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)
    project = make_project(tmp_path)
    (project / ".mcp.json").mkdir()

    taken = command("install", "claude", "--config", config, "--project", project)
    given = ("--config", config, "--project", tmp_path / "no")
    missing = command("install", "claude", *given)

    said = f"error: {project / '.mcp.json'}: cannot be read: Is a directory.\n"
    assert taken == (4, "", said)
    assert missing == (4, "", f"error: {tmp_path / 'no'}: there is no such folder.\n")


def test_a_link_to_itself_is_an_error_that_names_it(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)
    project = make_project(tmp_path)
    file = project / ".mcp.json"
    file.symlink_to(file)

    ended = command("install", "claude", "--config", config, "--project", project)

    assert (ended.code, ended.out) == (4, "")
    assert ended.err.startswith(f"error: {file}: cannot be read: ")


def test_without_a_place_for_the_copy_nothing_is_changed(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)
    project = make_project(tmp_path)
    real = tmp_path / f"{'x' * 245}"  # with the ending it is no name any more
    real.write_text("{}")
    (project / ".mcp.json").symlink_to(real)

    ended = command("install", "claude", "--config", config, "--project", project)

    problem = "cannot be written: File name too long."
    assert ended == (4, "", f"error: {project / '.mcp.json'}: {problem}\n")
    assert real.read_text() == "{}"


def test_a_change_by_the_client_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / ".mcp.json"
    path.write_text("{}")
    file = ClientFile(path)
    path.write_text('{"new": 1}')

    with pytest.raises(ConfigError, match="was changed meanwhile, so nothing was"):
        file.put("abilities", {})

    assert path.read_text() == '{"new": 1}'
    assert list(tmp_path.iterdir()) == [path]
