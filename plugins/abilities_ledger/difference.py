"""Difference: what an undo would destroy, in a few lines that may be shown."""

from collections.abc import Mapping
from difflib import unified_diff
from typing import Any, Final

import orjson

from abilities_host import MISSING, Domain, ShowsStates, State, Target, masked
from abilities_ledger.content import encode

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
        ``target``, ``expected_bytes``, ``found_bytes`` (None for what does not exist)
        and ``diff``, lines from expected to found; empty when it cannot be shown.
    """
    return {
        "target": str(target),
        "expected_bytes": _size(expected),
        "found_bytes": _size(found),
        "diff": _diff(_shown(domain, expected), _shown(domain, found)),
    }


def _size(state: State) -> int | None:
    return None if state is MISSING else len(encode(state)) - 1


def _shown(domain: Domain, state: State) -> str | None:
    if state is MISSING:
        return ""
    shown = domain.show(state) if isinstance(domain, ShowsStates) else state
    if isinstance(shown, bytes):
        return None
    if isinstance(shown, str):
        return shown
    return orjson.dumps(masked(shown), option=orjson.OPT_INDENT_2).decode()


def _diff(one: str | None, other: str | None) -> str:
    if one is None or other is None or max(len(one), len(other)) > TEXT_LIMIT:
        return ""
    sides = (one.splitlines(), other.splitlines())
    lines = [*unified_diff(*sides, "expected", "now", lineterm="")]
    cut = ["…"] if len(lines) > LINES else []
    return "\n".join([*lines[:LINES], *cut])
