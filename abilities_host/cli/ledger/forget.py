"""The command ``ledger forget``: a person removes content for good."""

from dataclasses import asdict

from abilities_host.accounts import Role
from abilities_host.cli.ledger.opened import IdArgument, entry_of, with_ledger
from abilities_host.cli.ledger.values import moment, target_of
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import (
    complain,
    complain_at_length,
    say,
    say_json,
    wrapped,
)
from abilities_host.cli.proof import AsOption, chosen_name, prove, with_accounts
from abilities_host.cli.running import load
from abilities_host.cli.secret import Terminal
from abilities_host.errors import CallError
from abilities_host.ledger import Entry, Forgotten, Ledger


class NothingToForget(CallError):
    """Raised when an entry belongs to no run, so that it has no content."""

    code = "nothing_to_forget"

    def __init__(self, entry: Entry) -> None:
        super().__init__(
            f"Entry {entry.seq} is of kind {entry.kind!r} and has no content that "
            "could be removed."
        )


def forget_entry(
    seq: IdArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Remove the states and arguments of an entry's run; asks for your secret."""
    loaded = load(config)
    entry = with_ledger(loaded, lambda ledger: _find(ledger, seq))
    accounts = with_accounts(loaded, lambda all_: all_.list())
    chosen_name(accounts, as_, Role.OPERATOR)
    complain_at_length(wrapped(_warning(entry)))
    human = prove(loaded, Terminal(), accounts, as_, role=Role.OPERATOR)
    gone = with_ledger(loaded, lambda ledger: ledger.forget(seq, by=human.name))
    if as_json:
        say_json(asdict(gone))
    else:
        _show(gone)


async def _find(ledger: Ledger, seq: int) -> Entry:
    entry = await entry_of(ledger, seq)
    if not entry.call:
        raise NothingToForget(entry)
    return entry


def _warning(entry: Entry) -> str:
    what = f"{entry.ability} {target_of(entry)}".strip()
    return (
        f"The run of entry {entry.seq}: {what}, {moment(entry.at)}, by {entry.actor}. "
        "Its states and arguments go for good, and it cannot be undone any more. The "
        "entry and its digests stay, and so do copies made by 'abilities backup'."
    )


def _show(gone: Forgotten) -> None:
    say(f"Removed for good: {gone.contents} states and arguments.")
    if gone.shared:
        shared = ", ".join(map(str, gone.shared))
        complain(
            "note", f"these entries had the same content and lost it too: {shared}"
        )
