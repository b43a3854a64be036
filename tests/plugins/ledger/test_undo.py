"""Undo puts back what it says, refuses what it cannot, and is itself recorded."""

from pathlib import Path

import pytest
from plugins.ledger.undo_world import AGENT, FORCER, PERSON, READER, undoing

from abilities_host import Target

A = Target("notes", "a")
UNDO = "ledger/rollback-change"


# --- putting back -----------------------------------------------------------------


async def test_what_was_created_is_removed(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one")

        outcome = await world.undo(seq)

        assert outcome.result == {
            "id": seq,
            "changes": [seq],
            "dry_run": False,
            "targets": ["notes:a"],
            "left": [],
        }
        assert world.notes.kept == {}
        assert await world.shown() == [
            ("notes/put", "a", "created", True),
            (UNDO, "a", "deleted", False),
        ]


async def test_empty_and_missing_are_told_apart(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        world.notes.kept["a"] = ""
        over_empty = await world.put("a", "one")

        outcome = await world.undo(over_empty)

        assert outcome.is_ok
        assert world.notes.kept == {"a": ""}


async def test_what_was_removed_comes_back_whole(tmp_path: Path) -> None:
    state = {"text": "x" * 5000, "tags": [1, 2.5, None, True], "raw": "é"}
    async with undoing(tmp_path) as world:
        world.notes.kept["a"] = state
        await world.run("notes/drop", id="A")

        outcome = await world.undo((await world.last()).entry.seq)

        assert outcome.is_ok
        assert world.notes.kept == {"a": state}


async def test_bytes_come_back_as_bytes(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        world.notes.kept["a"] = b"\x00\xff" * 1000
        seq = await world.put("a", "text")

        await world.undo(seq)

        assert world.notes.kept == {"a": b"\x00\xff" * 1000}


async def test_an_undo_can_be_undone_and_the_change_is_in_force_again(
    tmp_path: Path,
) -> None:
    async with undoing(tmp_path) as world:
        await world.put("a", "one")
        seq = await world.put("a", "two")
        await world.undo(seq)
        undo = (await world.last()).entry.seq

        outcome = await world.undo(undo)

        assert outcome.is_ok
        assert world.notes.kept == {"a": "two"}
        assert not (await world.listed(seq)).is_rolled_back
        assert (await world.listed(undo)).is_rolled_back
        assert (await world.undo(seq)).is_ok
        assert world.notes.kept == {"a": "one"}


async def test_all_targets_of_one_run_go_together(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        world.notes.kept["a"] = "one"
        await world.run("notes/move", source="a", to="b")

        outcome = await world.undo((await world.last()).entry.seq)

        assert outcome.result["targets"] == ["notes:a", "notes:b"]
        assert world.notes.kept == {"a": "one"}


async def test_one_target_alone_if_it_is_asked_for(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        world.notes.kept["a"] = "one"
        await world.run("notes/move", source="a", to="b")
        seq = (await world.last()).entry.seq  # of b

        outcome = await world.undo(seq, only_target=True)

        assert outcome.result["targets"] == ["notes:b"]
        assert world.notes.kept == {}


async def test_older_changes_follow_newer_ones(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        seqs = [await world.put("a", text) for text in ("one", "two", "three")]

        outcomes = [await world.undo(seq) for seq in reversed(seqs)]

        assert [each.code for each in outcomes] == ["", "", ""]
        assert world.notes.kept == {}


async def test_what_a_domain_leaves_is_named_and_stays_in_force(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        world.notes.kept["a"] = "one"
        await world.run("notes/move", source="a", to="b")
        moved = (await world.last()).entry.seq  # of b; that of a comes before
        world.notes.keeps = "b"

        outcome = await world.undo(moved)

        assert outcome.result["targets"] == ["notes:a"]
        assert outcome.result["left"] == ["notes:b"]
        assert await world.shown() == [
            ("notes/move", "a", "deleted", True),
            ("notes/move", "b", "created", False),
            (UNDO, "a", "created", False),
        ]


# --- refusing ---------------------------------------------------------------------


async def test_an_older_change_under_a_newer_one_is_refused(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        first = await world.put("a", "one")
        second = await world.put("a", "two")

        outcome = await world.undo(first)

        assert (outcome.status, outcome.code) == ("refused", "target_drifted")
        assert outcome.error is not None
        assert outcome.error.details == {
            "targets": [
                {
                    "target": "notes:a",
                    "expected_bytes": 3,
                    "found_bytes": 3,
                    "diff": "--- expected\n+++ now\n@@ -1 +1 @@\n-one\n+two",
                }
            ],
            "newer": [second],
        }
        assert world.notes.kept == {"a": "two"}


async def test_it_is_refused_also_when_the_newer_ones_lead_back_to_its_state(
    tmp_path: Path,
) -> None:
    async with undoing(tmp_path) as world:
        first = await world.put("a", "one")
        await world.put("a", "two")
        await world.put("a", "one")

        outcome = await world.undo(first)

        assert outcome.code == "target_drifted"
        assert world.notes.kept == {"a": "one"}


async def test_what_somebody_else_changed_since_is_refused_and_shown(
    tmp_path: Path,
) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one")
        world.notes.kept["a"] = "theirs"

        outcome = await world.undo(seq)

        assert outcome.code == "target_drifted"
        assert outcome.error is not None
        assert "-one\n+theirs" in outcome.error.details["targets"][0]["diff"]
        assert world.notes.kept == {"a": "theirs"}


async def test_a_difference_shows_no_password_of_an_address(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "see https://ann:first@example.org/x")
        world.notes.kept["a"] = "see https://ann:second@example.org/y"

        outcome = await world.undo(seq)

        assert outcome.error is not None
        assert "+see https://ann:(hidden)@example.org/y" in outcome.error.explanation
        for secret in ("first@", "second@"):
            assert secret not in outcome.error.explanation
            assert secret not in str(outcome.error.details)


async def test_what_changes_in_the_very_moment_is_refused_too(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one")
        world.notes.edit_before_restore = ("a", "theirs")

        outcome = await world.undo(seq)

        assert outcome.code == "target_drifted"
        assert world.notes.kept == {"a": "theirs"}
        assert not (await world.listed(seq)).is_rolled_back


async def test_what_was_undone_is_not_undone_again(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one")
        await world.undo(seq)
        undo = (await world.last()).entry.seq

        outcome = await world.undo(seq)

        assert outcome.code == "already_rolled_back"
        assert outcome.error is not None
        assert outcome.error.details == {"by": undo}


async def test_what_does_not_exist_and_what_is_not_ones_own_look_the_same(
    tmp_path: Path,
) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one", PERSON)

        theirs = await world.undo(seq)
        nothing = await world.undo(99_999)

        assert (theirs.code, nothing.code) == ("not_found", "not_found")
        assert (await world.undo(seq, PERSON)).is_ok


async def test_what_the_host_cannot_read_cannot_be_undone(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        await world.run("notes/send")
        sent = (await world.last()).entry

        outcome = await world.undo(sent.seq)

        assert sent.kind == "outcome"
        assert outcome.code == "not_reversible"


async def test_settings_and_reviews_are_never_undone_not_even_by_force(
    tmp_path: Path,
) -> None:
    async with undoing(tmp_path) as world:
        noted = [
            await world.ledger.note(kind, actor="boss", action="did", target="notes:a")
            for kind in ("setting", "review", "access", "restore")
        ]

        outcomes = [await world.undo(seq, FORCER, force=True) for seq in noted]

        assert {each.code for each in outcomes} == {"not_reversible"}


async def test_a_state_over_the_limit_is_not_put_back(tmp_path: Path) -> None:
    async with undoing(tmp_path, "[limits]\nstate_bytes = 1024\n") as world:
        world.notes.kept["a"] = "x" * 2000
        seq = await world.put("a", "one")

        outcome = await world.undo(seq)
        forced = await world.undo(seq, FORCER, force=True)

        assert (outcome.code, forced.code) == ("partial", "partial")
        assert (await world.listed(seq)).entry.partial == "size"
        assert world.notes.kept == {"a": "one"}


async def test_a_secret_is_neither_kept_nor_put_back(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        world.notes.secrets.add("a")
        world.notes.kept["a"] = "hunter2hunter2"
        seq = await world.put("a", "one")

        outcome = await world.undo(seq)

        assert outcome.code == "partial"
        assert world.notes.kept == {"a": "one"}
    stored = (tmp_path / "abilities.db").read_bytes()
    assert b"hunter2hunter2" not in stored


async def test_a_secret_is_one_under_its_other_name_too(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        world.notes.secrets.add("a")
        world.notes.kept["a"] = "hunter2hunter2"
        await world.run("notes/move", source="a", to="b")
        moved = (await world.last()).entry.seq

        outcome = await world.undo(moved)

        assert (await world.listed(moved)).entry.partial == "secret"
        assert outcome.code == "partial"
        assert world.notes.kept == {"b": "hunter2hunter2"}
    assert b"hunter2hunter2" not in (tmp_path / "abilities.db").read_bytes()


async def test_a_state_that_was_forgotten_is_missed(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        world.notes.kept["a"] = "private"
        seq = await world.put("a", "one")
        await world.ledger.forget(seq, by="ann")

        outcome = await world.undo(seq)

        assert outcome.code == "blob_missing"
        assert world.notes.kept == {"a": "one"}


async def test_too_much_at_once_is_refused(tmp_path: Path) -> None:
    async with undoing(tmp_path, "[limits]\nstate_bytes = 1024\n") as world:
        for name in "abcdefghij":
            world.notes.kept[name] = name * 900

        async def drop_all() -> None:
            for name in "abcdefghij":
                await world.run("notes/move", source=name, to=f"{name}2")

        await drop_all()
        seq = (await world.last()).entry.seq

        outcome = await world.undo(seq)

        assert outcome.is_ok  # two of them are few enough


# --- judged as the write it performs --------------------------------------------


async def test_policy_sees_the_original_and_both_states(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        await world.put("a", "one")
        seq = await world.put("a", "two")
        world.policy.seen.clear()

        await world.undo(seq)

        [write] = world.policy.seen
        assert write.original is not None
        assert write.original.name == "notes/put"
        assert write.targets == (A,)
        assert dict(write.states) == {A: ("two", "one")}
        assert await write.before(A) == "two"


async def test_what_policy_forbids_to_write_it_forbids_to_undo(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one")
        world.policy.keeps.add("a")

        outcome = await world.undo(seq, FORCER, force=True)

        assert outcome.code == "write_vetoed"
        assert world.notes.kept == {"a": "one"}


async def test_a_trial_is_judged_and_changes_nothing(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one")

        tried = await world.undo(seq, dry_run=True)
        world.policy.keeps.add("a")
        vetoed = await world.undo(seq, dry_run=True)

        assert tried.result["dry_run"] is True
        assert tried.changes == ()
        assert vetoed.code == "write_vetoed"
        assert world.notes.kept == {"a": "one"}
        assert not (await world.listed(seq)).is_rolled_back


async def test_the_scope_of_the_original_is_needed(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one", AGENT)
        all_but_notes = READER.scopes | {"ledger:read-all"}

        outcome = await world.host.execute(
            UNDO,
            {"id": seq},
            actor=type(READER)("reader", "agent", all_but_notes),
        )

        assert outcome.code == "ability_not_found"
        assert world.notes.kept == {"a": "one"}


async def test_the_permission_of_the_original_is_asked_with_its_arguments(
    tmp_path: Path,
) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one")
        world.notes.asked.clear()
        world.notes.may = False

        outcome = await world.undo(seq)

        assert outcome.code == "ability_invalid_permissions"
        assert world.notes.asked == [{"id": "a", "text": "one"}]
        assert world.notes.kept == {"a": "one"}


async def test_an_agent_cannot_undo_what_was_switched_off_a_person_can(
    tmp_path: Path,
) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one")
        await world.host.toggles.set("notes/put", state=False, by="ann")

        agents = await world.undo(seq)
        persons = await world.undo(seq, PERSON)

        assert agents.code == "ability_not_found"
        assert persons.is_ok
        assert world.notes.kept == {}


async def test_undoing_an_undo_is_judged_as_the_first_write(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one")
        await world.undo(seq)
        undo = (await world.last()).entry.seq
        world.notes.asked.clear()
        world.policy.seen.clear()

        await world.undo(undo)

        [write] = world.policy.seen
        assert write.original is not None
        assert write.original.name == "notes/put"
        assert world.notes.asked == [{"id": "a", "text": "one"}]


# --- force --------------------------------------------------------------------------


async def test_force_needs_its_own_scope(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one")

        outcome = await world.undo(seq, force=True)

        assert outcome.code == "ability_invalid_permissions"
        assert outcome.error is not None
        assert "ledger:force" in outcome.error.message


async def test_force_records_what_it_destroys_and_can_be_undone(
    tmp_path: Path,
) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one")
        world.notes.kept["a"] = "theirs"

        outcome = await world.undo(seq, FORCER, force=True)
        forced = await world.last()
        back = await world.undo(forced.entry.seq, FORCER)

        assert outcome.is_ok
        assert (forced.entry.action, forced.entry.ability) == ("deleted", UNDO)
        assert back.is_ok
        assert world.notes.kept == {"a": "theirs"}


# --- when it fails --------------------------------------------------------------------


async def test_a_failure_in_the_middle_says_what_was_and_was_not_put_back(
    tmp_path: Path,
) -> None:
    async with undoing(tmp_path) as world:
        world.notes.kept["a"] = "one"
        await world.run("notes/move", source="a", to="b")
        moved = (await world.last()).entry.seq  # of b; that of a comes before
        world.notes.fails_at = "b"

        outcome = await world.undo(moved)

        assert (outcome.status, outcome.code) == ("failed", "rollback_failed")
        assert outcome.error is not None
        assert outcome.error.details == {
            "undone": ["notes:a"],
            "not_undone": ["notes:b"],
        }
        assert world.notes.kept == {"a": "one", "b": "one"}
        assert await world.shown() == [
            ("notes/move", "a", "deleted", True),
            ("notes/move", "b", "created", False),
            (UNDO, "a", "created", False),
        ]
        world.notes.fails_at = ""
        assert (await world.undo(moved)).is_ok
        assert world.notes.kept == {"a": "one"}


# --- a session ------------------------------------------------------------------------


async def test_a_session_is_undone_newest_first(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        seqs = [await world.put(name, "x") for name in ("a", "b", "a", "c")]

        outcome = await world.run("ledger/rollback-session", session=world.host.session)

        # The third put changed nothing, so it is no change of anything.
        assert outcome.result == {
            "session": world.host.session,
            "dry_run": False,
            "undone": [seqs[3], seqs[1], seqs[0]],
            "refused": None,
            "left": [],
        }
        assert world.notes.kept == {}


async def test_it_stops_at_the_first_refusal_and_says_what_is_left(
    tmp_path: Path,
) -> None:
    async with undoing(tmp_path) as world:
        seqs = [await world.put(name, "x") for name in ("a", "b", "c")]
        world.notes.kept["b"] = "theirs"

        outcome = await world.run("ledger/rollback-session", session=world.host.session)

        assert outcome.result["undone"] == [seqs[2]]
        assert outcome.result["refused"]["id"] == seqs[1]
        assert outcome.result["refused"]["code"] == "target_drifted"
        assert outcome.result["left"] == [seqs[1], seqs[0]]
        assert world.notes.kept == {"a": "x", "b": "theirs"}


async def test_a_trial_of_a_session_changes_nothing(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        seqs = [await world.put("a", text) for text in ("one", "two")]

        outcome = await world.run(
            "ledger/rollback-session", session=world.host.session, dry_run=True
        )

        assert outcome.result["undone"] == seqs[::-1]
        assert outcome.result["refused"] is None
        assert world.notes.kept == {"a": "two"}


@pytest.mark.parametrize("switch", ["force", "dry_run"])
async def test_undo_is_not_there_without_its_scope(tmp_path: Path, switch: str) -> None:
    async with undoing(tmp_path) as world:
        seq = await world.put("a", "one")
        writer = type(AGENT)("agent", "agent", frozenset({"read", "notes:write"}))

        outcome = await world.undo(seq, writer, **{switch: True})

        assert outcome.code == "ability_not_found"
