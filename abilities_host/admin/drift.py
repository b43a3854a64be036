"""Drift: why an undo is refused, shown target by target."""

from collections.abc import Mapping
from typing import Any, Final

from abilities_host.admin.weight import shortened

NAMED: Final = 5
_ROOM: Final = 10_000  # bytes of HTML for each


def drifted(details: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Give the targets that are not as an undo expected them.

    Args:
        details: of the refusal.

    Returns:
        The first five, each with the ``lines`` of its difference, and with ``None`` for
        sizes that nobody knows.
    """
    return [_shown(each) for each in details.get("targets", ())[:NAMED]]


def _shown(target: Mapping[str, Any]) -> Mapping[str, Any]:
    lines = shortened(str(target.get("diff", "")), _ROOM).split("\n")
    # The first two lines only say which is which.
    sizes = {"expected_bytes": None, "found_bytes": None}
    return {**sizes, **target, "lines": lines[2:]}
