"""One request of the suite, and the parts of an answer to it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.types import Message, Receive, Scope

SESSION: Final = b"mcp-session-id"
# What ends at the door.
_OWN: Final = (b"authorization", b"content-length", b"connection", b"transfer-encoding")

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that was read to its end.

    Attributes:
        scope: of ASGI.
        headers: without those that say how it came.
        body: as it came.
        message: the body's JSON object, empty when it is none.
    """

    scope: Scope
    headers: Headers
    body: bytes
    message: Mapping[str, Any]

    @property
    def session(self) -> bytes:
        """Id of the host's session; empty in the later era."""
        return dict(self.headers).get(SESSION, b"")


def in_session(headers: Headers, session: bytes) -> Headers:
    """Give headers with another session, or with none."""
    plain = [(key, value) for key, value in headers if key != SESSION]
    return [*plain, (SESSION, session)] if session else plain


async def read_request(scope: Scope, receive: Receive) -> Asked:
    """Read a request to its end."""
    parts: list[bytes] = []
    is_whole = False
    while not is_whole:
        part = await receive()
        parts.append(part.get("body", b""))
        is_whole = not part.get("more_body")
    body = b"".join(parts)
    headers = [(key, value) for key, value in scope["headers"] if key not in _OWN]
    return Asked(scope, headers, body, _parsed(body))


def _parsed(body: bytes) -> Mapping[str, Any]:
    try:
        message = json.loads(body)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def start(status: int, headers: Iterable[tuple[bytes, bytes]]) -> Message:
    """Begin an answer with what the host began with."""
    kept = [(key, value) for key, value in headers if key.lower() not in _OWN[2:]]
    return {"type": "http.response.start", "status": status, "headers": kept}


def part(body: bytes, *, is_last: bool = False) -> Message:
    """Go on with an answer."""
    return {"type": "http.response.body", "body": body, "more_body": not is_last}
