"""The command ``ledger export``: every entry as one line of JSON."""

import json
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from abilities_host.cli.ledger.opened import with_ledger
from abilities_host.cli.options import ConfigOption
from abilities_host.cli.running import load

if TYPE_CHECKING:
    from abilities_host.ledger import Ledger


def export_record(
    config: ConfigOption = None,
    *,
    after: Annotated[
        int, typer.Option(min=0, help="Only entries with a greater number.")
    ] = 0,
) -> None:
    """Print every entry, oldest first, as JSON Lines; states are left out."""
    try:
        with_ledger(load(config), lambda ledger: _print(ledger, after))
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has enough; without this the interpreter would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def _print(ledger: "Ledger", after: int) -> None:
    async for entry in ledger.export(after):
        # ASCII: nothing that a terminal would obey.
        sys.stdout.write(f"{json.dumps(entry)}\n")
