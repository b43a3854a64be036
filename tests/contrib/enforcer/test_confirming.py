"""A rule that wants a write confirmed has the person at the client asked."""

from pathlib import Path

import pytest
from contrib.enforcer.guarded import AGENT, guarded

from abilities_host import Answer

WRITE = {"path": "config/app.toml", "text": "new"}


async def test_the_person_is_asked_and_the_record_says_who_confirmed(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard("Mind the build.", effect="confirm")

        asked = await world.host.execute("files/write", WRITE, actor=AGENT)
        answered = await world.host.execute(
            "files/write",
            WRITE,
            actor=AGENT,
            answer=Answer(asked.state, is_accepted=True),
        )

        assert asked.status == "input_required"
        assert asked.question == (
            "Let files/write change files:config/app.toml? Guidance gm-001 wants you "
            "asked: «Mind the build.»"
        )
        assert answered.is_ok, answered
        assert world.content("config/app.toml") == "new"
        assert await world.noted("confirmed") == [
            (
                "agent",
                "",
                {
                    "confirmed_by": "client",
                    "ability": "files/write",
                    "call": answered.call,
                    "rule": "gm-001",
                },
            )
        ]


@pytest.mark.parametrize("answer", ["no", "of another write", "twice"])
async def test_no_other_answer_lets_it_pass(answer: str, tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="confirm")
        write = world.host.execute
        asked = await write("files/write", WRITE, actor=AGENT)
        said = Answer(asked.state, is_accepted=answer != "no")
        other = {**WRITE, "text": "harmful"}
        if answer == "twice":
            await write("files/write", WRITE, actor=AGENT, answer=said)
            await write("files/write", WRITE, actor=AGENT, answer=said)

        outcome = await write(
            "files/write",
            WRITE if answer == "no" else other,
            actor=AGENT,
            answer=said,
        )

        assert not outcome.is_ok
        assert "harmful" not in world.content("config/app.toml")
        assert len(await world.noted("confirmed")) == (answer == "twice")


async def test_it_is_a_deny_where_nobody_can_be_asked(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.guard(effect="confirm")

        nested = await world.run("late/nest", name="files/write", arguments=WRITE)
        late = await world.run("late/touch", paths=["config/app.toml"])

        assert nested.result["code"] == "needs_answer"
        assert late.code == "needs_answer"
        assert world.content("config/app.toml") == "old"
        assert await world.noted("confirmed") == []


async def test_deny_wins_over_approve_and_approve_over_confirm(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard("Confirm.", effect="confirm")
        first = await world.write("config/app.toml")
        await world.guard("Approve.", effect="approve", targets=["**"])
        second = await world.write("config/app.toml")
        await world.approve("wr-001")
        third = await world.write("config/app.toml")
        await world.guard("Deny.", effect="deny", targets=["config/app.toml"])
        fourth = await world.write("config/app.toml")

        assert first.status == "input_required"
        assert "wr-001" in str(second.error)
        assert third.is_ok, third
        assert fourth.error is not None
        assert fourth.error.details["rule"] == "gm-003"


async def test_every_rule_that_wants_a_question_is_named_in_it(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard("One.", effect="confirm")
        await world.guard("Two.", effect="confirm", targets=["**/app.*"])

        outcome = await world.write("config/app.toml")

        assert outcome.question.endswith(
            "Guidance gm-001, gm-002 wants you asked: «One.» «Two.»"
        )
