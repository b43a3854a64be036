"""Proof: a person shows the secret of a named account before something is done."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from abilities_host.accounts import Account, Accounts, Human
from abilities_host.accounts.account import account_name
from abilities_host.cli.exits import Interrupted
from abilities_host.cli.printing import complain
from abilities_host.cli.secret import Person
from abilities_host.errors import listed

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig

T = TypeVar("T")

AsOption = Annotated[
    str | None,
    typer.Option(
        "--as", metavar="NAME", help="Your account; not needed if there is only one."
    ),
]


def with_accounts(
    loaded: "LoadedConfig", work: Callable[[Accounts], Awaitable[T]]
) -> T:
    """Open the store, work with its accounts, and close it.

    It is not kept open while a person thinks.

    Args:
        loaded: the configuration.
        work: what is done.

    Returns:
        What `work` returned.

    Raises:
        AbilitiesError: from the store or from `work`, or after Ctrl+C.
    """
    from abilities_host.storage.sqlite import open_sqlite  # noqa: PLC0415 - a slow import

    async def run() -> T:
        async with open_sqlite(loaded.store_path) as store:
            accounts = Accounts(store)
            await accounts.migrate()
            return await work(accounts)

    return run_to_end(run)


def run_to_end(work: Callable[[], Awaitable[T]]) -> T:
    """Run an event loop until the work is done.

    Args:
        work: what is done.

    Returns:
        What `work` returned.

    Raises:
        Interrupted: after Ctrl+C.
    """

    async def run() -> T:
        return await work()

    try:
        return asyncio.run(run())
    except KeyboardInterrupt:
        raise Interrupted from None


def prove(
    loaded: "LoadedConfig",
    person: Person,
    accounts: Sequence[Account],
    name: str | None,
) -> Human:
    """Ask a person for the secret of an account in the store.

    Args:
        loaded: the configuration.
        person: who is asked.
        accounts: those of the store.
        name: which of them, in any spelling; None when there is only one.

    Returns:
        The person; failed tries since the last time were told.

    Raises:
        AccountError: when it is not the person of that account, or not yet.
        NeedsPerson: when nobody can be asked.
        StoreError: when the store cannot be used.
    """
    chosen = chosen_name(accounts, name)
    with_accounts(loaded, lambda all_: all_.check_may_try(chosen))
    secret = person.ask_secret(f"Secret of {chosen}:")
    human = with_accounts(loaded, lambda all_: all_.verify(chosen, secret))
    tell_failures(human)
    return human


def chosen_name(accounts: Sequence[Account], name: str | None) -> str:
    """Say whose secret is asked for.

    Args:
        accounts: of which there is at least one that is on.
        name: what ``--as`` said.

    Returns:
        That name, or the only one there is.

    Raises:
        InvalidAccountName: when it cannot be one.
        typer.BadParameter: when there are several and none was named.
    """
    if name is not None:
        return account_name(name)
    active = [account.name for account in accounts if account.is_active]
    if len(active) == 1:
        return active[0]
    raise typer.BadParameter(f"Say who you are: --as NAME, one of {listed(active)}.")


def tell_failures(human: Human) -> None:
    """Tell a person how often somebody else may have tried.

    Args:
        human: who has just shown a secret.
    """
    if human.failures:
        tries = "1 try" if human.failures == 1 else f"{human.failures} tries"
        complain(
            "warning",
            f"{tries} for {human.name!r} failed since the last time. If that was not "
            f"you, change the secret: abilities account secret {human.name}",
        )
