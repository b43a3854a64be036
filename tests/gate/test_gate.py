"""Nothing counts but what a person saw and sealed; everything else is an alarm."""

import logging
from pathlib import Path
from typing import cast

import pytest
from accounts.world import OTHER, SECRET
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from gate.world import AT, Noted, Notes, World, opened_gate

from abilities_host.accounts import Role, Unlocked
from abilities_host.errors import CallError, LookupFailed, StoreError
from abilities_host.gate import (
    Alarm,
    Gate,
    NotTrusted,
    Seal,
    StaleHash,
    Waiting,
    hash_of,
)
from abilities_host.gate.seal import verifies
from abilities_host.ledger import Ledger

YES = b"yes"


async def seen(world: World) -> tuple[list[str], list[tuple[str, str]]]:
    survey = await world.gate.survey("note")
    return list(survey.sealed), [(each.id, each.problem) for each in survey.alarms]


async def test_what_a_person_approves_is_sealed_and_recorded(tmp_path: Path) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        ana = await world.ana()
        before = await seen(world)
        seal = await world.gate.approve("note", "n1", shown, ana)
        survey = await world.gate.survey("note")

    assert before == ([], [])
    assert seal == Seal("note", "n1", hash_of(YES), "ana", AT, seal.signature)
    assert verifies(ana.public, seal.signature, seal.message("approve"))
    assert not verifies(ana.public, seal.signature, seal.message("withdraw"))
    assert (dict(survey.sealed), survey.alarms) == ({"n1": seal}, ())
    details = {"replaces": [], "hash": shown, "at": AT}
    assert world.record.noted == [
        Noted("review", "ana", "approved", "note:n1", details)
    ]


async def test_an_approval_is_seen_by_every_process(tmp_path: Path) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        ana = await world.ana()
        before = world.store.generation()
        await world.gate.approve("note", "n1", shown, ana)
        between = world.store.generation()
        await world.gate.withdraw("note", "n1", shown, ana)

        assert before < between < world.store.generation()


async def test_approving_what_changed_after_it_was_shown_fails(tmp_path: Path) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "harmless")
        await world.sql("UPDATE note SET text = 'harmful'")
        ana = await world.ana()

        with pytest.raises(StaleHash, match="not what was shown any more"):
            await world.gate.approve("note", "n1", shown, ana)

        assert await seen(world) == ([], [])
        assert await world.store.read("SELECT state FROM note") == [("draft",)]
    assert world.record.noted == []


async def test_a_row_that_says_it_is_approved_is_none_and_an_alarm_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened_gate(tmp_path) as world:
        await world.draft("n1", "yes")
        await world.sql("UPDATE note SET state = 'on'")

        with caplog.at_level(logging.ERROR):
            first, second = await seen(world), await seen(world)

    assert first == second == ([], [("n1", "unsealed")])
    assert caplog.messages == [Alarm("note", "n1", "unsealed").sentence]
    assert "no person did" in caplog.messages[0]


TAMPERED = {
    "another text": ("UPDATE note SET text = 'no'", "changed"),
    "a seal for another text": (
        "UPDATE gate_seal SET hash = :hash; UPDATE note SET text = 'no'",
        "forged",
    ),
    "another signature": ("UPDATE gate_seal SET signature = zeroblob(64)", "forged"),
    "no signature": ("UPDATE gate_seal SET signature = 'none'", "forged"),
    "another reviewer": ("UPDATE gate_seal SET reviewer = 'ben'", "forged"),
    "another time": ("UPDATE gate_seal SET at = at + 1", "forged"),
    "no row": ("DELETE FROM note", "missing"),
    "archived": ("UPDATE note SET state = 'off'", "missing"),
    "no seal": ("DELETE FROM gate_seal", "unsealed"),
    "archived, with a withdrawal of nobody": (
        """
        UPDATE note SET state = 'off'; UPDATE gate_seal SET
            withdrawal = zeroblob(64), withdrawn_by = 'ana', withdrawn_at = at
        """,
        "missing",
    ),
    "archived, with the approval as its withdrawal": (
        """
        UPDATE note SET state = 'off'; UPDATE gate_seal SET
            withdrawal = signature, withdrawn_by = reviewer, withdrawn_at = at
        """,
        "missing",
    ),
}


@pytest.mark.parametrize(("change", "problem"), TAMPERED.values(), ids=TAMPERED)
async def test_whatever_somebody_changes_in_the_store_is_found(
    tmp_path: Path, change: str, problem: str
) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        await world.gate.approve("note", "n1", shown, await world.ana())
        for sql in change.split("; "):
            await world.sql(sql, **({"hash": hash_of(b"no")} if ":" in sql else {}))

        assert await seen(world) == ([], [("n1", problem)])


async def test_the_key_of_the_store_does_not_count_but_the_published_one(
    tmp_path: Path,
) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        ana = await world.ana()
        await world.gate.approve("note", "n1", shown, ana)
        mallory = Ed25519PrivateKey.generate()
        seal = (await world.gate.survey("note")).sealed["n1"]
        await world.sql(
            "UPDATE account_seal_key SET public = :public",
            public=mallory.public_key().public_bytes_raw(),
        )
        still = await seen(world)
        await world.sql(
            "UPDATE gate_seal SET signature = :signature",
            signature=mallory.sign(seal.message("approve")),
        )

        assert still == (["n1"], [])
        assert await seen(world) == ([], [("n1", "forged")])


