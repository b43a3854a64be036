"""The abilities that undo: one change with all of its run, or a session."""

from collections.abc import Mapping
from typing import Any

from abilities_host import Call, Changes, Denied, RegistryView, Undo
from abilities_host.ledger import Entry, Ledger, Listed, Query
from abilities_ledger import undo_schemas as schemas
from abilities_ledger.standing import position_of
from abilities_ledger.undoing import Undoing

CALLS = 200
UNDO = "ledger/rollback-change"

_CHANGE = (
    "Puts back what one recorded change replaced, together with the other changes of "
    "the same run. Refuses when the target has changed since, and shows the "
    "difference. Try it first with dry_run."
)
_SESSION = (
    "Undoes the changes of one session, newest first. Stops at the first one that is "
    "refused, and says what was and was not undone."
)


def register_undoing(registry: RegistryView) -> None:
    """Register the two abilities that undo.

    Args:
        registry: the pack's view of the registry.
    """
    registry.register_ability(
        UNDO,
        label="Undo a change",
        description=_CHANGE,
        input_schema=schemas.CHANGE_INPUT,
        output_schema=schemas.CHANGE_OUTPUT,
        execute_callback=rollback_change,
        changes=Changes(undo=plan_undo),
        **_undoes(),
    )
    registry.register_ability(
        "ledger/rollback-session",
        label="Undo a session",
        description=_SESSION,
        input_schema=schemas.SESSION_INPUT,
        output_schema=schemas.SESSION_OUTPUT,
        execute_callback=rollback_session,
        **_undoes(),
    )


def may_undo(arguments: Mapping[str, Any], call: Call) -> bool | Denied:
    """Allow who has the scope; force needs one of its own."""
    if arguments["force"] and not call.actor.may("ledger:force"):
        return Denied("no ledger:force", "force needs the scope ledger:force.")
    return True


async def plan_undo(arguments: Mapping[str, Any], call: Call) -> Undo:
    """Say what the undo would do, for the envelope."""
    return await call.service(Undoing).plan(arguments, call)


async def rollback_change(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """Put one change back.

    Args:
        arguments: ``id`` and the switches.
        call: the running call, whose undo was judged.

    Returns:
        The targets, and whether it was only tried.
    """
    undo = call.undo
    if undo is None:
        msg = "the envelope did not plan this undo"
        raise RuntimeError(msg)
    result = await call.service(Undoing).perform(undo, call)
    return {"id": arguments["id"], "changes": [seq for seq, _ in undo.undoes], **result}


async def rollback_session(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """Undo the runs of a session, newest first.

    Args:
        arguments: ``session`` and the switches.
        call: the running call.

    Returns:
        What was undone, what was refused and why, and what was left.
    """
    left = await _runs(arguments["session"], call)
    undone: list[int] = []
    refused = None
    tried: set[tuple[str, str]] = set()
    while left and refused is None:
        entry = left[0].entry
        # Only tried, a newer change of the same target stands, and hides this one.
        if not (arguments["dry_run"] and (entry.domain, entry.target) in tried):
            refused = await _undo(entry, arguments, call)
        tried.add((entry.domain, entry.target))
        if refused is None:
            undone.append(left.pop(0).entry.seq)
    return {
        "session": arguments["session"],
        "dry_run": arguments["dry_run"],
        "undone": undone,
        "refused": refused,
        "left": [each.entry.seq for each in left],
    }


async def _undo(
    entry: Entry, arguments: Mapping[str, Any], call: Call
) -> dict[str, Any] | None:
    """Undo one run; gives why not when it was refused."""
    switches = {name: arguments[name] for name in ("dry_run", "force")}
    outcome = await call.execute(UNDO, {"id": entry.seq, **switches})
    error = outcome.error
    if error is None:
        return None
    return {
        "id": entry.seq,
        "code": error.code,
        "message": error.message,
        "details": error.details,
    }


async def _runs(session: str, call: Call) -> list[Listed]:
    """One change of each run that is still in force, newest first."""
    actor = None if call.actor.may("ledger:read-all") else call.actor.id
    ledger = call.service(Ledger)
    found: dict[str, Listed] = {}
    places: dict[str, int] = {}  # a sweep records late what a dead host had changed
    cursor: int | None = None
    while len(found) < CALLS:
        page = await ledger.list_changes(
            Query(session=session, actor=actor, before=cursor, limit=500)
        )
        for each in page.entries:
            if _can_be_undone(each):
                call_id, at = each.entry.call, position_of(each.entry)
                found.setdefault(call_id, each)
                places[call_id] = min(at, places.get(call_id, at))
        cursor = page.next
        if cursor is None:
            break
    order = sorted(found, key=places.__getitem__, reverse=True)
    return [found[call_id] for call_id in order][:CALLS]


def _can_be_undone(listed: Listed) -> bool:
    entry = listed.entry
    is_own = entry.partial != "foreign"
    is_undo = entry.ability.startswith("ledger/")
    return (
        entry.kind == "change" and is_own and not is_undo and not listed.is_rolled_back
    )


def _undoes() -> dict[str, Any]:
    notes = {"readonly": False, "destructive": True, "idempotent": False}
    return {
        "category": "ledger",
        "permission_callback": may_undo,
        "requires": "ledger:undo",
        "meta": {"annotations": notes, "show_in_rest": True},
    }
