"""The floor: an ASGI application that reads JSON and writes it back, and no more."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import orjson
from benchmarks.peers.serving import parse, serve

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


async def answer(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    """Answer a tool call with its own arguments."""
    if scope["type"] != "http":
        return
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    written = orjson.dumps(_result(orjson.loads(body)))
    length = str(len(written)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": written})


def _result(request: Mapping[str, Any]) -> dict[str, Any]:
    value = request["params"]["arguments"]
    text = {"type": "text", "text": orjson.dumps(value).decode()}
    result = {"content": [text], "structuredContent": value, "resultType": "complete"}
    return {"jsonrpc": "2.0", "id": request["id"], "result": result}


if __name__ == "__main__":
    serve(answer, parse().port)
