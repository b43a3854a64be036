"""What stands in the record after each way in which a write can end."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from plugins.ledger.desk import ANN, BOB, Room, brief, open_room
from plugins.world import dispatch, dispatcher_pack

from abilities_host import Ask, Veto
from abilities_host.ledger import Entry
from abilities_host.storage import Statement

INTENT = ("intent", "a")


async def briefs(room: Room, after: int = 0) -> list[tuple[str, ...]]:
    return [brief(entry) for entry in await room.entries(after)]


async def open_runs(room: Room) -> list[tuple[Any, ...]]:
    return await room.book.store.read("SELECT call, phase FROM ledger_open")


async def until(room: Room, count: int) -> None:
    async with asyncio.timeout(20):
        while (await room.book.head()).seq < count:
            await asyncio.sleep(0.01)


CREATED = ("change", "a", "created", "ok", "ok")
RAN = ("outcome", "ran", "ok", "ok")
ENDINGS: list[tuple[str, str, list[tuple[str, ...]]]] = [
    ("put", "ok", [INTENT, CREATED, RAN]),
    ("nothing", "ok", [INTENT, ("outcome", "ran", "ok", "unchanged")]),
    ("put-again", "ok", [INTENT, CREATED, RAN]),
    (
        "fail-after",
        "failed",
        [
            INTENT,
            ("change", "a", "created", "failed", "changed"),
            ("outcome", "ran", "failed", "changed"),
        ],
    ),
    (
        "lie",
        "failed",
        [
            INTENT,
            ("change", "a", "created", "failed", "changed"),
            ("outcome", "ran", "failed", "changed", "output_invalid"),
        ],
    ),
    ("ask", "input_required", [INTENT, ("outcome", "ran", "asked")]),
    ("touch", "ok", [("intent",), ("touch", "a"), CREATED, RAN]),
    ("create", "ok", [("intent",), ("touch", "a"), CREATED, RAN]),
    (
        "made",
        "ok",
        [INTENT, CREATED, ("change", "a", "updated", "ok", "ok", "foreign"), RAN],
    ),
    ("plain", "ok", [("intent",), ("outcome", "ran", "ok")]),
    ("outer", "ok", [("intent",), INTENT, CREATED, RAN, ("outcome", "ran", "ok")]),
]


@pytest.mark.parametrize(("name", "status", "rows"), ENDINGS)
async def test_a_write_leaves_these_rows(
    tmp_path: Path, name: str, status: str, rows: list[tuple[str, ...]]
) -> None:
    async with open_room(tmp_path) as room:
        outcome = await room.run(name)

        assert outcome.status == status
        assert await briefs(room) == rows
        assert await open_runs(room) == []


async def test_an_entry_says_whose_it_is_and_what_was_asked(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        word = "s3cret"
        outcome = await room.run("put", "A", password=word)

        intent, change, ended = await room.entries()
        for entry in (intent, change, ended):
            assert (entry.call, entry.parent) == (outcome.call, "")
            assert (entry.actor, entry.session) == ("ann", "s1")
            assert entry.ability == "notes/put"
        assert (change.domain, change.target, change.before) == ("notes", "a", None)
        assert await room.book.state(change.after) == "x"
        details = dict(intent.details)
        arguments = bytes.fromhex(details.pop("arguments"))
        assert await room.book.state(arguments) == {
            "id": "A",
            "text": "x",
            "password": "(hidden)",
        }
        assert details == {
            "actor_kind": "human",
            "client": "test",
            "forced": False,
            "lease": room.host.lease.id,
            "original": "",
            "original_arguments": None,
            "redoes": [],
            "server": None,
            "targets": [["notes", "a", None, ""]],
            "undoes": [],
            "via": "",
        }
        assert ended.details == {
            "status": "ok",
            "code": "",
            "flags": [],
            "verified": None,
            "changes": 1,
        }


async def test_updates_and_deletions_are_told_apart(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", text="one")
        await room.run("put", text="two")
        await room.run("remove")
        await room.run("put-again", text="two")
        head = (await room.book.head()).seq
        await room.run("put-again", text="two")

        found = [each[2] for each in await briefs(room) if each[0] == "change"]
        assert found == ["created", "updated", "deleted", "created"]
        assert await briefs(room, head) == [INTENT, RAN]


async def test_a_nested_write_points_to_the_one_around_it(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("outer")

        outer, inner, change, inner_end, outer_end = await room.entries()
        assert (outer.ability, outer.parent) == ("notes/outer", "")
        assert outer_end.call == outer.call
        for entry in (inner, change, inner_end):
            assert (entry.ability, entry.parent) == ("notes/put", outer.call)


async def test_a_call_through_the_dispatcher_says_so(tmp_path: Path) -> None:
    async with open_room(tmp_path, packs=[dispatcher_pack()]) as room:
        await dispatch(
            room.host,
            "call-tool",
            ANN,
            name="notes/put",
            arguments={"id": "a", "text": "x"},
        )

        assert await briefs(room) == [INTENT, CREATED, RAN]
        intent = (await room.entries())[0]
        assert (intent.details["via"], intent.ability) == ("call-tool", "notes/put")


async def test_a_veto_leaves_its_reason_and_nothing_else(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        room.desk.answer = Veto("not on Sundays", rule="sunday")

        outcome = await room.run("put")

        [entry] = await room.entries()
        assert (entry.kind, entry.action) == ("veto", "write_vetoed")
        assert (entry.call, entry.actor) == (outcome.call, "ann")
        assert entry.details["rule"] == "sunday"
        assert entry.details["plugin"] == "local/notes"
        assert "not on Sundays" in entry.details["reason"]
        assert await open_runs(room) == []


async def test_a_veto_of_what_is_touched_ends_the_run(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        room.desk.vetoes_touch = True

        outcome = await room.run("touch")

        assert outcome.code == "write_vetoed"
        assert await briefs(room) == [
            ("intent",),
            ("outcome", "ran", "failed", "failed"),
        ]
        assert await open_runs(room) == []


async def test_a_denial_is_recorded(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        room.desk.allows = False

        await room.run("put", actor=BOB)

        [entry] = await room.entries()
        assert (entry.kind, entry.actor) == ("denial", "bob")
        assert entry.action == "ability_invalid_permissions"


async def test_a_question_of_a_policy_leaves_nothing(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        room.desk.answer = Ask("Really?")

        outcome = await room.run("put")

        assert outcome.status == "input_required"
        assert await room.entries() == []


async def test_a_cancelled_write_is_recorded_with_what_it_changed(
    tmp_path: Path,
) -> None:
    async with open_room(tmp_path) as room:
        task = asyncio.create_task(room.run("wait"))
        await room.desk.reached.wait()
        task.cancel()
        await asyncio.wait([task])
        await until(room, 3)

        assert await briefs(room) == [
            INTENT,
            ("change", "a", "created", "failed", "changed"),
            ("outcome", "ran", "failed", "changed", "cancelled"),
        ]


async def test_a_lost_thread_is_unknown_until_it_returns(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        outcome = await room.run("hang")

        assert outcome.status == "unknown"
        lost = ("outcome", "ran", "unknown", "thread_lost")
        assert await briefs(room) == [INTENT, lost]
        assert await open_runs(room) == [(outcome.call, "unknown")]

        room.desk.thread_may_end.set()
        await until(room, 4)

        assert await briefs(room, 2) == [
            ("change", "a", "created", "ok", "ok"),
            ("outcome", "ran", "ok", "ok", "settled_late"),
        ]
        listed = (await room.entries())[1]
        assert await room.ledger.get_change(listed.seq) is None
        assert await open_runs(room) == []


async def test_what_cannot_be_read_afterwards_is_unknown(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        task = asyncio.create_task(room.run("wait"))
        await room.desk.reached.wait()
        room.desk.notes.is_broken = True
        room.desk.go_on.set()

        assert (await task).status == "unknown"
        assert await briefs(room) == [
            INTENT,
            ("outcome", "ran", "unknown", "capture_failed"),
        ]


async def test_of_a_secret_only_the_digest_is_recorded(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", "secret-a", text="s3cret")
        await room.run("put", "secret-a", text="other")

        changes = [e for e in await room.entries() if e.kind == "change"]
        assert [change.partial for change in changes] == ["secret", "secret"]
        assert changes[0].after == changes[1].before != changes[1].after
        data = "SELECT count(*) FROM ledger_content WHERE digest IN (:one, :two)"
        where = {"one": changes[1].before, "two": changes[1].after}
        kept = f"{data} AND data IS NOT NULL"
        assert await room.book.store.read(data, where) == [(2,)]
        assert await room.book.store.read(kept, where) == [(0,)]


async def test_what_is_too_large_is_partial(tmp_path: Path) -> None:
    config = "[limits]\nstate_bytes = 65536\n"
    async with open_room(tmp_path, config) as room:
        await room.run("put", text="x" * 70_000)

        change: Entry = (await room.entries())[1]
        assert (change.partial, change.details["after_bytes"]) == ("size", 70_002)


async def test_a_state_that_is_large_but_not_too_large_is_kept(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", text="x" * 70_000)

        change = (await room.entries())[1]
        assert change.partial == ""
        assert await room.book.state(change.after) == "x" * 70_000


async def test_large_states_before_and_after_are_kept(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", text="x" * 70_000)
        await room.run("put", text="y" * 70_000)

        change = (await room.entries())[4]
        assert (change.kind, change.partial) == ("change", "")
        assert await room.book.state(change.before) == "x" * 70_000
        assert await room.book.state(change.after) == "y" * 70_000


async def test_a_run_whose_outcome_cannot_be_stored_stays_open(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        task = asyncio.create_task(room.run("wait"))
        await room.desk.reached.wait()
        full = (
            "CREATE TRIGGER full BEFORE INSERT ON ledger_entry "
            "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )
        await room.book.store.write([Statement(full)])
        room.desk.go_on.set()

        outcome = await task

        assert outcome.status == "unknown"
        assert await briefs(room) == [INTENT]
        assert await open_runs(room) == [(outcome.call, "running")]


async def test_without_a_stored_intent_nothing_runs(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        full = (
            "CREATE TRIGGER full BEFORE INSERT ON ledger_entry "
            "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )
        await room.book.store.write([Statement(full)])

        outcome = await room.run("put")

        assert (outcome.status, outcome.code) == ("refused", "store_unwritable")
        assert not (tmp_path / "notes" / "a").exists()
