"""Group: the commands about the project's memory, under one name."""

from collections.abc import Callable
from typing import Final

import typer

from abilities_host.cli.memory.carry import export_memory, import_memory
from abilities_host.cli.memory.decide import (
    approve_guidance,
    archive_guidance,
    reject_guidance,
)
from abilities_host.cli.memory.keep import acknowledge, forget_guidance, list_alarms
from abilities_host.cli.memory.list import list_guidance
from abilities_host.cli.memory.patterns import propose_patterns
from abilities_host.cli.memory.propose import add_guidance, edit_guidance
from abilities_host.cli.memory.review import review_guidance
from abilities_host.cli.memory.show import show_guidance
from abilities_host.cli.memory.topics import topic_app
from abilities_host.cli.printing import say

_COMMANDS: Final[tuple[tuple[str, Callable[..., None]], ...]] = (
    ("list", list_guidance),
    ("show", show_guidance),
    ("review", review_guidance),
    ("approve", approve_guidance),
    ("reject", reject_guidance),
    ("archive", archive_guidance),
    ("edit", edit_guidance),
    ("add", add_guidance),
    ("forget", forget_guidance),
    ("alarms", list_alarms),
    ("acknowledge", acknowledge),
    ("export", export_memory),
    ("import", import_memory),
    ("patterns", propose_patterns),
)


def memory_app() -> typer.Typer:
    """Make the group of commands.

    Returns:
        A new one.
    """
    app = typer.Typer(rich_markup_mode=None)
    app.callback(invoke_without_command=True)(_show_help)
    for name, command in _COMMANDS:
        app.command(name)(command)
    app.add_typer(topic_app(), name="topic")
    return app


def _show_help(context: typer.Context) -> None:
    """Decide what agents are told of the project, and held to."""
    if context.invoked_subcommand is None:
        say(context.get_help())
