"""The command ``ledger verify``: whether the record is as it was written."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from abilities_host.cli.exits import Exit
from abilities_host.cli.ledger.opened import with_ledger
from abilities_host.cli.ledger.progress import shown_progress
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import printable, say, say_json, wrapped
from abilities_host.cli.running import load

if TYPE_CHECKING:
    from abilities_host.ledger import Verification


def verify_record(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Read the whole record: chain, count, contents, and head against the anchor."""
    loaded = load(config)
    with shown_progress("verifying") as progress:
        found = with_ledger(loaded, lambda ledger: ledger.verify(progress))
    is_broken = found.verdict == "broken"
    if as_json:
        say_json(asdict(found))
    else:
        say(_verdict(found))
        for sentence in (found.sentence, *found.notes):
            say(wrapped(printable(sentence)))
    raise typer.Exit(Exit.FAILED if is_broken else Exit.OK)


def _verdict(found: "Verification") -> str:
    if found.verdict != "broken":
        return f"{found.verdict}: {found.entries:,} entries read"
    return f"broken at {found.at}" if found.at else "broken"
