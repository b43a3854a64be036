from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from plugins.world import declare

import abilities_ledger
from abilities_host import (
    MISSING,
    Actor,
    Changes,
    Evaluation,
    RecordedWrite,
    RegistryView,
    State,
    hookimpl,
)
from abilities_host.calls import Outcome
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.ledger import Entry, Ledger, Query
from abilities_host.testing import build_host, check_pack
from abilities_ledger.service import NOTE_BYTES, LedgerService

ANN = Actor("ann", "agent", frozenset({"read", "write", "notes:write"}))
BOB = Actor("bob", "agent", frozenset({"read", "write", "notes:write"}))
READER = Actor("reader", "human", frozenset({"read", "ledger:read-all"}))
AUDITOR = Actor("auditor", "human", frozenset({"read", "notes:write", "ledger:*"}))


def ledger_pack() -> Pack:
    identity = "abilities-host/ledger"
    return Pack(
        identity, "ledger", "0.1.0", is_policy=False, load=lambda: abilities_ledger
    )


class Notes:
    """A pack of notes in memory, with a domain that any case may spell."""

    name = "notes"

    def __init__(self, *, can_send: bool = True) -> None:
        self.texts: dict[str, str] = {}
        self.can_send = can_send

    def canonical(self, target: str) -> str:
        if not target:
            raise ValueError(target)
        return target.lower()

    async def capture(self, target: str) -> State:
        return self.texts.get(target, MISSING)

    async def restore(self, target: str, expected: State, state: State) -> None:
        self.texts[target] = state

    @hookimpl
    def register_categories(self, registry: RegistryView) -> None:
        registry.register_category("things", label="Things", description="All.")

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        registry.register_domain(self)
        writes: dict[str, Any] = {
            "annotations": {"readonly": False, "destructive": False},
            "input_schema": {"type": "object"},
        }
        declare(
            registry,
            "notes/write",
            execute_callback=self.write,
            requires="notes:write",
            changes=Changes("notes", lambda arguments: [arguments["name"]]),
            **writes,
        )
        if self.can_send:
            declare(registry, "notes/send", execute_callback=lambda _: None, **writes)

    def write(self, arguments: dict[str, str]) -> int:
        self.texts[arguments["name"].lower()] = arguments["text"]
        return len(arguments["text"])


class Judge:
    """A pack that finds every note too short."""

    @hookimpl
    async def evaluate_write(self, write: RecordedWrite) -> Evaluation | None:
        if write.ability != "notes/write":
            return None
        return Evaluation("failed", f"{len(write.arguments['text'])} characters")


@asynccontextmanager
async def notes_host(
    folder: Path, *, notes: Notes | None = None, **packs: Any
) -> AsyncIterator[Host]:
    given: list[Pack | tuple[str, Any]]
    given = [ledger_pack(), ("notes", notes or Notes()), *packs.items()]
    async with build_host(folder, packs=given) as host:
        assert [pack.reason for pack in host.packs if not pack.is_healthy] == []
        yield host


async def write(host: Host, actor: Actor, name: str, text: str = "x") -> Outcome:
    given = {"name": name, "text": text}
    outcome = await host.execute("notes/write", given, actor=actor, session="s1")
    assert outcome.is_ok, outcome
    return outcome


async def call(host: Host, name: str, actor: Actor, /, **arguments: Any) -> Any:
    return (await host.execute(f"ledger/{name}", arguments, actor=actor)).unwrap()


async def refused(host: Host, name: str, actor: Actor, /, **arguments: Any) -> str:
    outcome = await host.execute(f"ledger/{name}", arguments, actor=actor)
    assert (outcome.status, outcome.result) == ("refused", None)
    return outcome.code


async def targets(host: Host, actor: Actor, /, **arguments: Any) -> list[str]:
    listed = await call(host, "list-changes", actor, **arguments)
    return [change["target"] for change in listed["changes"]]


async def test_the_pack_is_as_clients_want_it(tmp_path: Path) -> None:
    assert await check_pack(ledger_pack(), tmp_path) == []


async def test_a_change_is_listed_and_told(tmp_path: Path) -> None:
    began = datetime.now(UTC)
    async with notes_host(tmp_path) as host:
        first = await write(host, ANN, "A", "one\n")
        second = await write(host, ANN, "a", "two\n")
        listed = await call(host, "list-changes", ANN)
        newest, oldest = listed["changes"]
        told = await call(host, "get-change", ANN, id=newest["id"])

    assert listed["next"] is None
    assert newest == {
        "id": newest["id"],
        "at": newest["at"],
        "actor": "ann",
        "session": "s1",
        "ability": "notes/write",
        "domain": "notes",
        "target": "a",
        "action": "updated",
        "result": "ok",
        "result_real": "ok",
        "partial": "",
        "reversible": True,
        "rolled_back": False,
    }
    assert began <= datetime.fromisoformat(newest["at"]) <= datetime.now(UTC)
    assert (oldest["action"], oldest["id"] < newest["id"]) == ("created", True)
    assert told == {
        **newest,
        "call": second.call,
        "divergent": False,
        "evaluations": [],
        "diff": {
            "kind": "text",
            "text": "@@ -1,1 +1,1 @@\n-one\n+two",
            "before_bytes": 4,
            "after_bytes": 4,
            "is_cut": False,
            "note": "",
        },
    }
    assert first.call != second.call


