"""Guidance of which a test says only what it is about."""

from typing import Any

from abilities_host.memory.guidance import Guidance
from abilities_memory.moments import DAY

NOW = 1_800_000_000_000_000


def approved(number: int, **parts: Any) -> Guidance:
    """Make guidance that ana approved; an hour later for each number."""
    given: dict[str, Any] = {
        "id": f"gm-{number:03}",
        "type": "convention",
        "topic": "",
        "text": "Tidy up.",
        "rationale": "Asked for.",
        "status": "approved",
        "proposed_by": "bob",
        "proposed_at": NOW - 11 * DAY,
        "reviewed_by": "ana",
        "reviewed_at": NOW - 10 * DAY + number * DAY // 24,
    }
    return Guidance(**{**given, **parts})
