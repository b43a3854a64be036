"""The SDK's MCPServer: schemas from signatures, checked by pydantic."""

from benchmarks.peers.functions import functions
from mcp.server import MCPServer


def build(abilities: int) -> MCPServer[None]:
    """Make the server.

    Args:
        abilities: how many tools, at least three.

    Returns:
        A server that logs warnings only.
    """
    server: MCPServer[None] = MCPServer("mcpserver", log_level="WARNING")
    for name, function, description in functions(abilities):
        server.add_tool(function, name=name, description=description)
    return server


def main() -> None:
    """Serve over the transport that is asked for."""
    from benchmarks.peers.serving import parse, serve  # noqa: PLC0415 - as a peer would

    asked = parse()
    server = build(asked.abilities)
    if asked.port:
        serve(server.streamable_http_app(json_response=False), asked.port)
    else:
        server.run("stdio")


if __name__ == "__main__":
    main()
