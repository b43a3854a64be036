"""The command ``ledger prune``: remove what the limits no longer keep."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from abilities_host.accounts import Role
from abilities_host.cli.ledger.opened import with_ledger
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import say, say_json
from abilities_host.cli.proof import AsOption, prove, with_accounts
from abilities_host.cli.running import load
from abilities_host.cli.secret import Terminal

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.ledger import Ledger, Pruned


def prune_record(
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Do it, with a secret; else it is only said."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove the oldest entries over the limits; none younger than 7 days."""
    loaded = load(config)
    by = loaded.config.actors.cli.id
    pruned = with_ledger(loaded, lambda ledger: _prune(ledger, by, is_dry_run=True))
    if yes and pruned.entries:
        by = _operator(loaded, as_)
        pruned = with_ledger(
            loaded, lambda ledger: _prune(ledger, by, is_dry_run=False)
        )
    if as_json:
        say_json({**asdict(pruned), "dry_run": not yes})
    elif not pruned.entries:
        say("Nothing is over the limits.")
    else:
        word = "Removed" if yes else "With --yes this would remove"
        size = f"{pruned.bytes:,} bytes of states"
        say(f"{word} {pruned.entries:,} entries up to {pruned.through}, and {size}.")


def _operator(loaded: "LoadedConfig", as_: str | None) -> str:
    accounts = with_accounts(loaded, lambda all_: all_.list())
    return prove(loaded, Terminal(), accounts, as_, role=Role.OPERATOR).name


async def _prune(ledger: "Ledger", by: str, *, is_dry_run: bool) -> "Pruned":
    return await ledger.prune(by=by, is_dry_run=is_dry_run)
