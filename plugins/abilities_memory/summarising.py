"""Summarising: what `memory/save-session-summary` does."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from abilities_host import Call, CallError
from abilities_host.ledger import Ledger
from abilities_memory.digesting import Told
from abilities_memory.moments import micros_of, moment_of, written
from abilities_memory.recalling import memory_of


class TimeInvalid(CallError):
    """A time cannot be understood."""

    code = "memory_time_invalid"

    def __init__(self, field: str) -> None:
        super().__init__(
            f"{field} is no time that can be used: write ISO 8601 with a zone, such as "
            "2026-01-31T09:00:00Z, or leave it out; the host knows it.",
            field=field,
        )


class RecordMissing(CallError):
    """There is no record of writes, and so nothing to compare with."""

    code = "memory_record_missing"

    def __init__(self) -> None:
        super().__init__(
            "Nothing keeps the record of writes on this host, so a summary would have "
            "no facts. Nothing was stored; install the ledger pack."
        )


async def save_session_summary(
    arguments: Mapping[str, Any], call: Call
) -> dict[str, Any]:
    """Keep what an agent tells of its session, beside what the record says.

    Args:
        arguments: see the schema.
        call: the running call.

    Returns:
        What was kept, and where both differ.

    Raises:
        TimeInvalid: when a time cannot be understood.
        RecordMissing: without a record of writes.
        CallError: when the narrative cannot be taken; nothing is kept.
    """
    memory, narrative = memory_of(call), arguments["narrative"]
    may_read = call.actor.may("read")
    told = Told(
        narrative=narrative,
        claims=arguments.get("claims", ()),
        actor=call.actor.id,
        session=call.session,
        start=_moment(arguments, "session_start"),
        end=_moment(arguments, "session_end"),
        # Who may read learns nothing from what is there that it could not read.
        known=await memory.known_to_domains(narrative) if may_read else (),
    )
    kept = await memory.summaries.save(told, _ledger(call))
    return {
        "id": kept.id,
        "session": kept.session,
        "session_start": written(kept.start),
        "session_end": written(kept.end),
        "digest": dict(kept.digest),
        "divergence": bool(kept.digest["divergence"]),
        "divergences": [dict(each) for each in kept.divergences],
        "partial": kept.is_partial,
    }


def _ledger(call: Call) -> Ledger:
    try:
        return call.service(Ledger)
    except LookupError:
        raise RecordMissing from None


def _moment(arguments: Mapping[str, Any], name: str) -> int | None:
    if name not in arguments:
        return None
    try:
        micros = micros_of(datetime.fromisoformat(arguments[name]))
        moment_of(micros)  # a moment of the first day there is may be none in UTC
    except (ValueError, TypeError, OverflowError):  # TypeError: without a zone
        raise TimeInvalid(name) from None
    return micros
