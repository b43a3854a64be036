"""Group: the commands about the record, under one name."""

from collections.abc import Callable
from typing import Final

import typer

from abilities_host.cli.ledger.evaluate import evaluate_writes
from abilities_host.cli.ledger.export import export_record
from abilities_host.cli.ledger.forget import forget_entry
from abilities_host.cli.ledger.list import list_changes
from abilities_host.cli.ledger.prune import prune_record
from abilities_host.cli.ledger.rollback import roll_back
from abilities_host.cli.ledger.show import show_change, show_diff
from abilities_host.cli.ledger.verify import verify_record
from abilities_host.cli.printing import say

_COMMANDS: Final[tuple[tuple[str, Callable[..., None]], ...]] = (
    ("list", list_changes),
    ("show", show_change),
    ("diff", show_diff),
    ("rollback", roll_back),
    ("verify", verify_record),
    ("evaluate", evaluate_writes),
    ("export", export_record),
    ("forget", forget_entry),
    ("prune", prune_record),
)


def ledger_app() -> typer.Typer:
    """Make the group of commands.

    Returns:
        A new one.
    """
    app = typer.Typer(rich_markup_mode=None)
    app.callback(invoke_without_command=True)(_show_help)
    for name, command in _COMMANDS:
        app.command(name)(command)
    return app


def _show_help(context: typer.Context) -> None:
    """Look up what was written, and put it back."""
    if context.invoked_subcommand is None:
        say(context.get_help())
