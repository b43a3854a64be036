"""Options that every command has."""

from pathlib import Path
from typing import Annotated

import typer

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="PATH",
        help="The configuration file; by default searched for upwards from here.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def leads_to_command(context: typer.Context, *options: object) -> bool:
    """Answer whether a group that also does something itself was given a command.

    Args:
        context: of the group.
        *options: what was given to the group; it belongs to the command then.

    Returns:
        True when there is nothing to do here.

    Raises:
        typer.BadParameter: for options before the command.
    """
    if context.invoked_subcommand is None:
        return False
    if any(options):
        raise typer.BadParameter("options come after the command.")
    return True
