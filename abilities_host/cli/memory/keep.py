"""The commands ``memory forget``, ``alarms`` and ``acknowledge``: what is not there."""

from typing import Annotated, Final

import typer

from abilities_host.accounts import Role
from abilities_host.cli.exits import Exit
from abilities_host.cli.memory.opened import IdArgument, with_memory
from abilities_host.cli.memory.painting import Line
from abilities_host.cli.memory.person import ask_person, check_can_decide
from abilities_host.cli.memory.telling import quoted, show_lines
from abilities_host.cli.memory.values import alarm_as_json, guidance_as_json
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import (
    complain_at_length,
    printable,
    say,
    say_json,
    wrapped,
)
from abilities_host.cli.proof import AsOption
from abilities_host.cli.running import load
from abilities_host.errors import CallError
from abilities_host.memory import Guidance
from abilities_host.memory.wording import kind_of

_GONE: Final = (
    "What it says goes for good; its id and who did what to it stay, and so do copies "
    "made by 'abilities backup' or 'abilities memory export'."
)
_LOST: Final = (
    "It is given up: what it stopped may be done again, and nobody is told of it any "
    "more. To have it back, restore a copy of the store: abilities restore"
)


class StillApproved(CallError):
    """Raised when what is in force is to be forgotten."""

    code = "invalid_transition"

    def __init__(self, guidance: Guidance) -> None:
        super().__init__(
            f"{guidance.id} is approved. Withdraw it first: "
            f"abilities memory archive {guidance.id}"
        )


def forget_guidance(
    id_: IdArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Remove for good what guidance says."""
    loaded = load(config)
    guidance = with_memory(loaded, lambda memory: memory.get(id_))
    if guidance.status == "approved":
        raise StillApproved(guidance)
    check_can_decide(loaded, as_, Role.OPERATOR)
    head = f"{guidance.id}  {kind_of(guidance)}, {guidance.status}"
    show_lines([Line(head, "bold"), *quoted(guidance.text)], to_errors=True)
    complain_at_length(wrapped(_GONE))
    human = ask_person(loaded, as_, Role.OPERATOR)
    left = with_memory(loaded, lambda memory: memory.forget(id_, human))
    if as_json:
        say_json(guidance_as_json(left))
    else:
        say(f"What {left.id} said is removed for good.")


def list_alarms(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Show what is not as a person left it.

    Ends with code 1 when there is anything.
    """
    alarms = with_memory(load(config), lambda memory: memory.alarms())
    if as_json:
        say_json({"alarms": [alarm_as_json(each) for each in alarms]})
    elif not alarms:
        say("Everything is as people left it.")
    else:
        lines = [line for each in alarms for line in quoted(each.sentence)]
        show_lines([line._replace(margin="") for line in lines])
    raise typer.Exit(Exit.FAILED if alarms else Exit.OK)


def acknowledge(
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="That the lost guidance had.")
    ],
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Give up what was approved and is gone; its alarm ends."""
    loaded = load(config)
    alarms = with_memory(loaded, lambda memory: memory.alarms())
    about = (each for each in alarms if (each.kind, each.id) == ("guidance", id_))
    found = next(about, None)
    if found is None or found.problem != "missing":
        raise NothingLost(id_)
    check_can_decide(loaded, as_)
    complain_at_length(wrapped(f"{printable(found.sentence)} {_LOST}"))
    human = ask_person(loaded, as_)
    with_memory(loaded, lambda memory: memory.acknowledge(id_, human))
    if as_json:
        say_json({"id": id_, "acknowledged": True})
    else:
        say(f"{found.id} is given up.")


class NothingLost(CallError):
    """Raised when there is no alarm that a person could end."""

    code = "nothing_lost"

    def __init__(self, id_: str) -> None:
        super().__init__(
            f"No alarm says that {id_} is gone. 'abilities memory alarms' lists them; "
            "what is changed or unsealed is archived or restored instead.",
            id=id_,
        )
