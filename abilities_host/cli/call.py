"""The command ``call``: run an ability, with every check a client would meet."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abilities_host.ability import Ability
from abilities_host.calls import Answer, Change, Outcome
from abilities_host.cli.arguments import read_arguments
from abilities_host.cli.describe import NameArgument, ability_name
from abilities_host.cli.exits import Exit, exit_of_outcome
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import (
    complain,
    is_interactive,
    json_text,
    printable_lines,
    say,
    say_json,
)
from abilities_host.cli.question import ask_person
from abilities_host.cli.running import load, with_host
from abilities_host.cli.session import login_session
from abilities_host.domain import MISSING
from abilities_host.errors import CallError, nearest

if TYPE_CHECKING:
    from abilities_host.host import Host

QUESTIONS = 8


class NotConfirmed(CallError):
    """A write that may lose something was not confirmed."""

    code = "not_confirmed"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name!r} may lose something, so it was not run. Add --yes to confirm it."
        )


def call_ability(  # noqa: D417 - the rest is in the help of the options
    name: NameArgument,
    arguments: Annotated[
        str | None,
        typer.Argument(metavar="JSON", help="One JSON object, or - to read it."),
    ] = None,
    config: ConfigOption = None,
    *,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Confirm a write that may lose something."),
    ] = False,
    session: Annotated[
        str, typer.Option("--session", help="By default this terminal login.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Run an ability with the rights of [actors.cli]."""
    loaded = load(config)
    name = ability_name(name)
    limit = loaded.config.limits.input_bytes
    asked = _Asked(
        name,
        read_arguments(name, arguments, limit),
        session or login_session(),
        is_confirmed=yes,
    )
    outcome = with_host(loaded, asked.run)
    if as_json:
        say_json(outcome_as_json(outcome))
    else:
        _show(outcome)
    if outcome.error is not None:
        complain("error", outcome.error.message)
    raise typer.Exit(exit_of_outcome(outcome))
