"""Ledger session: all that a session did, undone together, tried before done."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from starlette.exceptions import HTTPException

from abilities_host.accounts import Role
from abilities_host.admin.asked import given
from abilities_host.admin.drift import drifted
from abilities_host.admin.form import Form, SeenOther
from abilities_host.admin.page import Action, Confirm, Content, Page
from abilities_host.admin.pages.ledger import ledger_of
from abilities_host.admin.visit import Visit
from abilities_host.calls import Outcome
from abilities_host.errors import CallError
from abilities_host.ledger import Ledger, Listed, Query

SHOWN: Final = 50
PAGES: Final = 10
_AT_ONCE: Final = 500  # changes of one page of the record
_PATH: Final = "/ledger/session"
_UNDO: Final = "ledger/rollback-session"
_OWN: Final = "ledger/"  # what undoes is undone change by change
_NAMED: Final = 200  # characters of an id in a title
_CLIENT: Final = "abilities admin"


class SessionNotUndone(CallError):
    """An undo ended without an answer that says what it did."""

    code = "not_undone"

    def __init__(self) -> None:
        super().__init__(
            "The session was not undone: a rule asks a person first. Run 'abilities "
            "ledger rollback --session' at a terminal, where it can be answered."
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """What a session did that is in force.

    Attributes:
        changes: newest first.
        is_all: whether the record was looked through to its end.
        version: another one when something else is in force.
    """

    changes: tuple[Listed, ...]
    is_all: bool
    version: str


@dataclass(frozen=True, slots=True)
class Row:
    """One run of the session.

    Attributes:
        seq: number of one of its changes.
        end: would, done, refused or left.
        listed: that change; None when it is too far back to be looked up.
        others: how many changes its run made besides.
    """

    seq: int
    end: str
    listed: Listed | None
    others: int


async def show(visit: Visit) -> Content:
    """Show what would be undone, without trying it; see `Page.render`."""
    if visit.find(Ledger) is None:
        raise HTTPException(404)
    return await _showing(visit, given(visit.query, "id").get("id", ""))


async def _showing(visit: Visit, id_: str, problem: str = "") -> Content:
    values: dict[str, Any] = {
        "id": id_,
        "problem": problem,
        "may_undo": visit.role is Role.OPERATOR,
        "has_text": visit.texts.has,
        "standing": None,
        "shown": SHOWN,
    }
    if id_:
        values["standing"] = await standing_of(ledger_of(visit), id_)
    status = 409 if problem else 200
    return Content("ledger_session.html", values, _title(visit, id_), status)


async def standing_of(ledger: Ledger, session: str) -> Standing:
    """Read what a session did that is in force.

    Args:
        ledger: the record.
        session: its id.

    Returns:
        At most 5,000 changes.
    """
    found: list[Listed] = []
    before: int | None = None
    for _ in range(PAGES):
        query = Query(session=session, before=before, limit=_AT_ONCE)
        page = await ledger.list_changes(query)
        found += filter(_stands, page.entries)
        before = page.next
        if before is None:
            break
    said = sha256(session.encode(errors="replace"))
    for each in found:
        said.update(b"%d %s\n" % (each.entry.seq, each.entry.after or b""))
    return Standing(tuple(found), before is None, said.hexdigest()[:32])


def _stands(listed: Listed) -> bool:
    entry = listed.entry
    is_own = entry.partial != "foreign" and not entry.ability.startswith(_OWN)
    return entry.kind == "change" and is_own and not listed.is_rolled_back


async def preview(visit: Visit, form: Form) -> Content:
    """Try the undo and show what it would do; see `Action.run`."""
    return await _undo(visit, form, is_dry_run=True)


async def undo(visit: Visit, form: Form) -> Content:
    """Undo what was seen, and say what became of each run; see `Action.run`."""
    return await _undo(visit, form, is_dry_run=False)


async def _undo(visit: Visit, form: Form, *, is_dry_run: bool) -> Content:
    id_ = form.get("id")
    standing = await standing_of(ledger_of(visit), id_)
    try:
        form.check_seen(standing.version)
        outcome = await _call(visit, id_, is_dry_run=is_dry_run)
    except SeenOther as error:
        return await _showing(visit, id_, error.sentence)
    if outcome.error is not None:
        return await _showing(visit, id_, outcome.error.message)
    if outcome.status != "ok":
        return await _showing(visit, id_, SessionNotUndone().sentence)
    return _told(visit, id_, standing, outcome.result)


async def _call(visit: Visit, id_: str, *, is_dry_run: bool) -> Outcome:
    return await visit.host.execute(
        _UNDO,
        {"session": id_, "dry_run": is_dry_run},
        actor=visit.actor,
        session=visit.session.id,
        client=_CLIENT,
    )


def _told(
    visit: Visit, id_: str, standing: Standing, result: Mapping[str, Any]
) -> Content:
    refused = result["refused"] or {}
    details = refused.get("details", {})
    rows = _rows(standing, result)
    values = {
        "id": id_,
        "version": standing.version,
        "is_dry_run": result["dry_run"],
        "undone": len(result["undone"]),
        "refused": refused,
        "drift": drifted(details),
        "newer": details.get("newer", ()),
        "rows": rows[:SHOWN],
        "further": rows[SHOWN:],
        "has_text": visit.texts.has,
    }
    is_refused = refused and not result["dry_run"]
    status = 409 if is_refused else 200
    return Content("ledger_session_undo.html", values, _title(visit, id_), status)


def _rows(standing: Standing, result: Mapping[str, Any]) -> list[Row]:
    """Say what becomes of each run, in the order in which they are undone."""
    known = {each.entry.seq: each for each in standing.changes}
    sizes = Counter(each.entry.call for each in standing.changes)
    refused = result["refused"]
    ends = dict.fromkeys(result["left"], "left")
    if refused:
        ends[refused["id"]] = "refused"
    done = "would" if result["dry_run"] else "done"
    return [
        Row(seq, end, found, sizes[found.entry.call] - 1 if found else 0)
        for seq, end in (*((seq, done) for seq in result["undone"]), *ends.items())
        for found in (known.get(seq),)
    ]


def _title(visit: Visit, id_: str) -> str:
    if not id_:
        return visit.texts.text("ledger.session.title")
    return visit.texts.text("ledger.session.of", id=id_[:_NAMED])


SESSION: Final = Page(
    path=_PATH,
    title="ledger.session.title",
    render=show,
    actions={
        "preview": Action(run=preview, role=Role.OPERATOR),
        "undo": Action(run=undo, confirm=Confirm.RESTORE, role=Role.OPERATOR),
    },
    is_listed=False,
)
