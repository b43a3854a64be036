"""Why: what kept an account from being changed, found out afterwards."""

from collections.abc import Iterable

from abilities_host.accounts.account import Account
from abilities_host.accounts.errors import AccountDisabled, LastOperator, NeedsRole
from abilities_host.accounts.role import Bearer, Role
from abilities_host.errors import LookupFailed


def why_not(accounts: Iterable[Account], name: str, by: Bearer) -> Exception:
    """Say why an account was neither switched off nor given a role.

    Args:
        accounts: those of the store.
        name: whose account it is.
        by: who wanted it.

    Returns:
        The error.
    """
    found = {account.name: account for account in accounts}
    if name not in found:
        return LookupFailed("account", name, list(found))
    for each in (name, by.name):
        if each not in found or not found[each].is_active:
            return AccountDisabled(each)
    role = found[by.name].role
    if by.name != name and not role.covers(Role.OPERATOR):
        return NeedsRole(by.name, Role.OPERATOR, role)
    return LastOperator(name)
