"""The command ``call``: run an ability, with every check a client would meet."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abilities_host.ability import Ability
from abilities_host.calls import Answer, Change, Outcome
from abilities_host.cli.arguments import read_arguments
from abilities_host.cli.describe import NameArgument, ability_name
from abilities_host.cli.exits import exit_of_outcome
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import (
    complain,
    is_interactive,
    printable_lines,
    say,
    say_json,
)
from abilities_host.cli.question import ask_person
from abilities_host.cli.running import load, with_host
from abilities_host.cli.session import login_session
from abilities_host.domain import MISSING
from abilities_host.errors import AbilityNotFound, CallError, nearest
from abilities_host.jsontext import json_text

if TYPE_CHECKING:
    from abilities_host.host import Host

QUESTIONS = 8

JsonArgument = Annotated[
    str | None,
    typer.Argument(metavar="JSON", help="One JSON object, or - to read it."),
]
YesOption = Annotated[
    bool, typer.Option("--yes", "-y", help="Confirm a write that may lose something.")
]
SessionOption = Annotated[
    str, typer.Option("--session", help="By default this terminal login.")
]


class NotConfirmed(CallError):
    """A write that may lose something was not confirmed."""

    code = "not_confirmed"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name!r} may lose something, so it was not run. Add --yes to confirm it."
        )


class NotVisible(AbilityNotFound):
    """There is none, it is off, or it is not for this actor; guesses the one meant."""

    def __init__(self, name: str, visible: Iterable[str]) -> None:
        super().__init__(name)
        hint = nearest(name, visible) or " 'abilities list' shows what there is."
        self.message += hint


def call_ability(
    name: NameArgument,
    arguments: JsonArgument = None,
    config: ConfigOption = None,
    *,
    yes: YesOption = False,
    session: SessionOption = "",
    as_json: JsonOption = False,
) -> None:
    """Run an ability with the rights of [actors.cli]."""
    loaded = load(config)
    name = ability_name(name)
    try:
        given = read_arguments(name, arguments, loaded.config.limits.input_bytes)
        caller = Caller(name, given, session or login_session(), is_confirmed=yes)
        outcome = with_host(loaded, caller.run)
    except CallError as error:
        outcome = Outcome(status="refused", ability=name, call="", error=error)
    show_outcome(outcome, as_json=as_json)
    raise typer.Exit(exit_of_outcome(outcome))


def outcome_as_json(outcome: Outcome) -> dict[str, Any]:
    """Write an outcome for programs; states before and after stay inside.

    Args:
        outcome: how a run ended.

    Returns:
        JSON values; the keys are always the same.
    """
    error = outcome.error
    return {
        "status": outcome.status,
        "ability": outcome.ability,
        "call": outcome.call,
        "result": outcome.result,
        "verified": outcome.verified,
        "error": error and _error_as_json(error, is_retryable=outcome.retryable),
        "changes": [
            {"domain": c.target.domain, "target": c.target.name, "change": _kind(c)}
            for c in outcome.changes
            if c.is_real
        ],
        "question": outcome.question,
        "flags": sorted(outcome.flags),
    }


def _error_as_json(error: CallError, *, is_retryable: bool) -> dict[str, Any]:
    return {
        "code": error.code,
        "message": error.message,
        "retryable": is_retryable,
        "path": error.argument,
        "expected": error.expected,
        "details": error.details,
    }


@dataclass(frozen=True, slots=True)
class Caller:
    """What a person wants to have run.

    Attributes:
        name: of the ability.
        arguments: any JSON value.
        session: that the call belongs to.
        is_confirmed: a write that may lose something needs no further question.
    """

    name: str
    arguments: Any
    session: str
    is_confirmed: bool

    async def run(self, host: "Host") -> Outcome:
        """Run it with the rights of ``[actors.cli]``.

        Args:
            host: started.

        Returns:
            How it ended.

        Raises:
            NotVisible: when the command line may not see such an ability.
            NotConfirmed: when nobody confirmed what may lose something.
        """
        visible = {a.name: a for a in await host.list_abilities(host.actor("cli"))}
        ability = visible.get(self.name)
        if ability is None:
            raise NotVisible(self.name, visible)
        if _may_lose(host, ability) and not await self._confirm(ability):
            raise NotConfirmed(self.name)
        return await self._execute(host)

    async def _confirm(self, ability: Ability) -> bool:
        if self.is_confirmed or not is_interactive():
            return self.is_confirmed
        return await ask_person(
            f"{ability.name} ({ability.label}) may lose something. Run it?"
        )

    async def _execute(self, host: "Host") -> Outcome:
        answer = None
        for _ in range(QUESTIONS):
            outcome = await host.execute(
                self.name,
                self.arguments,
                actor=host.actor("cli"),
                session=self.session,
                client="abilities",
                answer=answer,
            )
            if outcome.status != "input_required" or not is_interactive():
                break
            agrees = await ask_person(outcome.question)
            answer = Answer(outcome.state, is_accepted=agrees)
        return outcome


def _may_lose(host: "Host", ability: Ability) -> bool:
    """Only a word of the author takes a write for harmless; a route may lead to one."""
    is_write = host.denylist.is_write(ability) or ability.is_route
    notes = ability.annotations
    return is_write and not notes.readonly and notes.destructive is not False


def show_outcome(outcome: Outcome, *, as_json: bool) -> None:
    """Print how a run ended.

    Args:
        outcome: of the run.
        as_json: for programs.
    """
    if as_json:
        say_json(outcome_as_json(outcome))
    elif outcome.result is not None:
        is_text = isinstance(outcome.result, str)
        say(printable_lines(outcome.result) if is_text else json_text(outcome.result))
    for change in outcome.changes:
        if change.is_real and not as_json:
            complain(_kind(change), str(change.target))
    if outcome.error is not None:
        complain("error", outcome.error.message)
    elif outcome.status == "input_required":
        complain("question", f"{outcome.question} Run it on a terminal to answer.")


def _kind(change: Change) -> str:
    if change.before is MISSING:
        return "created"
    return "removed" if change.after is MISSING else "changed"
