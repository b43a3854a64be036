"""Arguments: an object however a client wrote it, or a refusal."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from abilities_dispatcher.refusals import MalformedArguments

_DECODED_AT_MOST: Final = 2
_KINDS: Final = {bool: "boolean", list: "array", type(None): "null", str: "string"}


def decode_arguments(given: Any) -> Mapping[str, Any] | None:
    """Understand the arguments that a client sent.

    Args:
        given: an object, its JSON text, the JSON text of that text, null or ``[]``.

    Returns:
        The object, or None for none.

    Raises:
        MalformedArguments: for any other text; nothing may be run with a guess.
    """
    if given is None or given == []:
        return None
    value = given
    for _ in range(_DECODED_AT_MOST):
        if isinstance(value, str):
            value = _decoded(value)
    if not isinstance(value, Mapping):
        kind = _KINDS.get(type(value), "number")
        raise MalformedArguments(f"a text that holds a {kind}")
    return value


def _decoded(text: str) -> Any:
    try:
        return orjson.loads(text)
    except ValueError:
        raise MalformedArguments("a text that is not JSON") from None
