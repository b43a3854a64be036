"""The commands ``servers``: what clients connect to, listed and switched."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from abilities_host.cli.adjusted import load_adjusted
from abilities_host.cli.log import quieten_log
from abilities_host.cli.options import ConfigOption, JsonOption, leads_to_command
from abilities_host.cli.printing import complain, say, say_json, show_table
from abilities_host.cli.running import load, with_host
from abilities_host.cli.session import login_session
from abilities_host.cli.settings import forget, keep

if TYPE_CHECKING:
    from pathlib import Path

    from abilities_host.config import LoadedConfig, ServerSettings
    from abilities_host.host import Host

ServerArgument = Annotated[
    str, typer.Argument(metavar="ID", help="As 'abilities servers' shows it.")
]


def servers_app() -> typer.Typer:
    """Make the group of commands.

    Returns:
        A new one.
    """
    app = typer.Typer(rich_markup_mode=None)
    app.callback(invoke_without_command=True)(list_servers)
    app.command("enable")(enable_server)
    app.command("disable")(disable_server)
    return app


def list_servers(
    context: typer.Context, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """List the servers: where, whether they answer, and why not."""
    if leads_to_command(context, config, as_json):
        return
    loaded = load_adjusted(config)
    servers = [_facts(loaded, each) for each in loaded.config.all_servers]
    if as_json:
        say_json({"servers": servers})
    else:
        _show(servers)


def enable_server(
    server: ServerArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Take back that a server was switched off, in every running host."""
    _switch(server, config, is_on=True, as_json=as_json)


def disable_server(
    server: ServerArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Switch a server off, in every running host; calls under way end as they began."""
    _switch(server, config, is_on=False, as_json=as_json)


def _switch(server: str, config: "Path | None", *, is_on: bool, as_json: bool) -> None:
    session = login_session()

    async def switch(host: "Host") -> dict[str, Any]:
        from abilities_host.config import stored_key  # noqa: PLC0415 - a slow import

        if is_on:
            key = stored_key(host.config, "enabled", server)
            await forget(host, key, session)
        else:
            await keep(host, "enabled", "false", server, session)
        found = {each.id: each for each in host.config.all_servers}[server]
        return _facts(host.loaded, found)

    quieten_log()
    facts = with_host(load(config), switch)
    if as_json:
        say_json(facts)
    elif (facts["state"] == "on") is is_on:
        say(f"Server {facts['id']} is {facts['state']} now.")
    else:
        complain("warning", f"server {facts['id']} stays off: {facts['why']}.")


def _facts(loaded: "LoadedConfig", server: "ServerSettings") -> dict[str, Any]:
    config = loaded.config
    is_first = server.id == config.server.id
    prefix = "server" if is_first else f"servers.{server.id}"
    why = ""
    if config.kill_switch:
        why = f"kill_switch is true ({loaded.sources['kill_switch']})"
    elif not server.enabled:
        default = loaded.sources["servers"]
        source = loaded.sources.get(f"{prefix}.enabled", default)
        why = f"its enabled is false ({source})"
    return {
        "id": server.id,
        "route": server.path(is_first=is_first),
        "state": "off" if why else "on",
        "why": why,
        "compact": server.compact,
        "profile": server.profile,
        "title": server.title or config.title,
    }


def _show(servers: list[dict[str, Any]]) -> None:
    show_table(
        ("ID", "ROUTE", "STATE", "COMPACT", "PROFILE", "TITLE", "WHY"),
        [
            (
                *(each[key] for key in ("id", "route", "state", "compact")),
                *(each["profile"], each["title"], each["why"] or "-"),
            )
            for each in servers
        ],
    )
