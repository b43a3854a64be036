"""The command ``serve``: serve clients over HTTP."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from abilities_host.cli.options import ConfigOption
from abilities_host.cli.printing import (
    complain,
    complain_at_length,
)
from abilities_host.cli.running import load
from abilities_host.jsontext import json_text

if TYPE_CHECKING:
    from abilities_host.server.serving import Served


def serve_http(
    config: ConfigOption = None,
    *,
    address: Annotated[
        str | None,
        typer.Option("--host", metavar="ADDRESS", help="Where it listens."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65_535, help="0 for any that is free."),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Turn every write off.")
    ] = False,
    compact: Annotated[
        bool,
        typer.Option("--compact", help="List three tools that lead to all others."),
    ] = False,
) -> None:
    """Serve MCP clients over HTTP."""
    from abilities_host.admin.annex import admin_annex  # noqa: PLC0415 - a slow import
    from abilities_host.server.serving import fast_loop, run_http  # noqa: PLC0415 - same

    loaded = load(
        config,
        read_only=read_only or None,
        server__compact=compact or None,
        http__address=address,
        http__port=port,
    )
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        serving = run_http(loaded, announce=_announce, beside=admin_annex)
        code = runner.run(serving)
    raise typer.Exit(code)


def client_settings(served: "Served") -> dict[str, object]:
    """Write what an MCP client needs to connect.

    Args:
        served: address and token.

    Returns:
        The ``mcpServers`` object that most clients read.
    """
    headers = {"Authorization": f"Bearer {served.token.value}"}
    server = {"type": "http", "url": served.url, "headers": headers}
    return {"mcpServers": {"abilities": server}}


def _announce(served: "Served") -> None:
    """Standard output stays free; a token is shown once, to the one who starts."""
    complain("serving", f"{served.url} (Ctrl+C ends it)")
    for url in served.further:
        complain("serving", url)
    if not served.is_on:
        complain("warning", "the server is off: it answers when its switch is on again")
    if served.token.is_new:
        complain("token", f"made in {served.token.path}; it is shown this once")
        complain_at_length("\nThe configuration of an MCP client:\n")
        complain_at_length(json_text(client_settings(served)))
    else:
        complain("token", f"in {served.token.path}")