async def test_who_has_no_secret_decides_nothing(tmp_path: Path) -> None:
    class Pretender(Unlocked):
        @property
        def public(self) -> bytes:
            return ana.public

    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        ana = await world.ana()
        key = Ed25519PrivateKey.generate()
        others = (
            Unlocked("ana", key, failures=0),
            Unlocked("nobody", key, failures=0),
            Pretender("ana", key, failures=0),
        )
        for other in others:
            with pytest.raises(NotTrusted):
                await world.gate.approve("note", "n1", shown, other)

        assert await seen(world) == ([], [])
        assert await world.store.read("SELECT state FROM note") == [("draft",)]


async def test_an_account_that_was_switched_off_decides_nothing(tmp_path: Path) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        ana = await world.ana()
        await world.accounts.add("ben", OTHER, by=ana, role=Role.OPERATOR)
        await world.accounts.disable("ana", by=ana)

        with pytest.raises(NotTrusted, match="'ana' is off"):
            await world.gate.approve("note", "n1", shown, ana)

        assert await seen(world) == ([], [])


async def test_what_a_person_withdraws_is_neither_sealed_nor_missed(
    tmp_path: Path,
) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        ana = await world.ana()
        await world.gate.approve("note", "n1", shown, ana)
        with pytest.raises(StaleHash):
            await world.gate.withdraw("note", "n1", hash_of(b"no"), ana)
        await world.gate.withdraw("note", "n1", shown, ana)
        withdrawn = await seen(world)
        await world.sql("UPDATE note SET state = 'on'")

        assert withdrawn == ([], [])
        assert await seen(world) == ([], [("n1", "unsealed")])
    assert [each.action for each in world.record.noted] == ["approved", "withdrawn"]


async def test_what_was_never_sealed_can_be_withdrawn(tmp_path: Path) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        await world.sql("UPDATE note SET state = 'on'")
        await world.gate.withdraw("note", "n1", shown, await world.ana())

        assert await seen(world) == ([], [])
    assert [each.action for each in world.record.noted] == ["withdrawn"]


async def test_an_entry_takes_the_place_of_another_in_one_step(tmp_path: Path) -> None:
    async with opened_gate(tmp_path) as world:
        ana = await world.ana()
        await world.gate.approve("note", "n1", await world.draft("n1", "yes"), ana)
        shown = await world.draft("n2", "instead of n1")
        await world.gate.approve("note", "n2", shown, ana)

        assert await seen(world) == (["n2"], [])
    assert world.record.noted[-1].details["replaces"] == ["n1"]


async def test_what_is_gone_is_an_alarm_until_a_person_says_so(tmp_path: Path) -> None:
    async with opened_gate(tmp_path) as world:
        ana = await world.ana()
        await world.gate.approve("note", "n1", await world.draft("n1", "yes"), ana)
        await world.sql("DELETE FROM note")
        before = await seen(world)
        await world.gate.acknowledge("note", "n1", ana)
        with pytest.raises(LookupFailed):
            await world.gate.acknowledge("note", "n2", ana)

        assert (before, await seen(world)) == (([], [("n1", "missing")]), ([], []))


async def test_what_somebody_removes_with_its_seal_is_missed_all_the_same(
    tmp_path: Path,
) -> None:
    async with opened_gate(tmp_path) as world:
        ana = await world.ana()
        await world.gate.approve("note", "n1", await world.draft("n1", "yes"), ana)
        await world.sql("DELETE FROM note")
        await world.sql("DELETE FROM gate_seal")
        journal = tmp_path / "outside" / "s.seals"
        # The last line of a process that was killed may be half a one.
        journal.write_bytes(journal.read_bytes() + b'{"verb":"with\n[]\n{"at":1}')
        before = await seen(world)
        await world.gate.acknowledge("note", "n1", ana)

        assert (before, await seen(world)) == (([], [("n1", "missing")]), ([], []))


async def test_what_was_withdrawn_does_not_come_back_without_its_withdrawal(
    tmp_path: Path,
) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        ana = await world.ana()
        await world.gate.approve("note", "n1", shown, ana)
        await world.gate.withdraw("note", "n1", shown, ana)
        await world.sql("UPDATE note SET state = 'on'")
        await world.sql("UPDATE gate_seal SET withdrawal = NULL")

        assert await seen(world) == ([], [("n1", "unsealed")])


async def test_a_state_that_forbids_it_leaves_no_seal(tmp_path: Path) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        ana = await world.ana()
        await world.gate.approve("note", "n1", shown, ana)
        first = await world.gate.survey("note")
        for kind, id_, error in (
            ("note", "n1", CallError),
            ("note", "n2", CallError),
            ("rule", "n1", LookupFailed),
        ):
            with pytest.raises(error):
                await world.gate.approve(kind, id_, shown, ana)

        assert await world.gate.survey("note") == first


