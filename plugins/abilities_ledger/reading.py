"""Reading: the record, as far as an actor may see it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, cast

from abilities_host import Actor, Call, CallError
from abilities_host.ledger import Entry, Ledger, Listed, Query
from abilities_ledger.export import iso
from abilities_ledger.refused import NotFound
from abilities_ledger.service import LedgerService
from abilities_ledger.window import micros

READ_ALL: Final = "ledger:read-all"
ANYBODY: Final = "*"

_SAME: Final = ("domain", "target", "action", "session", "ability", "result", "limit")


class ScopeMissing(CallError):
    """The actor may read its own changes, and not these."""

    code = "ledger_scope_missing"

    def __init__(self, what: str, scope: str) -> None:
        super().__init__(f"{what} needs the scope {scope!r}.", scope=scope)


class QueryInvalid(CallError):
    """The filters do not make a query."""

    code = "ledger_query_invalid"


async def list_changes(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """List what was done, newest first.

    Args:
        arguments: the filters.
        call: the running call.

    Returns:
        The changes and the next cursor.

    Raises:
        ScopeMissing: when they are those of others.
        QueryInvalid: when a time or a target cannot be understood.
    """
    query = _query_of(arguments, call.actor)
    page = await call.service(Ledger).list_changes(query)
    following = None if page.next is None else str(page.next)
    return {"changes": [_shown(each) for each in page.entries], "next": following}


async def get_change(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """Tell one change.

    Args:
        arguments: its `id`.
        call: the running call.

    Returns:
        The change, with its difference.

    Raises:
        NotFound: when there is none that the actor may see.
        ScopeMissing: when the actor lacks the scope of the ability that made it.
    """
    # Our own pack offers it: what only abilities need is no part of the protocol.
    ledger = cast("LedgerService", call.service(Ledger))
    seq = arguments["id"]
    listed = await ledger.get_change(seq)
    if listed is None or not _may_see(call.actor, listed.entry):
        raise NotFound(seq)
    await _check_scope(ledger, call.actor, listed.entry)
    is_change = listed.entry.kind == "change"
    return {
        **_shown(listed),
        "call": listed.entry.call,
        "divergent": listed.is_divergent,
        "evaluations": [*map(_judged, await ledger.evaluations_of(listed.entry))],
        "diff": dict(await ledger.diff(seq)) if is_change else None,
    }


def _query_of(arguments: Mapping[str, Any], actor: Actor) -> Query:
    if "target" in arguments and "domain" not in arguments:
        raise QueryInvalid("A target is one of a domain: give domain too.")
    given = {name: arguments[name] for name in _SAME if name in arguments}
    return Query(
        **given,
        actor=_whose(arguments, actor),
        is_reversible=arguments.get("reversible"),
        is_rolled_back=arguments.get("rolled_back"),
        start=_moment(arguments, "start"),
        end=_moment(arguments, "end"),
        before=int(arguments["cursor"]) if "cursor" in arguments else None,
    )


def _whose(arguments: Mapping[str, Any], actor: Actor) -> str | None:
    wanted: str = arguments.get("actor", actor.id)
    if wanted != actor.id and not actor.may(READ_ALL):
        raise ScopeMissing("Reading what others changed", READ_ALL)
    return None if wanted == ANYBODY else wanted


def _moment(arguments: Mapping[str, Any], name: str) -> int | None:
    if name not in arguments:
        return None
    try:
        return micros(datetime.fromisoformat(arguments[name]))
    except (ValueError, OverflowError):
        raise QueryInvalid(
            f"{name} is no time that can be used: write ISO 8601 with a zone, such as "
            "2026-01-31T09:00:00Z."
        ) from None


def _may_see(actor: Actor, entry: Entry) -> bool:
    return entry.actor == actor.id or actor.may(READ_ALL)


async def _check_scope(ledger: LedgerService, actor: Actor, entry: Entry) -> None:
    """Of an ability that is gone nobody knows the scope; who did it is enough."""
    ability = await ledger.original_of(entry)
    if ability is not None and not actor.may(ability.requires):
        raise ScopeMissing(f"Reading a change by {ability.name!r}", ability.requires)


def _shown(listed: Listed) -> dict[str, Any]:
    entry = listed.entry
    return {
        "id": entry.seq,
        "at": iso(entry.at),
        "actor": entry.actor,
        "session": entry.session,
        "ability": entry.ability,
        "domain": entry.domain,
        "target": entry.target,
        "action": entry.action,
        "result": entry.result,
        "result_real": listed.real or None,
        "partial": entry.partial,
        "reversible": listed.is_reversible,
        "rolled_back": listed.is_rolled_back,
    }


def _judged(evaluation: Entry) -> dict[str, Any]:
    return {
        "at": iso(evaluation.at),
        "plugin": evaluation.details["plugin"],
        "result": evaluation.real,
        "reason": evaluation.details["reason"],
    }
