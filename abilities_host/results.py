"""A result as every surface can carry it: a JSON value and its bytes."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import PurePath
from typing import Any, NamedTuple

import orjson


class Normalised(NamedTuple):
    """A result as JSON.

    Attributes:
        value: dicts, lists and scalars, sharing nothing with what came back.
        wire: the same as UTF-8 JSON.
    """

    value: Any
    wire: bytes


class NotJson(TypeError):
    """Raised when a result cannot be said in JSON; the text holds no values."""


def normalize_result(value: Any) -> Normalised:
    """Turn what an ability returned into JSON.

    Pydantic models, dataclasses, dates, UUIDs, enums, decimals and paths are written
    in their usual form.

    Args:
        value: any object.

    Returns:
        The JSON value and its bytes.

    Raises:
        NotJson: for anything else, for cycles, and for nesting over 250 levels.
    """
    try:
        wire = orjson.dumps(value, default=_encode)
    except (TypeError, RecursionError) as error:
        raise NotJson(_reason(error)) from None
    return Normalised(orjson.loads(wire), wire)


def as_object(value: Any) -> dict[str, Any]:
    """Wrap a result for protocol versions whose structured content is an object.

    Args:
        value: a JSON value.

    Returns:
        The value itself when it is an object (also ``{}``), else ``{"data": value}``.
    """
    return value if isinstance(value, dict) else {"data": value}


def text_mirror(value: Any, wire: bytes) -> str:
    """Say a result in text, for clients that read nothing else.

    Args:
        value: a JSON value.
        wire: the same as bytes.

    Returns:
        A string as it is, everything else as JSON.
    """
    return value if isinstance(value, str) else wire.decode()


def _encode(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Decimal | PurePath):
        return str(value)
    msg = f"a {type(value).__name__} cannot be written as JSON"
    raise TypeError(msg)


def _reason(error: Exception) -> str:
    cause = error.__cause__ or error
    text = str(cause)
    if "cannot be written as JSON" in text:
        return text
    if "ecursion" in text:
        return "the result is nested too deep, or contains itself"
    return "the result cannot be written as JSON"
