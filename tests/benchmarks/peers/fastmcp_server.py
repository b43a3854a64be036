"""FastMCP: schemas from signatures, its own layers over those of the SDK."""

import logging
from importlib import import_module
from typing import Any

from benchmarks.peers.functions import functions


def build(abilities: int) -> Any:
    """Make the server.

    Args:
        abilities: how many tools, at least three.

    Returns:
        A FastMCP; it is not installed where the tests run, so its type is not known.
    """
    logging.disable(logging.INFO)
    server = import_module("fastmcp").FastMCP("fastmcp")
    tool = import_module("fastmcp.tools").Tool
    for name, function, description in functions(abilities):
        made = tool.from_function(function, name=name, description=description)
        server.add_tool(made)
    return server


def main() -> None:
    """Serve over the transport that is asked for."""
    from benchmarks.peers.serving import parse, serve  # noqa: PLC0415 - as a peer would

    asked = parse()
    server = build(asked.abilities)
    if asked.port:
        serve(server.http_app(path="/mcp", json_response=False), asked.port)
    else:
        server.run(transport="stdio", show_banner=False)


if __name__ == "__main__":
    main()
