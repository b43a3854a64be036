"""The command ``ledger export``: every entry as one line of JSON."""

import json
import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Final

import typer

from abilities_host.cli.ledger.opened import with_ledger
from abilities_host.cli.ledger.progress import shown_progress
from abilities_host.cli.options import ConfigOption
from abilities_host.cli.running import load
from abilities_host.ledger import Query

if TYPE_CHECKING:
    from abilities_host.ledger import Ledger, Progress

_STEP: Final = 100  # entries between two looks at the bar


def export_record(
    config: ConfigOption = None,
    *,
    after: Annotated[
        int, typer.Option(min=0, help="Only entries with a greater number.")
    ] = 0,
) -> None:
    """Print every entry, oldest first, as JSON Lines; states are left out."""
    # On a terminal the lines themselves show how far it is.
    bar = nullcontext() if sys.stdout.isatty() else shown_progress("exporting")
    try:
        with bar as progress:
            with_ledger(load(config), lambda ledger: _print(ledger, after, progress))
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has enough; without this the interpreter would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def _print(ledger: "Ledger", after: int, progress: "Progress | None") -> None:
    newest = (await ledger.list_changes(Query(limit=1))).entries
    last = newest[0].entry.seq if newest else after
    async for entry in ledger.export(after):
        # ASCII: nothing that a terminal would obey.
        sys.stdout.write(f"{json.dumps(entry)}\n")
        if progress is not None and entry["seq"] % _STEP == 0:
            progress(entry["seq"] - after, max(last, entry["seq"]) - after)