async def test_a_run_that_changed_nothing_is_listed_without_a_difference(
    tmp_path: Path,
) -> None:
    async with notes_host(tmp_path) as host:
        await host.execute("notes/send", {}, actor=ANN)
        [listed] = (await call(host, "list-changes", ANN))["changes"]
        told = await call(host, "get-change", ANN, id=listed["id"])
    assert (listed["action"], listed["domain"], listed["target"]) == ("ran", "", "")
    assert (listed["result"], listed["result_real"]) == ("ok", None)
    assert (listed["reversible"], told["diff"]) == (False, None)


async def test_everybody_sees_their_own_changes_only(tmp_path: Path) -> None:
    async with notes_host(tmp_path) as host:
        await write(host, ANN, "of-ann")
        await write(host, BOB, "of-bob")
        own = await targets(host, ANN), await targets(host, ANN, actor="ann")
        codes = [
            await refused(host, "list-changes", ANN, actor=actor)
            for actor in ("bob", "*", "nobody")
        ]
        everybody = await targets(host, READER, actor="*")
        of_bob = await targets(host, READER, actor="bob")
        of_reader = await targets(host, READER)
    assert own == (["of-ann"], ["of-ann"])
    assert codes == ["ledger_scope_missing"] * 3
    assert (everybody, of_bob, of_reader) == (["of-bob", "of-ann"], ["of-bob"], [])


async def test_a_change_of_others_is_not_found(tmp_path: Path) -> None:
    async with notes_host(tmp_path) as host:
        await write(host, ANN, "of-ann")
        [seq] = [
            each["id"] for each in (await call(host, "list-changes", ANN))["changes"]
        ]
        codes = [
            await refused(host, "get-change", BOB, id=seq),
            await refused(host, "get-change", BOB, id=seq + 1000),
            await refused(host, "get-change", AUDITOR, id=seq + 1000),
        ]
        told = await call(host, "get-change", AUDITOR, id=seq)
    assert codes == ["not_found"] * 3
    assert told["actor"] == "ann"


async def test_a_difference_needs_the_scope_of_the_ability(tmp_path: Path) -> None:
    scopes = frozenset({"read"})
    lesser = Actor("ann", "agent", scopes)
    async with notes_host(tmp_path) as host:
        await write(host, ANN, "a")
        [seq] = [
            each["id"] for each in (await call(host, "list-changes", ANN))["changes"]
        ]
        outcomes = [
            await host.execute("ledger/get-change", {"id": seq}, actor=actor)
            for actor in (lesser, READER)
        ]
        listed = await targets(host, lesser)
    assert [outcome.code for outcome in outcomes] == ["ledger_scope_missing"] * 2
    assert outcomes[0].error is not None
    assert outcomes[0].error.message == (
        "Reading a change by 'notes/write' needs the scope 'notes:write'."
    )
    assert listed == ["a"]


async def test_an_undo_needs_the_scope_of_what_it_undid(tmp_path: Path) -> None:
    undoer = Actor("ann", "agent", ANN.scopes | {"ledger:undo"})
    async with notes_host(tmp_path) as host:
        await write(host, undoer, "a", "one")
        await write(host, undoer, "a", "two")
        seq = (await call(host, "list-changes", undoer))["changes"][0]["id"]
        await call(host, "rollback-change", undoer, id=seq)
        undo, undone, _ = (await call(host, "list-changes", undoer))["changes"]
        told = await call(host, "get-change", undoer, id=undo["id"])
        without = Actor("ann", "agent", frozenset({"read", "ledger:undo"}))
        code = await refused(host, "get-change", without, id=undo["id"])
    assert (undone["id"], undone["rolled_back"]) == (seq, True)
    assert (undo["ability"], undo["rolled_back"]) == ("ledger/rollback-change", False)
    assert told["diff"]["text"].startswith("@@ -1,1 +1,1 @@\n-two")
    assert code == "ledger_scope_missing"


