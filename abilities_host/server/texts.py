"""Texts: arguments that can only arrive as text, as the types their schema wants."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

_TYPES: Final[tuple[tuple[str, tuple[type, ...]], ...]] = (
    ("boolean", (bool,)),
    ("integer", (int,)),
    ("number", (int, float)),
    ("null", (type(None),)),
    ("array", (list,)),
    ("object", (dict,)),
)


def typed(schema: Mapping[str, Any] | None, texts: Mapping[str, str]) -> dict[str, Any]:
    """Read each text as what its property's type says.

    Args:
        schema: an object schema, None for none.
        texts: argument to text, as prompts and addresses carry it.

    Returns:
        The same names; a text stays one where the schema takes a string, says no type,
        or where it does not read as the type.
    """
    properties: Mapping[str, Any] = (schema or {}).get("properties", {})
    return {name: _read(properties.get(name), text) for name, text in texts.items()}


def _read(schema: Any, text: str) -> Any:
    said = schema.get("type") if isinstance(schema, Mapping) else None
    types = {said} if isinstance(said, str) else set(said or ())
    if not types or "string" in types:
        return text
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return value if _is_one_of(types, value) else text


def _is_one_of(types: set[str], value: Any) -> bool:
    if isinstance(value, bool):
        return "boolean" in types
    return any(isinstance(value, kinds) for name, kinds in _TYPES if name in types)
