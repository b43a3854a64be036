"""Arguments: the one JSON object that ``call`` takes."""

import sys
from typing import Any

import orjson

from abilities_host.errors import InvalidInput

FROM_INPUT = "-"


def read_arguments(name: str, written: str | None, limit: int) -> Any:
    """Read the arguments of a call.

    Args:
        name: the ability, for the error.
        written: a JSON object, ``-`` for standard input, None for no arguments.
        limit: bytes at most.

    Returns:
        A dict, or None.

    Raises:
        InvalidInput: for anything else.
    """
    if written is None:
        return None
    if written == FROM_INPUT:
        content = sys.stdin.buffer.read(limit + 1)
    else:
        content = written.encode(errors="surrogateescape")
    if len(content) > limit:
        raise _refused(name, f"the arguments are larger than {limit} bytes")
    return _object(name, content)


def _object(name: str, content: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        problem = f'not JSON at {place}. Write one object, such as \'{{"path": "a"}}\''
        raise _refused(name, problem) from None
    if isinstance(value, dict):
        return value
    raise _refused(name, 'the arguments are one JSON object, such as \'{"path": "a"}\'')


def _refused(name: str, problem: str) -> InvalidInput:
    return InvalidInput(name, [{"path": "", "message": problem}])