async def test_what_an_ability_that_is_gone_did_is_told_to_who_did_it(
    tmp_path: Path,
) -> None:
    async with notes_host(tmp_path) as host:
        await host.execute("notes/send", {}, actor=ANN)
        [seq] = [
            each["id"] for each in (await call(host, "list-changes", ANN))["changes"]
        ]
    async with notes_host(tmp_path, notes=Notes(can_send=False)) as host:
        own = await call(host, "get-change", ANN, id=seq)
        seen = await call(host, "get-change", READER, id=seq)
        code = await refused(host, "get-change", BOB, id=seq)
    assert own["ability"] == seen["ability"] == "notes/send"
    assert code == "not_found"


async def test_filters_and_pages_are_those_of_the_record(tmp_path: Path) -> None:
    async with notes_host(tmp_path) as host:
        for place, name in enumerate("abacb"):
            await write(host, ANN, name, str(place))
        changes = (await call(host, "list-changes", ANN))["changes"]
        times = [each["at"] for each in changes]
        found = {
            "target": await targets(host, ANN, domain="notes", target="B"),
            "created": await targets(host, ANN, action="created", result="ok"),
            "session": await targets(host, ANN, session="s2"),
            "ability": await targets(host, ANN, ability="notes/write", limit=1),
            "reversible": await targets(host, ANN, reversible=False),
            "undone": await targets(host, ANN, rolled_back=True),
            "window": await targets(host, ANN, start=times[2], end=times[0]),
        }
        first = await call(host, "list-changes", ANN, limit=2)
        second = await call(host, "list-changes", ANN, limit=2, cursor=first["next"])
    assert found == {
        "target": ["b", "b"],
        "created": ["c", "b", "a"],
        "session": [],
        "ability": ["b"],
        "reversible": [],
        "undone": [],
        "window": ["c", "a"],
    }
    assert [*first["changes"], *second["changes"]] == changes[:4]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"target": "a"}, "ledger_query_invalid"),
        ({"start": "2026-01-31T09:00:00"}, "ledger_query_invalid"),
        ({"end": "yesterday"}, "ledger_query_invalid"),
        ({"start": "0001-01-01T00:00:00+23:59"}, ""),
        ({"limit": 0}, "ability_invalid_input"),
        ({"limit": 501}, "ability_invalid_input"),
        ({"cursor": "-1"}, "ability_invalid_input"),
        ({"cursor": "9" * 19}, "ability_invalid_input"),
        ({"actor": "x" * 5000}, "ability_invalid_input"),
        ({"colour": "red"}, "ability_invalid_input"),
        ({"domain": "gone", "target": "a"}, ""),
        ({"domain": "notes", "target": ""}, ""),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_filters_that_make_no_sense_are_refused(
    tmp_path: Path, arguments: dict[str, Any], code: str
) -> None:
    async with notes_host(tmp_path) as host:
        outcome = await host.execute("ledger/list-changes", arguments, actor=ANN)
    assert outcome.code == code


# --- the service --------------------------------------------------------------


async def test_other_packs_find_the_record(tmp_path: Path) -> None:
    began = datetime.now(UTC)
    async with notes_host(tmp_path) as host:
        ledger = host.services.find(Ledger)
        await write(host, ANN, "A", "one\n")
        page = await ledger.list_changes(Query(domain="notes", target="A"))
        [listed] = page.entries
        seq = listed.entry.seq
        found = await ledger.get_change(seq), await ledger.get_entry(seq)
        diff = await ledger.diff(seq)
        end = began + timedelta(hours=1)
        window = await ledger.changes_in_window(began, end, session="s1", limit=1)
        exported = [line["kind"] async for line in ledger.export()]
        later = [line["seq"] async for line in ledger.export(seq)]
        checked = await ledger.verify()
    assert found == (listed, listed.entry)
    assert (diff["kind"], diff["text"]) == ("text", "@@ -0,0 +1,1 @@\n+one")
    assert (window.entries, window.digest["targets"]) == ((listed,), ["notes:a"])
    assert (exported, later) == (["intent", "change", "outcome"], [3])
    # The anchor is written within a second: either is right.
    assert checked.verdict in ("intact", "unanchored")
    assert (checked.entries, checked.head) == (3, 3)


async def test_packs_judge_what_was_written(tmp_path: Path) -> None:
    async with notes_host(tmp_path, judge=Judge()) as host:
        await write(host, ANN, "a", "text")
        await host.execute("notes/send", {}, actor=ANN)
        counts = await host.services.find(Ledger).evaluate()
        again = await host.services.find(Ledger).evaluate()
        listed = (await call(host, "list-changes", ANN, result="failed"))["changes"]
        told = await call(host, "get-change", ANN, id=listed[0]["id"])
    nothing = {"ok": 0, "changed": 0, "unchanged": 0, "failed": 0, "divergences": 1}
    assert (counts, again) == ({**nothing, "failed": 1}, nothing)
    assert [(each["result"], each["result_real"]) for each in listed] == [
        ("ok", "failed")
    ]
    [judged] = told["evaluations"]
    assert told["divergent"] is True
    assert judged == {
        "at": judged["at"],
        "plugin": "local/judge",
        "result": "failed",
        "reason": "4 characters",
    }


