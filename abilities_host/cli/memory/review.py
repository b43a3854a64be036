"""The command ``memory review``: what waits, one by one, on a screen."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from abilities_host.cli.exits import Interrupted, Refused
from abilities_host.cli.memory.held_log import held_log
from abilities_host.cli.memory.kept_open import KeptOpen, kept_open
from abilities_host.cli.memory.opened import memory_of, with_memory
from abilities_host.cli.memory.person import ask_person, check_can_decide
from abilities_host.cli.memory.reviewing import Reviewing
from abilities_host.cli.memory.screen import Screen
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import is_at_terminal, say, say_json
from abilities_host.cli.proof import AsOption
from abilities_host.cli.running import load
from abilities_host.memory import Status

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host


class NoScreen(Refused):
    """Raised when there is no terminal for the screen."""

    def __init__(self) -> None:
        super().__init__(
            "A review needs a person at a terminal. In a script, 'abilities memory "
            "review --count' says how many wait, and 'abilities memory list --status "
            "pending' which."
        )


def review_guidance(
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    count: Annotated[
        bool, typer.Option("--count", help="Only print how many wait.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Go through what waits, one by one, on a screen."""
    if as_json and not count:
        raise typer.BadParameter("--json goes with --count; the review is a screen.")
    if not (count or is_at_terminal()):
        raise NoScreen
    loaded = load(config)
    if count:
        counts = with_memory(loaded, lambda memory: memory.counts())
        _show_count(counts, as_json=as_json)
        return
    with kept_open(loaded) as running:
        done = _reviewed(loaded, as_, running)
        left = _waiting(running)
    _show(done, left)


def _reviewed(
    loaded: "LoadedConfig", as_: str | None, running: KeptOpen
) -> Counter[str]:
    if not _waiting(running):
        return Counter()
    check_can_decide(loaded, as_)
    try:
        with held_log(), Screen() as screen:
            return Reviewing(running, screen, lambda: ask_person(loaded, as_)).run()
    except KeyboardInterrupt:
        raise Interrupted from None


def _waiting(running: KeptOpen) -> int:
    async def count(host: "Host") -> int:
        return (await memory_of(host).counts())["pending"]

    return running.run(count)


def _show_count(counts: Mapping[Status, int], *, as_json: bool) -> None:
    if as_json:
        say_json({"pending": counts["pending"]})
    else:
        say(str(counts["pending"]))


def _show(done: Mapping[str, int], left: int) -> None:
    if not done and not left:
        say("Nothing waits for a review.")
        return
    words = [f"{number} {word}" for word, number in done.items()]
    waiting = f"{left} wait{'s' if left == 1 else ''}" if left else "nothing waits"
    say(f"{', '.join([*words, waiting])}.".capitalize())
