"""Remembered: guidance of the project's memory as several pages show it."""

import time
from collections.abc import Mapping
from typing import Final

from starlette.exceptions import HTTPException

from abilities_host.admin.queue import GUIDANCE
from abilities_host.admin.texts import Texts
from abilities_host.admin.visit import Visit
from abilities_host.errors import CallError
from abilities_host.gate import Alarm, Gate
from abilities_host.memory import Guidance, ProjectMemory, Review, Scope

OLD_DAYS: Final = 60
OLDER_DAYS: Final = 90
_DAY: Final = 86_400_000_000  # microseconds


def memory_of(visit: Visit) -> ProjectMemory:
    """Give the project's memory.

    Args:
        visit: of a person.

    Returns:
        What a pack offers.

    Raises:
        LookupFailed: when no healthy pack keeps one.
    """
    return visit.need(ProjectMemory, "memory")


async def review_or_404(visit: Visit, id_: str) -> Review:
    """Give guidance with its hash, for a page of its own.

    Args:
        visit: of a person.
        id_: from the address; anything.

    Returns:
        What it says, and what would follow.

    Raises:
        HTTPException: when there is none of this id, or nothing keeps any.
    """
    memory = visit.find(ProjectMemory)
    if memory is None:
        raise HTTPException(404)
    try:
        return await memory.review(id_)
    except CallError:
        raise HTTPException(404) from None


async def alarms_of(visit: Visit) -> Mapping[str, Alarm]:
    """Give what is wrong with guidance that is not as a person left it.

    Args:
        visit: of a person.

    Returns:
        Id of guidance to its alarm, as it was found less than 90 seconds ago.
    """
    gate: Gate = visit.host.services.find(Gate)
    return {each.id: each for each in await gate.alarms() if each.kind == GUIDANCE}


def age_of(guidance: Guidance, *, now: float | None = None) -> int:
    """Say how long ago somebody decided on guidance, or proposed it.

    Args:
        guidance: of any status.
        now: seconds since 1970; None for now.

    Returns:
        Whole days, at least 0.
    """
    seconds = time.time() if now is None else now
    at = guidance.reviewed_at or guidance.proposed_at
    return max(0, int(seconds * 1_000_000) - at) // _DAY


def staleness(guidance: Guidance, *, now: float | None = None) -> int:
    """Say whether what is in force should be looked at again.

    Args:
        guidance: of any status.
        now: seconds since 1970; None for now.

    Returns:
        90 or 60 when it was approved so many days ago or more, else 0.
    """
    if guidance.status != "approved":
        return 0
    age = age_of(guidance, now=now)
    return next((days for days in (OLDER_DAYS, OLD_DAYS) if age >= days), 0)


def decided_until(days: int, *, now: float | None = None) -> int:
    """Say until when something was decided that is so old.

    Args:
        days: as `age_of` gives them, at least.
        now: seconds since 1970; None for now.

    Returns:
        Microseconds since 1970.
    """
    seconds = time.time() if now is None else now
    return int(seconds * 1_000_000) - days * _DAY


def scope_text(scope: Scope, texts: Texts) -> str:
    """Say in words what guidance is about; the target is foreign text."""
    parts = [texts.text("scope.everywhere")] if scope.site_wide else []
    if scope.post_id is not None:
        parts.append(texts.text("scope.number", number=scope.post_id))
    if scope.target:
        parts.append(scope.target)
    return ", ".join(parts) or texts.text("scope.nothing")
