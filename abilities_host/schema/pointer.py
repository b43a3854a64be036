"""Places inside a JSON value, and how they are written."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

Pointer = tuple[str | int, ...]
"""The keys and indexes that lead from the root to a place."""

NAME_SHOWN = 64

_INDEX = re.compile("0|[1-9][0-9]{0,8}")


class NowhereError(LookupError):
    """Raised when a pointer leads to nothing."""


def printable(text: str, limit: int = NAME_SHOWN) -> str:
    """Make a foreign name safe to print.

    Args:
        text: any string, also with control or bidirectional characters.
        limit: how many characters of it are shown.

    Returns:
        The beginning of it, with everything that does not print escaped.
    """
    shown = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[:limit])
    return f"{shown}…" if len(text) > limit else shown


def write_pointer(place: Pointer) -> str:
    """Write a place as a JSON pointer that is safe to print.

    Args:
        place: keys and indexes from the root.

    Returns:
        ``/tags/0``; an empty string for the root.
    """
    tokens = (printable(str(t)).replace("~", "~0").replace("/", "~1") for t in place)
    return "".join(f"/{token}" for token in tokens)


def read_pointer(written: str) -> Pointer:
    """Read the JSON pointer of a local reference.

    Args:
        written: what follows the ``#``, percent-encoded or not.

    Returns:
        The tokens as strings; `find_place` turns them into indexes where it must.
    """
    tokens = unquote(written).split("/")[1:]
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def look_up(value: Any, place: Pointer) -> Any:
    """Give what is at a place.

    Args:
        value: a JSON value.
        place: keys and indexes from the root.

    Returns:
        The value there.

    Raises:
        NowhereError: when there is nothing.
    """
    for token in place:
        value = value[_key(value, token)]
    return value


def find_place(value: Any, tokens: Pointer) -> Pointer:
    """Turn the tokens of a written pointer into the one spelling of its place.

    Args:
        value: the JSON value it points into.
        tokens: what `read_pointer` gave.

    Returns:
        The same place with indexes as integers.

    Raises:
        NowhereError: when there is nothing.
    """
    place: list[str | int] = []
    for token in tokens:
        place.append(_key(value, token))
        value = value[place[-1]]
    return tuple(place)


def _key(value: Any, token: str | int) -> str | int:
    if isinstance(value, Mapping) and token in value:
        return token
    if isinstance(value, list | tuple) and _INDEX.fullmatch(str(token)):
        index = int(token)
        if index < len(value):
            return index
    raise NowhereError(token)
