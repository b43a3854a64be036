"""What enforcers may do, and what becomes of a write when one does not do it."""

import asyncio
import logging
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hooks.world import AGENT, NotesPack, plugin, running

from abilities_host import Ask, Outcome, ProposedWrite, Veto
from abilities_host.frozen import FrozenError
from abilities_host.hooks.packs import Pack, local_pack


def enforcer(name: str, decide: Any) -> Pack:
    return local_pack(name, plugin(before_write=decide), is_policy=True)


async def write_under(folder: Path, *packs: Pack, config: str = "") -> Outcome:
    """Run one write under these packs; it must not run if it is refused."""
    notes = NotesPack()
    pack = local_pack("notes", notes)
    async with running(folder, pack, *packs, config=config) as host:
        outcome = await host.execute("notes/add", {"text": "x"}, actor=AGENT)
    assert notes.ran == ([{"text": "x"}] if outcome.is_ok else [])
    return outcome


def said(outcome: Outcome) -> tuple[Any, ...]:
    """Give what the caller of a refused write reads."""
    assert outcome.error is not None
    details = outcome.error.details
    keys = ("plugin", "reason", "cause")
    return (outcome.status, outcome.code, *(details[key] for key in keys))


class Boom(BaseException):
    """No Exception, so that a careless handler would let it through."""


def raises(error: BaseException) -> Any:
    def decide(write: ProposedWrite) -> None:
        raise error

    return decide


def answers(answer: Any) -> Any:
    def decide(write: ProposedWrite) -> Any:
        return answer

    return decide


def as_async(decide: Any) -> Any:
    async def decide_async(write: ProposedWrite) -> Any:
        return decide(write)

    return decide_async


def as_late_async(decide: Any) -> Any:
    async def decide_late(write: ProposedWrite) -> Any:
        await asyncio.sleep(0)
        return decide(write)

    return decide_late


FAILED = "it failed with {}; the host's log has more"
RUBBISH = "it returned {}; a hook returns Veto, Ask or None"


@pytest.mark.parametrize("kind", [lambda decide: decide, as_async, as_late_async])
@pytest.mark.parametrize(
    ("decide", "reason", "cause"),
    [
        pytest.param(
            answers(Veto("not today")), "not today", "write_vetoed", id="veto"
        ),
        pytest.param(
            raises(ValueError("a secret")),
            FAILED.format("ValueError"),
            "hook_failed",
            id="raises",
        ),
        pytest.param(
            raises(SystemExit(3)), FAILED.format("{exit}"), "hook_failed", id="exits"
        ),
        pytest.param(
            raises(asyncio.CancelledError()),
            FAILED.format("CancelledError"),
            "hook_failed",
            id="cancels-itself",
        ),
        pytest.param(raises(Boom()), FAILED.format("Boom"), "hook_failed", id="base"),
        pytest.param(
            raises(TimeoutError()),
            FAILED.format("TimeoutError"),
            "hook_failed",
            id="timeout-of-its-own",
        ),
        pytest.param(
            answers(answer=True), RUBBISH.format("bool"), "hook_failed", id="true"
        ),
        pytest.param(
            answers(answer=False), RUBBISH.format("bool"), "hook_failed", id="false"
        ),
        pytest.param(answers("no"), RUBBISH.format("str"), "hook_failed", id="text"),
        pytest.param(
            answers(Veto), RUBBISH.format("type"), "hook_failed", id="class-of-veto"
        ),
        pytest.param(
            answers(SimpleNamespace(reason="x")),
            RUBBISH.format("SimpleNamespace"),
            "hook_failed",
            id="looks-like-a-veto",
        ),
    ],
)
async def test_an_enforcer_that_does_not_allow_stops_the_write_and_is_named(
    tmp_path: Path, kind: Any, decide: Any, reason: str, cause: str
) -> None:
    outcome = await write_under(tmp_path, enforcer("guard", kind(decide)))
    is_plain = kind(decide) is decide
    reason = reason.replace("{exit}", "RuntimeError" if is_plain else "SystemExit")
    assert said(outcome) == ("refused", "write_vetoed", "local/guard", reason, cause)
    assert "secret" not in str(outcome.error)


@pytest.mark.parametrize("kind", [lambda decide: decide, as_async, as_late_async])
async def test_an_enforcer_that_abstains_lets_the_write_run(
    tmp_path: Path, kind: Any
) -> None:
    outcome = await write_under(tmp_path, enforcer("guard", kind(answers(None))))
    assert outcome.is_ok


async def hang(write: ProposedWrite) -> None:
    await asyncio.Event().wait()