async def test_an_approval_stands_when_the_journal_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        ana = await world.ana()
        journal = tmp_path / "outside" / "s.seals"
        journal.mkdir()
        await world.gate.approve("note", "n1", shown, ana)
        journal.rmdir()

        assert await seen(world) == (["n1"], [])
    assert caplog.messages == ["note n1: the journal is not written"]


async def test_two_kinds_never_have_one_name(tmp_path: Path) -> None:
    async with opened_gate(tmp_path) as world:
        with pytest.raises(ValueError, match="a kind 'note' already"):
            world.gate.register_kind(Notes(world.store))


async def test_without_a_record_of_writes_the_seal_says_who_and_when(
    tmp_path: Path,
) -> None:
    async with opened_gate(tmp_path, has_record=False) as world:
        ana = await world.accounts.unlock("ana", SECRET)
        await world.gate.approve("note", "n1", await world.draft("n1", "yes"), ana)

        assert await seen(world) == (["n1"], [])
    assert world.record.noted == []


async def test_a_decision_that_comes_while_it_is_looked_is_no_alarm(
    tmp_path: Path,
) -> None:
    class Slow(Notes):
        """Somebody approves each time between the seals and the notes."""

        name = "slow"

        async def effective(self) -> list[tuple[str, bytes]]:
            if drafts:
                id_ = drafts.pop()
                _, shown = await world.gate.show("slow", id_)
                await world.gate.approve("slow", id_, shown, ana)
            return await super().effective()

    async with opened_gate(tmp_path) as world:
        drafts = ["n1", "n2"]
        for id_ in drafts:
            await world.draft(id_, "yes")
        ana = await world.ana()
        world.gate.register_kind(Slow(world.store))

        survey = await world.gate.survey("slow")

    assert (sorted(survey.sealed), survey.alarms) == (["n1", "n2"], ())


async def test_an_approval_stands_when_the_record_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        async def note(self, kind: str, **_: object) -> int:
            raise StoreError(tmp_path, "it is full.")

    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        ana = await world.ana()
        gate = Gate(
            world.store, world.accounts, find_ledger=lambda: cast("Ledger", Broken())
        )
        gate.register_kind(Notes(world.store))
        seal = await gate.approve("note", "n1", shown, ana)

        assert await seen(world) == (["n1"], [])
    assert seal.at > AT // 2
    assert caplog.messages == ["note n1: the review is not recorded"]


LOST = {
    "the text": ("UPDATE note SET text = 'anything'", b"never again", True),
    "the row": ("DELETE FROM note", b"never again", True),
    "the row and what was sealed": (
        "DELETE FROM note; UPDATE gate_seal SET canonical = x'00'",
        b"",
        True,
    ),
    "the row and the seal": ("DELETE FROM note; DELETE FROM gate_seal", b"", True),
    "the seal": ("DELETE FROM gate_seal", b"", True),
}


@pytest.mark.parametrize(("change", "canonical", "binds"), LOST.values(), ids=LOST)
async def test_an_alarm_knows_what_was_approved_or_at_least_that_it_binds(
    tmp_path: Path, change: str, canonical: bytes, *, binds: bool
) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "never again")
        await world.gate.approve("note", "n1", shown, await world.ana())
        for sql in change.split("; "):
            await world.sql(sql)

        [alarm] = (await world.gate.survey("note")).alarms

    assert (alarm.canonical, alarm.binds) == (canonical, binds)


async def test_what_nobody_approved_or_somebody_withdrew_binds_nobody(
    tmp_path: Path,
) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "never again")
        ana = await world.ana()
        await world.gate.approve("note", "n1", shown, ana)
        await world.gate.withdraw("note", "n1", shown, ana)
        await world.draft("n2", "never at all")
        await world.sql("UPDATE note SET state = 'on'")

        alarms = (await world.gate.survey("note")).alarms

    assert [(each.id, each.canonical, each.binds) for each in alarms] == [
        ("n1", b"", False),
        ("n2", b"", False),
    ]


async def test_what_waits_is_listed_until_somebody_decides(tmp_path: Path) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "yes")
        await world.draft("n2", "no")
        await world.draft("n3", "later")
        before = await world.gate.waiting()
        await world.gate.approve("note", "n1", shown, await world.ana())
        await world.gate.reject("note", "n2", by="ana")
        after = await world.gate.waiting()
        with pytest.raises(CallError, match="The note is off"):
            await world.gate.reject("note", "n2", by="ana")

    assert [each.id for each in before["note"]] == ["n1", "n2", "n3"]
    assert after == {"note": (Waiting("n3", "later", "agent", AT),)}


async def test_what_was_forgotten_is_not_kept_beside_its_seal(tmp_path: Path) -> None:
    async with opened_gate(tmp_path) as world:
        shown = await world.draft("n1", "private")
        ana = await world.ana()
        await world.gate.approve("note", "n1", shown, ana)
        await world.gate.withdraw("note", "n1", shown, ana)
        await world.gate.forget("note", "n1")
        kept = await world.store.read("SELECT id, canonical FROM gate_seal")

    assert kept == [("n1", b"")]
