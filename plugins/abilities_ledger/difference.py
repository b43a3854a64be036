"""Difference: what an undo would destroy, in a few lines that may be shown."""

from collections.abc import Mapping
from difflib import unified_diff
from typing import Any, Final

import orjson

from abilities_host import MISSING, Domain, ShowsStates, State, Target, masked

LINES: Final = 200
TEXT_LIMIT: Final = 100_000  # characters of each side; more is only measured


def describe(
    domain: Domain, target: Target, expected: State, found: State
) -> Mapping[str, Any]:
    """Say how a target differs from what is expected.

    Args:
        domain: of the target.
        target: the thing.
        expected: as the change left it.
        found: as it is now.

    Returns:
        ``target``, ``expected_bytes``, ``found_bytes`` (of what a person reads; None
        for what does not exist) and ``diff``, lines from expected to found; empty when
        it cannot be shown.
    """
    one, other = (_shown(domain, state) for state in (expected, found))
    return {
        "target": str(target),
        "expected_bytes": _size(one),
        "found_bytes": _size(other),
        "diff": _diff(_written(one), _written(other)),
    }


def _shown(domain: Domain, state: State) -> State:
    if state is MISSING or not isinstance(domain, ShowsStates):
        return state
    return domain.show(state)


def _size(shown: State) -> int | None:
    """Count the bytes of what is shown."""
    if shown is MISSING:
        return None
    if isinstance(shown, str):
        return len(shown.encode(errors="surrogatepass"))
    return len(shown) if isinstance(shown, bytes) else len(orjson.dumps(shown))


def _written(shown: State) -> str | None:
    if shown is MISSING:
        return ""
    if isinstance(shown, bytes):
        return None
    safe = masked(shown)
    if isinstance(safe, str):
        return safe
    return orjson.dumps(safe, option=orjson.OPT_INDENT_2).decode()


def _diff(one: str | None, other: str | None) -> str:
    if one is None or other is None or max(len(one), len(other)) > TEXT_LIMIT:
        return ""
    sides = (one.splitlines(), other.splitlines())
    lines = [*unified_diff(*sides, "expected", "now", lineterm="")]
    cut = ["…"] if len(lines) > LINES else []
    return "\n".join([*lines[:LINES], *cut])
