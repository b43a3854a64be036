"""Opened: the record of a host that was started for a command."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from abilities_host.cli.running import with_host
from abilities_host.errors import CallError, StartRefused
from abilities_host.ledger import Entry, Ledger

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host

T = TypeVar("T")

IdArgument = Annotated[
    int, typer.Argument(metavar="ID", min=1, help="Number of the entry.")
]


class NoLedger(StartRefused):
    """Raised when no healthy pack keeps the record."""

    def __init__(self) -> None:
        super().__init__(
            "No pack keeps a record here. 'abilities plugins' says whether the ledger "
            "was set aside, and why."
        )


class NoSuchEntry(CallError):
    """Raised when the record has no such entry."""

    code = "not_found"

    def __init__(self, seq: int) -> None:
        super().__init__(
            f"There is no entry {seq}. List them with 'abilities ledger list'."
        )


def with_ledger(loaded: "LoadedConfig", work: Callable[[Ledger], Awaitable[T]]) -> T:
    """Start a host, work with its record, and stop it.

    Args:
        loaded: the configuration.
        work: what the command does.

    Returns:
        What `work` returned.

    Raises:
        NoLedger: when there is no record.
        AbilitiesError: from the start or from `work`, or after Ctrl+C.
    """

    async def run(host: "Host") -> T:
        return await work(ledger_of(host))

    return with_host(loaded, run)


def ledger_of(host: "Host") -> Ledger:
    """Give the record of a host.

    Args:
        host: started.

    Returns:
        The record.

    Raises:
        NoLedger: when there is none.
    """
    try:
        ledger: Ledger = host.services.find(Ledger)
    except LookupError:
        raise NoLedger from None
    return ledger


async def entry_of(ledger: Ledger, seq: int) -> Entry:
    """Give an entry of any kind.

    Args:
        ledger: the record.
        seq: its number.

    Returns:
        The entry.

    Raises:
        NoSuchEntry: when there is none.
    """
    entry = await ledger.get_entry(seq)
    if entry is None:
        raise NoSuchEntry(seq)
    return entry