async def test_the_job_judges_what_was_written(tmp_path: Path) -> None:
    async with notes_host(tmp_path, judge=Judge()) as host:
        await write(host, ANN, "a", "text")
        [job] = [each for each in host.jobs.all if each.name == "ledger-evaluation"]
        done = await host.jobs.run_now(job)
        found = await targets(host, ANN, result="failed")
    assert (done, found) == (True, ["a"])


async def test_the_limits_are_kept_by_a_job_and_on_request(tmp_path: Path) -> None:
    async with notes_host(tmp_path) as host:
        await write(host, ANN, "a")
        [job] = [each for each in host.jobs.all if each.name == "ledger-retention"]
        done = await host.jobs.run_now(job)
        pruned = await host.services.find(Ledger).prune(by="ann", is_dry_run=True)
        found = await targets(host, ANN)
    assert (done, pruned.entries, found) == (True, 0, ["a"])


async def test_what_a_person_had_forgotten_is_gone(tmp_path: Path) -> None:
    async with notes_host(tmp_path) as host:
        await write(host, ANN, "a")
        [seq] = [
            each["id"] for each in (await call(host, "list-changes", ANN))["changes"]
        ]
        ledger = host.services.find(Ledger)
        forgotten = await ledger.forget(seq, by="ann")
        told = await call(host, "get-change", ANN, id=seq)
        with pytest.raises(LookupError):
            await ledger.forget(9999, by="ann")
    assert (forgotten.seq, forgotten.contents) == (seq, 2)
    assert (told["reversible"], told["diff"]["kind"]) == (False, "none")
    assert told["diff"]["note"] == "Its content was removed from the record."


async def test_a_note_is_kept_and_never_listed(tmp_path: Path) -> None:
    details = {"verdict": "approved", "token": "s3cret"}
    async with notes_host(tmp_path) as host:
        ledger = host.services.find(Ledger)
        seq = await ledger.note(
            "review",
            actor="ann",
            action="approved",
            target="guidance 7",
            session="s1",
            details=details,
        )
        plain = await ledger.note("access", actor="ann", action="signed-in")
        entry = await ledger.get_entry(seq)
        listed = await ledger.get_change(seq), await targets(host, READER, actor="*")
    assert entry is not None
    assert (entry.kind, entry.actor, entry.action) == ("review", "ann", "approved")
    assert (entry.target, entry.session, entry.ability) == ("guidance 7", "s1", "")
    assert entry.details == {"verdict": "approved", "token": "(hidden)"}
    assert plain == seq + 1
    assert listed == (None, [])


@pytest.mark.parametrize(
    ("kind", "details"),
    [("change", {}), ("prune", {}), ("review", {"text": "x" * NOTE_BYTES})],
    ids=["change", "prune", "too large"],
)
async def test_a_note_of_what_only_the_host_records_is_refused(
    tmp_path: Path, kind: Any, details: dict[str, str]
) -> None:
    async with notes_host(tmp_path) as host:
        ledger = host.services.find(Ledger)
        with pytest.raises(ValueError, match=r"is none of access, restore|are kept"):
            await ledger.note(kind, actor="ann", action="x", details=details)
        page = [line async for line in ledger.export()]
    assert page == []


async def test_the_service_offered_is_the_one_with_everything(tmp_path: Path) -> None:
    async with notes_host(tmp_path) as host:
        ledger: Ledger = host.services.find(Ledger)
        assert isinstance(ledger, LedgerService)


async def test_the_newest_of_a_domain_are_given_by_name(tmp_path: Path) -> None:
    async with notes_host(tmp_path) as host:
        for number, name in enumerate(("a", "b", "a")):
            await write(host, ANN, name, f"{number}\n")
        ledger = host.services.find(Ledger)
        every = await ledger.newest_of("notes", 10_000)
        some = await ledger.newest_of("notes", 2)
        one, none = await ledger.newest_of("notes", 0), await ledger.newest_of("x", 9)
        listed = (await ledger.list_changes(Query(domain="notes"))).entries

    assert every == [
        Entry(
            seq=each.entry.seq,
            at=each.entry.at,
            kind="change",
            actor="ann",
            ability="notes/write",
            domain="notes",
            target=each.entry.target,
            action=each.entry.action,
            details={},
        )
        for each in listed
    ]
    assert [each.target for each in every] == ["a", "b", "a"]
    assert (some, one, none) == (every[:2], every[:1], [])
