"""Wire: requests as bytes, in both eras, and answers that must be good ones."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"
PATH: Final = "/mcp"

_META: Final = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


class BadAnswer(Exception):
    """Raised when a server answers something else than a good result.

    Args:
        answer: its beginning is shown.
    """

    def __init__(self, answer: bytes) -> None:
        super().__init__(f"the server answered {answer[:500]!r}")


def request(
    number: int, method: str, params: Mapping[str, Any], version: str = MODERN
) -> bytes:
    """Write a request.

    Args:
        number: its id.
        method: of the protocol.
        params: without what the era adds.
        version: of the protocol.

    Returns:
        One line without its end.
    """
    meta = {"_meta": _META} if version == MODERN else {}
    body = {"jsonrpc": "2.0", "id": number, "method": method}
    return orjson.dumps({**body, "params": {**params, **meta}})


def call(number: int, tool: str, arguments: Any, version: str = MODERN) -> bytes:
    """Write a call of a tool."""
    params = {"name": tool, "arguments": arguments}
    return request(number, "tools/call", params, version)


def initialize(number: int) -> bytes:
    """Write the first request of the earlier era."""
    params = {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    return request(number, "initialize", params, LEGACY)


def initialized() -> bytes:
    """Write what a client says when it has been answered."""
    return b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


def result_of(answer: bytes) -> Any:
    """Read an answer.

    Args:
        answer: one message.

    Returns:
        Its result.

    Raises:
        BadAnswer: when it is an error, of the protocol or of the tool.
    """
    result = orjson.loads(answer).get("result") if answer else None
    if not isinstance(result, dict) or result.get("isError"):
        raise BadAnswer(answer)
    return result


def headers(
    method: str, tool: str = "", *, verb: str = "POST", path: str = PATH, **fields: str
) -> bytes:
    """Write the headers of a request, but for its length.

    Args:
        method: of the protocol; empty for none.
        tool: the tool that is called.
        verb: of HTTP.
        path: of the server.
        **fields: others, with `_` for `-`; the protocol's version among them.

    Returns:
        Lines with their ends.
    """
    lines = [
        f"{verb} {path} HTTP/1.1",
        "Host: 127.0.0.1:1",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        *([f"Mcp-Method: {method}"] if method else []),
        *([f"Mcp-Name: {tool}"] if tool else []),
        *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items()),
    ]
    return "".join(f"{line}\r\n" for line in lines).encode()
