"""The commands ``install``: put this host where another program starts it."""

from enum import StrEnum
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Final

import typer

from abilities_host.cli.clients import PROJECT_FILE, SERVERS, ClientFile, desktop_file
from abilities_host.cli.init import client_settings
from abilities_host.cli.install_systemd import install_systemd
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import (
    printable,
    say,
    say_json,
)
from abilities_host.cli.running import load
from abilities_host.errors import ConfigError
from abilities_host.jsontext import json_text

TOKEN_VARIABLE: Final = "MCP_ABILITIES_TOKEN"  # noqa: S105 - the name of a variable


class Transport(StrEnum):
    """How the client reaches the host."""

    STDIO = "stdio"
    HTTP = "http"


TransportOption = Annotated[
    Transport,
    typer.Option("--transport", help="Start the host, or reach one that serves."),
]
ProjectOption = Annotated[
    Path | None,
    typer.Option(
        "--project", metavar="DIR", help="Write DIR/.mcp.json, for Claude Code."
    ),
]
NameOption = Annotated[
    str, typer.Option("--name", help="The name of the server in that file.")
]
PortOption = Annotated[
    int, typer.Option("--port", min=1, max=65535, help="Where the host serves.")
]
DryOption = Annotated[
    bool, typer.Option("--dry-run", help="Only say what would be written.")
]


def install_app() -> typer.Typer:
    """Make the group of commands.

    Returns:
        A new one.
    """
    app = typer.Typer(rich_markup_mode=None)
    app.callback(invoke_without_command=True)(_show_help)
    app.command("claude")(install_claude)
    app.command("systemd")(install_systemd)
    return app


def _show_help(context: typer.Context) -> None:
    """Put this host where another program starts it, or reaches it."""
    if context.invoked_subcommand is None:
        say(context.get_help())


def install_claude(
    config: ConfigOption = None,
    *,
    transport: TransportOption = Transport.STDIO,
    project: ProjectOption = None,
    name: NameOption = "abilities",
    port: PortOption = 8765,
    dry_run: DryOption = False,
    as_json: JsonOption = False,
) -> None:
    """Put this host into the configuration of Claude Desktop or Claude Code."""
    loaded = load(config)
    if transport is Transport.HTTP and project is None:
        raise typer.BadParameter(
            "Claude Desktop starts its servers itself, so its file has no place for "
            "a URL. Add --project DIR for Claude Code, or leave out --transport."
        )
    path = desktop_file() if project is None else _project_file(project)
    if transport is Transport.HTTP:
        server = http_server(port)
    else:
        server = client_settings(loaded.path.absolute())[SERVERS]["abilities"]
    facts = {"client": "claude", **_put(path, name, server, is_dry=dry_run)}
    if as_json:
        say_json(facts)
    else:
        _show(facts, loaded.path.absolute().with_name("token"))


def http_server(port: int) -> dict[str, Any]:
    """Write what Claude Code needs to reach a host that serves.

    Args:
        port: on this machine.

    Returns:
        An entry without a secret, since such a file is made to be shared: the client
        takes the token from a variable.
    """
    return {
        "type": "http",
        "url": f"http://127.0.0.1:{port}/mcp",
        "headers": {"Authorization": f"Bearer ${{{TOKEN_VARIABLE}}}"},
    }


def _project_file(folder: Path) -> Path:
    folder = folder.expanduser().absolute()
    if not folder.is_dir():
        raise ConfigError(folder, "there is no such folder.")
    return folder / PROJECT_FILE


def _put(
    path: Path, name: str, server: dict[str, Any], *, is_dry: bool
) -> dict[str, Any]:
    file = ClientFile(path)
    before = file.server(name)
    change = "added" if before is None else "replaced"
    if before == server:
        change = "unchanged"
    backup = None
    if change != "unchanged" and not is_dry:
        backup = file.put(name, server)
    return {
        "file": str(path),
        "name": name,
        "server": server,
        "change": change,
        "dry_run": is_dry,
        "backup": backup and str(backup),
    }


def _show(facts: dict[str, Any], token: Path) -> None:
    name, file = printable(facts["name"]), printable(facts["file"])
    if facts["change"] == "unchanged":
        say(f"{name} is already in {file}; nothing was changed.")
    elif facts["dry_run"]:
        say(f"{name} would be {facts['change']} in {file}:\n")
        say(json_text(facts["server"]))
    else:
        say(f"{name} was {facts['change']} in {file}.")
        if facts["backup"]:
            say(f"The file as it was: {printable(facts['backup'])}")
        say("Start the client again to make it read the file.")
    if "url" in facts["server"]:
        say("\nThe token is not in the file. Before the client starts, serve, and set:")
        say(f'  export {TOKEN_VARIABLE}="$(cat {printable(quote(str(token)))})"')
