"""The command ``memory show``: one guidance, in full, with what was done to it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from abilities_host.cli.ledger.values import moment
from abilities_host.cli.memory.opened import IdArgument, memory_of
from abilities_host.cli.memory.painting import Line
from abilities_host.cli.memory.telling import show_lines, told
from abilities_host.cli.memory.values import happening_as_json, review_as_json
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import say_json
from abilities_host.cli.running import load, with_host
from abilities_host.gate import Alarm, Gate, Seal
from abilities_host.memory import Happening, Review

if TYPE_CHECKING:
    from abilities_host.host import Host

KIND: Final = "guidance"
"""What the gate calls it."""


class _Shown(NamedTuple):
    review: Review
    history: tuple[Happening, ...]
    seal: Seal | None
    alarm: Alarm | None


def show_guidance(
    id_: IdArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Show one guidance in full, with its seal and its history."""
    shown = with_host(load(config), lambda host: _read(host, id_))
    if not as_json:
        show_lines([*told(shown.review), *_sealed(shown), *_happened(shown.history)])
        return
    history = [happening_as_json(each) for each in shown.history]
    value = review_as_json(shown.review)
    say_json({**value, "seal": _seal_as_json(shown), "history": history})


async def _read(host: "Host", id_: str) -> _Shown:
    memory = memory_of(host)
    review = await memory.review(id_)
    survey = await host.services.find(Gate).survey(KIND)
    alarms = [alarm for alarm in survey.alarms if alarm.id == id_]
    return _Shown(
        review,
        await memory.history(id_),
        survey.sealed.get(id_),
        alarms[0] if alarms else None,
    )


def _sealed(shown: _Shown) -> Iterator[Line]:
    if shown.seal is None and shown.alarm is None:
        return
    yield Line("")
    yield Line("SEAL", "bold" if shown.seal else "warning")
    if shown.seal is not None:
        when = f"{shown.seal.reviewer}, {moment(shown.seal.at)}"
        yield Line(f"It is as {when}, approved it.", margin="  ")
    if shown.alarm is not None:
        yield Line(shown.alarm.sentence, margin="  ")


def _happened(history: tuple[Happening, ...]) -> Iterator[Line]:
    yield Line("")
    yield Line("HISTORY", "bold")
    for each in history:
        done = f"{moment(each.at)} {each.action} by {each.by}"
        yield Line(done, margin="  ")


def _seal_as_json(shown: _Shown) -> dict[str, Any]:
    seal, alarm = shown.seal, shown.alarm
    return {
        "verifies": seal is not None,
        "by": seal.reviewer if seal else None,
        "at": moment(seal.at) if seal else None,
        "problem": alarm.problem if alarm else None,
    }
