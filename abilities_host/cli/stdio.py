"""The command ``stdio``: serve a client that started this process."""

import asyncio
from typing import Annotated

import typer

from abilities_host.cli.options import ConfigOption
from abilities_host.cli.running import load


def serve_stdio(
    config: ConfigOption = None,
    *,
    server: Annotated[
        str,
        typer.Option("--server", metavar="ID", help="Which server; else the first."),
    ] = "",
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Turn every write off.")
    ] = False,
    compact: Annotated[
        bool,
        typer.Option("--compact", help="List three tools that lead to all others."),
    ] = False,
) -> None:
    """Serve an MCP client over standard input and output."""
    from abilities_host.server.stdio import run_stdio  # noqa: PLC0415 - a slow import

    loaded = load(config, read_only=read_only or None, server__compact=compact or None)
    raise typer.Exit(asyncio.run(run_stdio(loaded, server=server)))
