"""What even clients choke on that take all the protocol allows, and lose the list."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from abilities_host.schema.keywords import (
    LISTS,
    MAPS,
    SINGLE_OR_LIST,
    Inner,
    subschemas,
)

IDENTIFIERS = ("$id", "id")
_HOLDERS = MAPS | LISTS | SINGLE_OR_LIST
_EXCLUSIVE = ("exclusiveMinimum", "exclusiveMaximum")

_ESCAPES: Final = r"[dDwWsSfnrtv0^$\\.*+?()\[\]{}|/]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}"
_CLASS: Final = rf"\[\^?(?:[^\\\]]|\\(?:{_ESCAPES}|[b-]))*\]"
_GROUP: Final = r"\((?:\?(?:[:=!]|<[=!]|<[A-Za-z]\w*>)|(?!\?))"
_COUNT: Final = r"\{\d+(?:,\d*)?\}"
_EVERYWHERE: Final = re.compile(
    rf"(?:[^\\(\[\]{{}}]|\\(?:{_ESCAPES}|[bB1-9])|{_CLASS}|{_GROUP}|{_COUNT})*"
)
"""Patterns of a dialect that is the same with JavaScript's flag `u` and without."""


def is_odd(schema: Mapping[str, Any]) -> bool:
    """Say whether the 1.x TypeScript client would throw away a whole listing over it.

    Args:
        schema: of arguments or results, as clients would be shown it.

    Returns:
        Whether it has to be said in other words.
    """
    return has_identifier(schema) or any(
        _is_old(node) or _holds_booleans(inner) for node, inner in _nodes(schema)
    )


def is_unreadable(schema: Mapping[str, Any]) -> bool:
    """Say whether that client could not make a check of results of it, and give up.

    Args:
        schema: of results, as clients would be shown it.

    Returns:
        Whether it holds a pattern that JavaScript may refuse, or words of elsewhere.
    """
    return any(
        "id" in node
        or ("nullable" in node and "type" not in node)
        or ("pattern" in node and not _EVERYWHERE.fullmatch(str(node["pattern"])))
        for node, _ in _nodes(schema)
    )


def has_identifier(schema: Mapping[str, Any]) -> bool:
    """Say whether the root is named, by more than an anchor.

    Clients keep what they check results by under such names, for all tools together.
    """
    return any(_is_address(schema.get(word)) for word in IDENTIFIERS)


def has_old_bounds(schema: Mapping[str, Any]) -> bool:
    """Say whether an exclusive bound is a mark beside the bound, as in draft-04."""
    return any(_is_old(node) for node, _ in _nodes(schema))


def has_booleans(schema: Mapping[str, Any]) -> bool:
    """Say whether a property, form or item is described by true or false."""
    return any(_holds_booleans(inner) for _, inner in _nodes(schema))


def _nodes(schema: Any) -> Iterator[tuple[Mapping[str, Any], Sequence[Inner]]]:
    """Give every schema with those directly in it, once: each tool is looked at so."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            inner = subschemas(node)
            yield node, inner
            waiting += [child for _, _, child in inner]


def _is_address(name: Any) -> bool:
    return isinstance(name, str) and not name.startswith("#")


def _is_old(node: Mapping[str, Any]) -> bool:
    return any(isinstance(node.get(word), bool) for word in _EXCLUSIVE)


def _holds_booleans(inner: Sequence[Inner]) -> bool:
    return any(isinstance(child, bool) and word in _HOLDERS for word, _, child in inner)
