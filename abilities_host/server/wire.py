"""Wire: whether the protocol's own models take something, before it is sent."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from abilities_host.server.eras import LEGACY, Era

_ENVELOPE: Final = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}


def find_fault(method: str, era: Era, result: Mapping[str, Any], depth: int) -> str:
    """Say why a result would be refused, without its values.

    Args:
        method: whose result it is.
        era: of the client.
        result: in wire form, without the envelope.
        depth: how many parts of the fault's place the author never wrote.

    Returns:
        The place and what is wrong there; empty when it can be sent.
    """
    # Slow imports that only a server and `doctor` need.
    from mcp_types.methods import serialize_server_result  # noqa: PLC0415
    from pydantic import ValidationError  # noqa: PLC0415

    try:
        orjson.dumps(result)
        sent = serialize_server_result(method, era, {**result, **_ENVELOPE})
    except TypeError:
        return "it holds something that cannot be written as JSON"
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"][depth:])
        return f"{place}: {first['msg']}"
    # A method of the later era has several results: what is none of one kind may pass
    # as an empty one of another.
    lost = sorted(result.keys() - sent.keys() - _ENVELOPE.keys())
    if not lost:
        return ""
    earlier = find_fault(method, LEGACY, result, depth) if era != LEGACY else ""
    return earlier or f"{lost[0]}: Input should be what the protocol says"
