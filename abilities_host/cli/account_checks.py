"""Account checks: what ``doctor`` says of the people who may approve."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from abilities_host.accounts import Account, Accounts, Role
from abilities_host.cli.findings import Finding
from abilities_host.cli.proof import with_accounts
from abilities_host.errors import AbilitiesError

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig


def check_accounts(loaded: "LoadedConfig") -> Iterator[Finding]:
    """Look at the accounts of a store.

    Args:
        loaded: the configuration; its host has started before.

    Yields:
        A finding for each account that is on, or that there is none.
    """
    try:
        accounts, roles = with_accounts(loaded, _look)
    except AbilitiesError as error:
        yield Finding("warning", "account", error.sentence)
        return
    active = [account for account in accounts if account.is_active]
    for account in active:
        yield _finding(account)
        if roles[account.name] is not account.role:
            yield _raised(account, roles[account.name])
    if not active:
        sentence = "There is no account. Until there is, nothing can be approved."
        yield Finding("warning", "account", sentence, "abilities admin add NAME")


async def _look(accounts: Accounts) -> tuple[tuple[Account, ...], dict[str, Role]]:
    return await accounts.list(), await accounts.roles()


def _finding(account: Account) -> Finding:
    origin = account.secret_from or "a place that is not known"
    sentence = (
        f"{account.name} ({account.role}) has its secret since {account.secret_at}, "
        f"from {origin}."
    )
    return Finding("ok", "account", sentence)


def _raised(account: Account, role: Role) -> Finding:
    sentence = (
        f"The store says that {account.name} has the role {account.role}, the file of "
        f"public keys says {role}, which counts. Somebody changed the store, or a "
        "change of the role was interrupted."
    )
    fix = f"abilities admin role {account.name} {role}"
    return Finding("warning", "account", sentence, fix)
