"""Ledger entry: one entry with what it changed, and its undo, tried before done."""

from collections.abc import Awaitable, Iterable, Mapping
from typing import Any, Final, TypeVar

from starlette.exceptions import HTTPException

from abilities_host.accounts import Role
from abilities_host.admin.comparison import Comparison, compared, lines_only
from abilities_host.admin.drift import drifted
from abilities_host.admin.form import Form
from abilities_host.admin.page import Action, Confirm, Content, Done, Page
from abilities_host.admin.pages.ledger import LARGEST, ledger_of
from abilities_host.admin.visit import Visit
from abilities_host.admin.weight import shortened
from abilities_host.calls import Outcome
from abilities_host.errors import CallError, WriteVetoed
from abilities_host.jsontext import json_text
from abilities_host.ledger import Entry, Ledger, Listed
from abilities_host.masking import masked

T = TypeVar("T")

ROOM: Final = 10_000  # bytes of HTML, of details and of one difference of several
NAMED: Final = 5
_UNDO: Final = "ledger/rollback-change"
_CLIENT: Final = "abilities admin"


class NotUndone(CallError):
    """An undo ended without an answer that says what it did."""

    code = "not_undone"

    def __init__(self, seq: int) -> None:
        super().__init__(
            f"Entry {seq} was not undone: a rule asks a person first. Run 'abilities "
            f"ledger rollback {seq}' at a terminal, where it can be answered."
        )


async def show(visit: Visit) -> Content:
    """Show one entry; see `Page.render`."""
    ledger = visit.find(Ledger)
    if ledger is None:
        raise HTTPException(404)
    listed = await _found(ledger, visit.parameters["seq"])
    entry = listed.entry
    is_change = entry.kind == "change"
    diff = await _or_404(compared(ledger, entry)) if is_change else None
    values = {
        "listed": listed,
        "entry": entry,
        "diff": diff,
        "details": shortened(json_text(masked(dict(entry.details))), ROOM),
        "may_undo": visit.role is Role.OPERATOR,
        "can_undo": _can_undo(listed),
        "version": version_of(listed),
        "has_text": visit.texts.has,
    }
    title = f"{entry.seq} · {visit.texts.text('ledger.title')}"
    return Content("ledger_entry.html", values, title=title)


async def _found(ledger: Ledger, seq: int) -> Listed:
    if seq > LARGEST:
        raise HTTPException(404)
    listed = await ledger.get_change(seq)
    if listed is not None:
        return listed
    entry = await ledger.get_entry(seq)
    if entry is None:
        raise HTTPException(404)
    return Listed(entry, entry.real, is_rolled_back=False, is_reversible=False)


async def _or_404(reading: Awaitable[T]) -> T:
    try:
        return await reading
    except LookupError:
        raise HTTPException(404) from None


def _can_undo(listed: Listed) -> bool:
    return (
        listed.entry.kind == "change"
        and listed.is_reversible
        and not listed.is_rolled_back
    )


def version_of(listed: Listed) -> str:
    """Write what a person saw of a change, so that another state is noticed.

    Args:
        listed: the change.

    Returns:
        Its number, its state after, and whether it is in force.
    """
    after = (listed.entry.after or b"").hex()
    state = "undone" if listed.is_rolled_back else "in-force"
    return f"{listed.entry.seq}-{after}-{state}"


async def preview(visit: Visit, form: Form) -> Content:
    """Try the undo and show what it would do; see `Action.run`."""
    listed = await _seen(visit, form)
    outcome = await _call(visit, listed.entry.seq, form, is_dry_run=True)
    return await _tried(visit, listed, outcome, form)


async def rollback(visit: Visit, form: Form) -> Done | Content:
    """Undo what was seen; see `Action.run`."""
    listed = await _seen(visit, form)
    seq = listed.entry.seq
    outcome = await _call(visit, seq, form, is_dry_run=False)
    if outcome.error is not None:
        return await _tried(visit, listed, outcome, form)
    if outcome.status != "ok":
        raise NotUndone(seq)
    return Done("ledger.undone", {"targets": _names(outcome.result["targets"])})


async def _seen(visit: Visit, form: Form) -> Listed:
    listed = await _found(ledger_of(visit), visit.parameters["seq"])
    form.check_seen(version_of(listed))
    return listed


async def _call(visit: Visit, seq: int, form: Form, *, is_dry_run: bool) -> Outcome:
    arguments = {
        "id": seq,
        "only_target": form.get("only_target") == "yes",
        "dry_run": is_dry_run,
    }
    return await visit.host.execute(
        _UNDO, arguments, actor=visit.actor, session=visit.session.id, client=_CLIENT
    )


async def _tried(visit: Visit, listed: Listed, outcome: Outcome, form: Form) -> Content:
    error = outcome.error
    if error is None and outcome.status != "ok":
        raise NotUndone(listed.entry.seq)
    details: Mapping[str, Any] = error.details if error else {}
    values = {
        "entry": listed.entry,
        "version": version_of(listed),
        "result": None if error else outcome.result,
        "taken_back": [] if error else await _taken_back(visit, outcome.result),
        "problem": error.message if error else "",
        "is_vetoed": error is not None and error.code == WriteVetoed.code,
        "drift": drifted(details),
        "newer": details.get("newer", ()),
        "only_target": form.get("only_target") == "yes",
    }
    return Content("ledger_undo.html", values, status=409 if error else 200)


async def _taken_back(
    visit: Visit, result: Mapping[str, Any]
) -> list[tuple[Entry, Comparison]]:
    """Since nothing changed after them, what they changed is what an undo changes."""
    ledger = ledger_of(visit)
    found = [(await _found(ledger, seq)).entry for seq in result["changes"][:NAMED]]
    return [
        (entry, lines_only(await _or_404(ledger.diff(entry.seq)), ROOM))
        for entry in found
    ]


def _names(names: Iterable[str]) -> str:
    every = list(names)
    more = f" + {len(every) - NAMED}" if len(every) > NAMED else ""
    return ", ".join(every[:NAMED]) + more


ENTRY: Final = Page(
    path="/ledger/{seq:int}",
    title="ledger.title",
    render=show,
    actions={
        "preview": Action(run=preview, role=Role.OPERATOR),
        "rollback": Action(run=rollback, confirm=Confirm.RESTORE, role=Role.OPERATOR),
    },
    is_listed=False,
)
