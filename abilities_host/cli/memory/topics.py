"""The commands ``memory topic``: when guidance comes up."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final, cast, get_args

import typer

from abilities_host.cli.ledger.values import moment, one_of
from abilities_host.cli.memory.opened import with_memory
from abilities_host.cli.memory.painting import Line
from abilities_host.cli.memory.person import ask_person, check_can_decide
from abilities_host.cli.memory.telling import show_lines
from abilities_host.cli.memory.values import happening_as_json, topic_as_json
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import printable, say, say_json, show_table
from abilities_host.cli.proof import AsOption
from abilities_host.cli.running import load
from abilities_host.errors import LookupFailed
from abilities_host.memory import Happening, ProjectMemory, State, Topic

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig

_HEADERS: Final = ("NAME", "STATE", "ALWAYS ON", "RECALL", "EXCLUDE")
_STATES: Final[tuple[str, ...]] = get_args(State)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Of the topic.")]
WordsOption = list[str] | None


def topic_app() -> typer.Typer:
    """Make the group of commands.

    Returns:
        A new one.
    """
    app = typer.Typer(rich_markup_mode=None)
    app.callback(invoke_without_command=True)(_show_help)
    app.command("list")(list_topics)
    app.command("show")(show_topic)
    app.command("set")(set_topic)
    return app


def _show_help(context: typer.Context) -> None:
    """Say when guidance comes up, topic by topic."""
    if context.invoked_subcommand is None:
        say(context.get_help())


def list_topics(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """List the topics."""
    topics = with_memory(load(config), lambda memory: memory.topics())
    if as_json:
        say_json({"topics": [topic_as_json(topic) for topic in topics]})
    elif topics:
        show_table(_HEADERS, map(_row, topics))
    else:
        say("There is no topic yet. Approved guidance makes its own.")


def show_topic(
    name: NameArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Show one topic, and who changed it."""

    async def read(memory: ProjectMemory) -> tuple[Topic, tuple[Happening, ...]]:
        topic = _named(await memory.topics(), name)
        return topic, await memory.history(f"topic:{topic.name}")

    topic, history = with_memory(load(config), read)
    if as_json:
        happened = [happening_as_json(each) for each in history]
        say_json({**topic_as_json(topic), "history": happened})
        return
    changes = [f"{moment(each.at)} changed by {each.by}" for each in history]
    show_lines([*_lines(topic), *(Line(each) for each in changes)])


def set_topic(
    name: NameArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    state: Annotated[
        str | None,
        typer.Option(help="active, or inactive: not recalled, its rules still hold."),
    ] = None,
    always_on: Annotated[
        bool | None,
        typer.Option(
            "--always-on/--not-always-on", help="Its guidance needs no word to come up."
        ),
    ] = None,
    recall: Annotated[
        WordsOption,
        typer.Option(help="A word that brings it up, in place of all; '' for none."),
    ] = None,
    exclude: Annotated[
        WordsOption,
        typer.Option(help="A word that keeps it out, in place of all; '' for none."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make or change a topic; asks for your secret."""
    given = (one_of(state, _STATES), always_on, recall, exclude)
    if given == (None, None, None, None):
        raise typer.BadParameter("Say what is to be different, such as --state active.")
    loaded = load(config)
    old = _old(loaded, name)
    new = replace(
        old,
        state=cast("State", given[0] or old.state),
        always_on=old.always_on if always_on is None else always_on,
        recall=_words(old.recall, recall),
        exclude=_words(old.exclude, exclude),
    )
    kept = _put(loaded, as_, old, new)
    if as_json:
        say_json(topic_as_json(kept))
    else:
        say(f"The topic {printable(kept.name)} is as you said.")


def _old(loaded: "LoadedConfig", name: str) -> Topic:
    topics = with_memory(loaded, lambda memory: memory.topics())
    folded = name.strip().casefold()
    return next((t for t in topics if t.name == folded), Topic(name=folded))


def _put(loaded: "LoadedConfig", as_: str | None, old: Topic, new: Topic) -> Topic:
    check_can_decide(loaded, as_)
    before, after = _lines(old), _lines(new)
    changed = [
        line
        for was, is_ in zip(before[1:], after[1:], strict=True)
        if was != is_
        for line in (Line(was.text, "removed", "- "), Line(is_.text, "added", "+ "))
    ]
    show_lines([after[0], *changed], to_errors=True)
    human = ask_person(loaded, as_)
    return with_memory(loaded, lambda memory: memory.put_topic(new, human))


def _named(topics: Sequence[Topic], name: str) -> Topic:
    folded = name.strip().casefold()
    for topic in topics:
        if topic.name == folded:
            return topic
    raise LookupFailed("topic", folded, [topic.name for topic in topics])


def _words(old: tuple[str, ...], given: Iterable[str] | None) -> tuple[str, ...]:
    return old if given is None else tuple(filter(None, given))


def _lines(topic: Topic) -> list[Line]:
    facts = {
        "state": topic.state,
        "always on": "yes" if topic.always_on else "no",
        "recall": ", ".join(topic.recall) or "-",
        "exclude": ", ".join(topic.exclude) or "-",
    }
    told = (Line(f"{name:<9}  {value}") for name, value in facts.items())
    return [Line(f"topic {topic.name}", "bold"), *told]


def _row(topic: Topic) -> tuple[str, ...]:
    return (
        topic.name,
        topic.state,
        "yes" if topic.always_on else "no",
        ", ".join(topic.recall),
        ", ".join(topic.exclude),
    )
