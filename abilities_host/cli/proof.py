"""Proof: a person shows the secret of a named account before something is done."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from abilities_host.accounts import (
    Account,
    Accounts,
    Human,
    Role,
    Unlocked,
    check_role,
    keys_beside,
)
from abilities_host.accounts.account import account_name
from abilities_host.cli.exits import Interrupted, Refused
from abilities_host.cli.printing import complain
from abilities_host.cli.secret import Person
from abilities_host.errors import listed

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.storage.base import Store

T = TypeVar("T")

AsOption = Annotated[
    str | None,
    typer.Option(
        "--as", metavar="NAME", help="Your account; not needed if only one may do it."
    ),
]


class NoAccounts(Refused):
    """Raised when there is nobody whose secret could be asked for."""

    def __init__(self, role: Role) -> None:
        super().__init__(
            f"Only a person may do this, with the secret of an account that has the "
            f"role {role}, and there is none yet. Make one: abilities admin add NAME"
        )


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

    async def with_all(store: "Store") -> T:
        return await work(await accounts_in(store, loaded))

    return with_store(loaded, with_all)


async def accounts_in(store: "Store", loaded: "LoadedConfig") -> Accounts:
    """Give the accounts of an open store.

    Args:
        store: where they are.
        loaded: the configuration; it says where their keys are published.

    Returns:
        The accounts, with their tables.

    Raises:
        StoreError: when the tables cannot be made.
    """
    anchor = loaded.anchor_path
    accounts = Accounts(store, keys=keys_beside(anchor) if anchor else None)
    await accounts.migrate()
    return accounts


def with_store(loaded: "LoadedConfig", work: Callable[["Store"], Awaitable[T]]) -> T:
    """Open the store, work with it, and close it.

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
            return await work(store)

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
    *,
    role: Role,
) -> Human:
    """Ask a person for the secret of an account in the store.

    Args:
        loaded: the configuration.
        person: who is asked.
        accounts: those of the store.
        name: which of them, in any spelling; None when only one has the role.
        role: what is needed.

    Returns:
        The person; failed tries since the last time were told.

    Raises:
        NoAccounts: when no account has the role.
        NeedsRole: when the account has not.
        AccountError: when it is not the person of that account, or not yet.
        NeedsPerson: when nobody can be asked.
        StoreError: when the store cannot be used.
    """
    chosen = chosen_name(accounts, name, role)
    secret = _asked(loaded, person, chosen)
    human = with_accounts(loaded, lambda all_: all_.verify(chosen, secret))
    tell_failures(human)
    check_role(human, role)
    return human


def unlock(
    loaded: "LoadedConfig",
    person: Person,
    accounts: Sequence[Account],
    name: str | None,
    *,
    role: Role,
) -> Unlocked:
    """Ask a person for the secret of an account, and open what it signs with.

    Args:
        loaded: the configuration.
        person: who is asked.
        accounts: those of the store.
        name: which of them, in any spelling; None when only one has the role.
        role: what is needed.

    Returns:
        The person, who can sign; failed tries since the last time were told.

    Raises:
        NoAccounts: when no account has the role.
        NeedsRole: when the account has not.
        AccountError: when it is not the person of that account, or not yet, or its
            key or the file of public keys is not as it was written.
        NeedsPerson: when nobody can be asked.
        StoreError: when the store cannot be used.
    """
    chosen = chosen_name(accounts, name, role)
    secret = _asked(loaded, person, chosen)
    unlocked = with_accounts(loaded, lambda all_: all_.unlock(chosen, secret))
    tell_failures(unlocked)
    check_role(unlocked, role)
    return unlocked


def _asked(loaded: "LoadedConfig", person: Person, name: str) -> str:
    """Ask for a secret, unless it would not be looked at."""
    with_accounts(loaded, lambda all_: all_.check_may_try(name))
    return person.ask_secret(f"Secret of {name}:")


def chosen_name(accounts: Sequence[Account], name: str | None, role: Role) -> str:
    """Say whose secret is asked for.

    Args:
        accounts: all there are.
        name: what ``--as`` said.
        role: what is needed.

    Returns:
        That name, or the only one that has the role.

    Raises:
        NoAccounts: when no account has it.
        NeedsRole: when the one that was named has not.
        InvalidAccountName: when it cannot be one.
        typer.BadParameter: when several have it and none was named.
    """
    able = [each.name for each in accounts if each.is_active and each.role.covers(role)]
    if not able:
        raise NoAccounts(role)
    if name is None and len(able) == 1:
        return able[0]
    if name is None:
        raise typer.BadParameter(f"Say who you are: --as NAME, one of {listed(able)}.")
    chosen = account_name(name)
    for account in accounts:
        if account.name == chosen:
            check_role(account, role)
    return chosen


def tell_failures(human: Human | Unlocked) -> None:
    """Tell a person how often somebody else may have tried.

    Args:
        human: who has just shown a secret.
    """
    if human.failures:
        tries = "1 try" if human.failures == 1 else f"{human.failures} tries"
        complain(
            "warning",
            f"{tries} for {human.name!r} failed since the last time. If that was not "
            f"you, change the secret: abilities admin secret {human.name}",
        )