async def swallow(write: ProposedWrite) -> None:
    """Go on after the first cancellation, as careless code does."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        await asyncio.Event().wait()


async def swallow_and_allow(write: ProposedWrite) -> None:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        return


async def block_the_loop(write: ProposedWrite) -> None:
    """Compute past the deadline without ever letting anybody else run."""
    time = asyncio.get_running_loop().time
    end = time() + 0.7
    while time() < end:
        pass


SHORT = "[limits]\nhook_seconds = 0.5"


@pytest.mark.parametrize("decide", [hang, swallow, swallow_and_allow, block_the_loop])
async def test_an_enforcer_that_hangs_stops_the_write_and_is_named(
    tmp_path: Path, decide: Any
) -> None:
    outcome = await write_under(tmp_path, enforcer("guard", decide), config=SHORT)
    reason = "it did not answer within 0.5 s"
    cause = ("local/guard", reason, "hook_timeout")
    assert said(outcome) == ("refused", "write_vetoed", *cause)


async def test_the_deadline_names_the_one_who_was_being_asked(tmp_path: Path) -> None:
    packs = [
        enforcer("one", answers(None)),
        enforcer("two", hang),
        enforcer("three", answers(None)),
    ]
    outcome = await write_under(tmp_path, *packs, config=SHORT)
    assert said(outcome)[2] == "local/two"


async def test_a_plain_enforcer_that_hangs_is_not_asked_again_until_it_returns(
    tmp_path: Path,
) -> None:
    release = threading.Event()
    entered: list[int] = []

    def decide(write: ProposedWrite) -> None:
        entered.append(1)
        release.wait()

    notes = local_pack("notes", NotesPack())
    packs = [notes, enforcer("guard", decide)]
    async with running(tmp_path, *packs, config=SHORT) as host:
        first = await host.execute("notes/add", {}, actor=AGENT)
        second = await host.execute("notes/add", {}, actor=AGENT)
        before_release = len(entered)
        release.set()
        third = await until_ok(host)
    assert said(first)[2:] == (
        "local/guard",
        "it did not answer within 0.5 s",
        "hook_timeout",
    )
    assert said(second)[2:] == (
        "local/guard",
        FAILED.format("StillRunning"),
        "hook_failed",
    )
    assert before_release == 1
    assert third.is_ok


async def until_ok(host: Any) -> Outcome:
    """Call until the hung thread has been seen to return."""
    async with asyncio.timeout(20):
        while True:
            outcome: Outcome = await host.execute("notes/add", {}, actor=AGENT)
            if outcome.is_ok:
                return outcome


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
async def test_when_two_hooks_disagree_the_deny_wins_whatever_the_order(
    tmp_path: Path, order: list[int]
) -> None:
    packs = [
        enforcer("yes", answers(None)),
        enforcer("ask", answers(Ask("Shall it?"))),
        enforcer("no", answers(Veto("no"))),
    ]
    outcome = await write_under(tmp_path, *[packs[place] for place in order])
    assert said(outcome)[2:] == ("local/no", "no", "write_vetoed")


async def test_a_plugin_cannot_speak_in_the_name_of_another(tmp_path: Path) -> None:
    lie = Veto("no", rule="r1", plugin="somebody/else", code="policy_missing")
    outcome = await write_under(tmp_path, enforcer("guard", answers(lie)))
    assert outcome.error is not None
    assert outcome.error.details["plugin"] == "local/guard"


async def test_every_question_is_put_to_the_person_as_one(tmp_path: Path) -> None:
    packs = [
        enforcer("one", answers(Ask("First?", rule="r1"))),
        enforcer("two", answers(Ask("Second?"))),
    ]
    outcome = await write_under(tmp_path, *packs)
    assert outcome.status == "input_required"
    assert sorted(outcome.question.splitlines()) == ["First?", "Second?"]


async def test_an_enforcer_sees_everything_and_can_change_nothing(
    tmp_path: Path,
) -> None:
    attempts: list[type[BaseException] | None] = []

    def attempt(change: Any, write: ProposedWrite) -> None:
        try:
            change(write)
        except (FrozenError, AttributeError, TypeError) as error:
            attempts.append(type(error))
        else:
            attempts.append(None)

    def decide(write: ProposedWrite) -> None:
        attempt(lambda w: w.arguments.update(text="evil"), write)
        attempt(lambda w: w.arguments["tags"].append("evil"), write)
        attempt(lambda w: setattr(w, "arguments", {}), write)
        attempt(lambda w: setattr(w.ability, "requires", "read"), write)
        attempt(lambda w: setattr(w.actor, "scopes", {"*"}), write)
        attempt(lambda w: setattr(w, "targets", ()), write)
        attempt(lambda w: setattr(w, "call", None), write)
        attempt(lambda w: delattr(w, "targets"), write)
        attempt(lambda w: w.states.update({}), write)
        attempt(lambda w: setattr(w.call, "arguments", {}), write)
        attempt(lambda w: w.call.arguments.update(text="evil"), write)
        attempt(lambda w: setattr(w.call, "actor", None), write)
        attempt(lambda w: delattr(w.call, "actor"), write)

    notes = NotesPack()
    given: dict[str, Any] = {"text": "x", "tags": ["a"]}
    packs = [local_pack("notes", notes), enforcer("guard", decide)]
    async with running(tmp_path, *packs) as host:
        outcome = await host.execute("notes/add", given, actor=AGENT)
    assert outcome.is_ok
    assert notes.ran == [{"text": "x", "tags": ["a"]}]
    assert None not in attempts
    assert len(attempts) == 13


async def test_a_read_is_never_put_to_policy(tmp_path: Path) -> None:
    packs = [local_pack("notes", NotesPack()), enforcer("no", answers(Veto("no")))]
    async with running(tmp_path, *packs) as host:
        assert (await host.execute("notes/get", {}, actor=AGENT)).is_ok


async def test_the_log_has_the_reason_that_the_caller_does_not_get(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        await write_under(tmp_path, enforcer("guard", raises(ValueError("why"))))
    assert "before_write of local/guard failed" in caplog.text
    assert "ValueError: why" in caplog.text


async def test_a_host_without_any_pack_still_writes(tmp_path: Path) -> None:
    async with running(tmp_path) as host:
        notes = NotesPack()
        notes.register_categories(host.registry)  # type: ignore[arg-type]  # as a view
        notes.register_abilities(host.registry)  # type: ignore[arg-type]  # as a view
        assert (await host.execute("notes/add", {}, actor=AGENT)).is_ok
