"""A write that needs approval waits for a person, and happens once as approved."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from contrib.enforcer.guarded import AGENT, OTHER, Guarded, guarded

from abilities_host import Ask, Outcome, ProposedWrite, Veto, hookimpl
from abilities_host.errors import CallError

HOUR = 60 * 60 * 1_000_000


def ticket_in(outcome: Outcome) -> str:
    """Give the ticket that a refusal names."""
    assert outcome.code == "write_vetoed", outcome
    found = re.search(r"wr-\d+", str(outcome.error))
    assert found, outcome
    return found[0]


async def waiting(world: Guarded) -> list[str]:
    return [entry.id for entry in (await world.gate.waiting())["write"]]


async def test_the_agent_is_told_of_the_ticket_and_asks_again(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.guard("Ask first.", effect="approve")

        first = await world.write("config/app.toml")
        waits = (await world.gate.waiting())["write"]
        await world.approve("wr-001")
        second = await world.write("config/app.toml")
        third = await world.write("config/app.toml")

        assert first.error is not None
        assert first.error.details["rule"] == "gm-001"
        assert first.error.details["reason"] == (
            "guidance gm-001 lets it happen only once a person has approved it: "
            "«Ask first.» It waits as ticket wr-001 until 2027-01-16 08:00 UTC. "
            "When it is approved, ask again with exactly the same arguments; it is "
            "good for one time, and only while nothing it is about has changed."
        )
        assert [(w.id, w.title, w.by, w.at) for w in waits] == [
            ("wr-001", "files/write on files:config/app.toml", "agent", world.clock())
        ]
        assert second.is_ok, second
        assert world.content("config/app.toml") == "new"
        assert ticket_in(third) == "wr-002"


async def test_what_a_person_sees_is_all_of_the_write_without_its_secrets(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard("Ask.", effect="approve", domain="notes", targets=["**"])
        secret = {"id": "a", "text": "b", "password": "hunter2", "z": "x" * 9000}

        await world.run("notes/put", **secret)
        canonical, _ = await world.gate.show("write", "wr-001")

        assert b"hunter2" not in canonical
        assert b"(hidden)" in canonical
        assert len(canonical) < 6000
        for part in (b'"agent"', b"notes/put", b"notes:a", b"gm-001", b"2027-01-15"):
            assert part in canonical


async def test_asking_again_gives_the_same_ticket_from_anywhere(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="approve")
        again = {"path": "config/app.toml", "text": "new"}

        outcomes = await asyncio.gather(
            *(world.write("config/app.toml") for _ in range(5)),
            world.host.execute(
                "dispatcher/call-tool",
                {"name": "files/write", "arguments": again},
                actor=AGENT,
            ),
        )

        assert {ticket_in(outcome) for outcome in outcomes} == {"wr-001"}
        assert await waiting(world) == ["wr-001"]


@pytest.mark.parametrize("different", ["actor", "arguments", "state", "ability"])
async def test_an_approval_is_of_exactly_one_write(
    different: str, tmp_path: Path
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="approve")
        await world.write("config/app.toml")
        await world.approve("wr-001")

        if different == "actor":
            outcome = await world.write("config/app.toml", actor=OTHER)
        elif different == "arguments":
            outcome = await world.write("config/app.toml", "else")
        elif different == "ability":
            edits = [{"old": "old", "new": "new"}]
            outcome = await world.run("files/edit", path="config/app.toml", edits=edits)
        else:
            place = world.root / "config" / "app.toml"
            await asyncio.to_thread(lambda: place.write_text("somebody else's"))
            outcome = await world.write("config/app.toml")

        assert ticket_in(outcome) == "wr-002"
        assert world.content("config/app.toml") in ("old", "somebody else's")


async def test_a_state_of_bytes_is_bound_like_any_other(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        notes = world.world.notes.kept
        await world.guard(effect="approve", domain="notes", targets=["**"])
        tickets = []
        for state in (b"one", b"two", "one", b"one"):
            notes["a"] = state
            outcome = await world.run("notes/put", id="a", text="new")
            tickets.append(ticket_in(outcome))

        assert tickets == ["wr-001", "wr-002", "wr-003", "wr-001"]


async def test_another_rule_that_wants_approval_wants_another_ticket(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="approve")
        await world.write("config/app.toml")
        await world.approve("wr-001")
        await world.guard("Ask twice.", effect="approve", targets=["**/*.toml"])

        outcome = await world.write("config/app.toml")

        assert ticket_in(outcome) == "wr-002"


async def test_two_at_once_use_one_approval_once(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.world.put("a", "b")  # so the write changes nothing it is bound to
        await world.guard(effect="approve", domain="notes", targets=["**"])
        await world.run("notes/put", id="a", text="b")
        await world.approve("wr-001")

        outcomes = await asyncio.gather(
            *(world.run("notes/put", id="a", text="b") for _ in range(4))
        )

        assert sorted(outcome.status for outcome in outcomes) == [
            "ok",
            "refused",
            "refused",
            "refused",
        ]
        assert await waiting(world) == ["wr-002"]


async def test_a_ticket_is_good_for_its_time_only(tmp_path: Path) -> None:
    config = "[packs.memory_enforcer]\nticket_hours = 2\n"
    async with guarded(tmp_path, config) as world:
        await world.guard(effect="approve")
        await world.write("config/app.toml", "late")
        await world.write("config/app.toml", "later")
        await world.approve("wr-001")
        world.clock.now += 2 * HOUR

        waited = await waiting(world)
        with pytest.raises(CallError) as refused:
            await world.approve("wr-002")
        late = await world.write("config/app.toml", "late")

        assert str(refused.value) == (
            "Ticket wr-002 is expired, so nothing was decided. Whoever wants the write "
            "asks for it again."
        )
        assert waited == []
        assert ticket_in(late) == "wr-003"
        assert (await world.gate.survey("write")).alarms == ()
        assert await waiting(world) == ["wr-003"]
        assert world.content("config/app.toml") == "old"


async def test_what_a_person_rejected_is_not_taken_to_one_again(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="approve")
        await world.write("config/app.toml")
        await world.gate.reject("write", "wr-001", by="ana")

        outcome = await world.write("config/app.toml")

        assert outcome.error is not None
        assert outcome.error.details["reason"] == (
            "a person has rejected it (ticket wr-001). The same write is not taken to "
            "anybody again before 2027-01-16 08:00 UTC."
        )
        assert await waiting(world) == []


async def test_what_a_person_withdrew_is_no_approval(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="approve")
        await world.write("config/app.toml")
        await world.approve("wr-001")
        _, seen = await world.gate.show("write", "wr-001")
        await world.gate.withdraw("write", "wr-001", seen, await world.world.ana())

        assert ticket_in(await world.write("config/app.toml")) == "wr-002"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE enforcer_ticket SET status = 'approved'",
        "UPDATE enforcer_ticket SET status = 'approved', targets = '[1'",
    ],
)
async def test_who_can_write_to_the_store_cannot_approve(
    change: str, tmp_path: Path
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="approve")
        await world.write("config/app.toml")
        await world.world.sql(change)

        outcome = await world.write("config/app.toml")

        assert outcome.code == "write_vetoed"
        assert world.content("config/app.toml") == "old"
        survey = await world.gate.survey("write")
        assert [(a.id, a.problem) for a in survey.alarms] == [("wr-001", "unsealed")]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE enforcer_ticket SET targets = '[1' WHERE number = 1",
        "UPDATE enforcer_ticket SET expires_at = 9e15 * 1000 WHERE number = 1",
    ],
)
async def test_a_damaged_ticket_hides_no_other(damage: str, tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="approve")
        await world.write("config/app.toml", "first")
        await world.write("config/app.toml", "second")
        await world.world.sql(damage)

        outcome = await world.write("config/app.toml", "first")
        with pytest.raises(CallError) as refused:
            await world.approve("wr-001")

        assert outcome.code == "write_vetoed"
        assert refused.value.code == "ticket_damaged"
        assert await waiting(world) == ["wr-002"]


async def test_only_what_waits_or_is_approved_can_be_decided_on(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="approve")
        await world.write("config/app.toml")
        await world.approve("wr-001")
        await world.write("config/app.toml", "else")
        _, seen = await world.gate.show("write", "wr-002")
        ana = await world.world.ana()

        codes = []
        decisions: list[Callable[[], Awaitable[None]]] = [
            lambda: world.gate.reject("write", "wr-001", by="ana"),
            lambda: world.gate.reject("write", "wr-999", by="ana"),
            lambda: world.gate.withdraw("write", "wr-002", seen, ana),
        ]
        for decide in decisions:
            with pytest.raises(CallError) as refused:
                await decide()
            codes.append(refused.value.code)

        assert codes == ["ticket_settled", "unknown_ticket", "ticket_settled"]


async def test_an_approval_cannot_be_moved_to_another_write(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="approve")
        await world.write("config/app.toml", "harmless")
        await world.write("config/app.toml", "harmful")
        await world.approve("wr-001")
        await world.world.sql(
            "UPDATE enforcer_ticket SET binding = (SELECT binding FROM enforcer_ticket "
            "WHERE id = 'wr-002') WHERE id = 'wr-001'"
        )
        await world.world.sql("DELETE FROM enforcer_ticket WHERE id = 'wr-002'")

        outcome = await world.write("config/app.toml", "harmful")

        assert outcome.code == "write_vetoed"
        assert world.content("config/app.toml") == "old"


async def test_an_actor_may_have_200_waiting(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="approve", domain="notes", targets=["**"])
        for number in range(200):
            await world.run("notes/put", id="a", text=str(number))

        full = await world.run("notes/put", id="a", text="200")
        known = await world.run("notes/put", id="a", text="7")
        other = await world.run("notes/put", OTHER, id="a", text="200")

        assert full.error is not None
        assert full.error.details["reason"] == (
            "it needs a person's approval, and 200 writes of this actor wait for one "
            "already. Wait until some are decided."
        )
        assert (ticket_in(known), ticket_in(other)) == ("wr-008", "wr-201")


class Asking:
    """Another policy, which asks, or stops what it must not see."""

    def __init__(self) -> None:
        self.answer: Any = None

    @hookimpl
    async def before_write(self, write: ProposedWrite) -> Veto | Ask | None:
        answer: Veto | Ask | None = self.answer
        return answer


async def test_an_approval_is_not_used_up_by_a_write_that_did_not_begin(
    tmp_path: Path,
) -> None:
    other = Asking()
    async with guarded(tmp_path, more=[("asking", other)]) as world:
        await world.guard(effect="approve")
        await world.write("config/app.toml")
        await world.approve("wr-001")

        for answer in (Veto("not now"), Ask("Sure?")):
            other.answer = answer
            assert not (await world.write("config/app.toml")).is_ok
        other.answer = None
        outcome = await world.write("config/app.toml")

        assert outcome.is_ok, outcome
        assert world.content("config/app.toml") == "new"


async def test_an_approval_is_used_up_by_a_write_that_was_stopped_half_way(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="approve")
        await world.guard("Never.", targets=["never.txt"])
        paths = ["config/app.toml", "never.txt"]
        await world.run("late/touch", paths=paths)
        await world.approve("wr-001")

        half = await world.run("late/touch", paths=paths)
        done = world.content("config/app.toml")
        place = world.root / "config" / "app.toml"
        await asyncio.to_thread(lambda: place.write_text("old"))
        again = await world.run("late/touch", paths=paths)

        assert (half.code, done) == ("write_vetoed", "late")
        assert ticket_in(again) == "wr-002"
        assert world.content("config/app.toml") == "old"


async def test_a_late_touch_is_approved_like_a_write(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="approve")
        paths = ["free.txt", "config/app.toml"]

        first = await world.run("late/touch", paths=paths)
        await world.approve(ticket_in(first))
        second = await world.run("late/touch", paths=paths)
        third = await world.run("late/touch", paths=paths)

        assert second.is_ok, second
        assert world.content("config/app.toml") == "late"
        assert third.code == "write_vetoed"


async def test_an_undo_is_approved_like_a_write(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.write("config/app.toml", "second")
        change = await world.last()
        await world.guard(effect="approve")

        first = await world.run("ledger/rollback-change", id=change)
        await world.approve(ticket_in(first))
        second = await world.run("ledger/rollback-change", id=change)

        assert second.is_ok, second
        assert world.content("config/app.toml") == "old"


class Listening:
    """A pack that hears what waits."""

    def __init__(self) -> None:
        self.heard: list[tuple[tuple[str, ...], int]] = []
        self.has_heard = asyncio.Event()

    @hookimpl
    async def on_proposal(self, ids: tuple[str, ...], waiting: int) -> None:
        self.heard.append((ids, waiting))
        self.has_heard.set()


async def test_a_new_ticket_is_announced_once(tmp_path: Path) -> None:
    listening = Listening()
    async with guarded(tmp_path, more=[("listening", listening)]) as world:
        await world.guard(effect="approve")
        listening.has_heard.clear()
        listening.heard.clear()

        for _ in range(2):
            await world.write("config/app.toml")
        await asyncio.wait_for(listening.has_heard.wait(), 10)

    assert listening.heard == [(("wr-001",), 1)]
