"""Accounts: a person makes, changes and switches them off at the terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import typer

from abilities_host.accounts import (
    Account,
    AccountDisabled,
    AccountExists,
    Human,
    LastOperator,
    Role,
)
from abilities_host.accounts.account import account_name
from abilities_host.cli.origin import secret_origin
from abilities_host.cli.proof import prove, tell_failures, with_accounts
from abilities_host.cli.secret import Person, ask_new_secret
from abilities_host.errors import LookupFailed

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig

_FIRST: Final = "The first account is an operator: leave --role out."


def add(
    loaded: "LoadedConfig",
    written: str,
    as_: str | None,
    role: Role | None = None,
    *,
    person: Person,
) -> Account:
    """Have a person make an account.

    Args:
        loaded: the configuration.
        written: the name, in any spelling.
        as_: who agrees, if somebody has an account already.
        role: what it may do; by default a reviewer, and the first an operator.
        person: who is asked.

    Returns:
        The new account.

    Raises:
        AccountError: when it cannot be made, or whoever agrees is not known.
        typer.BadParameter: when the first would be no operator.
        NeedsPerson: when nobody can be asked.
        StoreError: when the store cannot be used.
    """
    name, accounts = account_name(written), every(loaded)
    if name in {account.name for account in accounts}:
        raise AccountExists(name)
    if not accounts and role is Role.REVIEWER:
        raise typer.BadParameter(_FIRST)
    by = _operator(loaded, accounts, as_, person) if accounts else None
    secret, origin = ask_new_secret(person, name), secret_origin()
    given = role or Role.REVIEWER
    with_accounts(
        loaded,
        lambda all_: all_.add(name, secret, by=by, role=given, origin=origin),
    )
    return _named(loaded, name)


def change(loaded: "LoadedConfig", written: str, *, person: Person) -> Account:
    """Have a person change the secret of an account.

    Args:
        loaded: the configuration.
        written: the account, in any spelling.
        person: who is asked.

    Returns:
        The account.

    Raises:
        AccountError: when it is not the person of that account, or not yet.
        NeedsPerson: when nobody can be asked.
        StoreError: when the store cannot be used.
    """
    name = account_name(written)
    with_accounts(loaded, lambda all_: all_.check_may_try(name))
    old = person.ask_secret(f"Secret of {name} until now:")
    # A new secret is not asked for in vain.
    tell_failures(with_accounts(loaded, lambda all_: all_.verify(name, old)))
    new, origin = ask_new_secret(person, name), secret_origin()
    with_accounts(
        loaded, lambda all_: all_.change_secret(name, old, new, origin=origin)
    )
    return _named(loaded, name)


def disable(
    loaded: "LoadedConfig", written: str, as_: str | None, *, person: Person
) -> Account:
    """Have a person switch an account off.

    Args:
        loaded: the configuration.
        written: the account, in any spelling.
        as_: who does it: an operator, or who has the account itself.
        person: who is asked.

    Returns:
        The account.

    Raises:
        LookupFailed: when there is no such account.
        AccountError: when it cannot be switched off, or whoever does it is not known.
        NeedsPerson: when nobody can be asked.
        StoreError: when the store cannot be used.
    """
    name, accounts = account_name(written), every(loaded)
    _check_can_be_changed(name, accounts, is_to_remain=False)
    if as_ is not None and account_name(as_) == name:
        by = prove(loaded, person, accounts, as_, role=Role.REVIEWER)
    else:
        by = _operator(loaded, accounts, as_, person)
    with_accounts(loaded, lambda all_: all_.disable(name, by=by))
    return _named(loaded, name)


def give_role(
    loaded: "LoadedConfig",
    written: str,
    role: Role,
    as_: str | None,
    *,
    person: Person,
) -> Account:
    """Have a person give an account another role.

    Args:
        loaded: the configuration.
        written: the account, in any spelling.
        role: from now on.
        as_: the operator who does it.
        person: who is asked.

    Returns:
        The account.

    Raises:
        LookupFailed: when there is no such account.
        AccountError: when it cannot be given, or whoever does it is not known.
        NeedsPerson: when nobody can be asked.
        StoreError: when the store cannot be used.
    """
    name, accounts = account_name(written), every(loaded)
    _check_can_be_changed(name, accounts, is_to_remain=role is Role.OPERATOR)
    by = _operator(loaded, accounts, as_, person)
    with_accounts(loaded, lambda all_: all_.set_role(name, role, by=by))
    return _named(loaded, name)


def _operator(
    loaded: "LoadedConfig", accounts: Sequence[Account], as_: str | None, person: Person
) -> Human:
    return prove(loaded, person, accounts, as_, role=Role.OPERATOR)


def _check_can_be_changed(
    name: str, accounts: Sequence[Account], *, is_to_remain: bool
) -> None:
    """Find out before a person types a secret in vain."""
    found = {account.name: account for account in accounts}
    if name not in found:
        raise LookupFailed("account", name, list(found))
    if not found[name].is_active:
        raise AccountDisabled(name)
    operators = [a.name for a in accounts if a.is_active and a.role is Role.OPERATOR]
    if operators == [name] and not is_to_remain:
        raise LastOperator(name)


def every(loaded: "LoadedConfig") -> tuple[Account, ...]:
    """List the accounts of a store.

    Args:
        loaded: the configuration.

    Returns:
        All of them by name, also those that are switched off.

    Raises:
        StoreError: when they cannot be read.
    """
    return with_accounts(loaded, lambda all_: all_.list())


def _named(loaded: "LoadedConfig", name: str) -> Account:
    return next(account for account in every(loaded) if account.name == name)
