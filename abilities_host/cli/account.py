"""The commands ``account``: the people who may approve."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from abilities_host.accounts import Account, AccountDisabled, AccountExists, LastAccount
from abilities_host.accounts.account import account_name
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import say, say_json, show_table
from abilities_host.cli.proof import AsOption, prove, tell_failures, with_accounts
from abilities_host.cli.running import load
from abilities_host.cli.secret import Person, Terminal, ask_new_secret
from abilities_host.errors import LookupFailed

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig

_HEADERS: Final = ("NAME", "STATE", "MADE", "BY", "SECRET SINCE", "FAILED TRIES")
_DAY: Final = 10  # characters of a moment in ISO 8601
_NOBODY: Final = (
    "There is no account yet. The first is made at a terminal: "
    "abilities account add NAME"
)

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Of the account, such as 'ana'.")
]


def account_app() -> typer.Typer:
    """Make the group of commands.

    Returns:
        A new one.
    """
    app = typer.Typer(rich_markup_mode=None)
    app.callback(invoke_without_command=True)(_show_help)
    app.command("add")(add_account)
    app.command("list")(list_accounts)
    app.command("secret")(change_secret)
    app.command("disable")(disable_account)
    return app


def _show_help(context: typer.Context) -> None:
    """Look after the people who may approve."""
    if context.invoked_subcommand is None:
        say(context.get_help())


def add_account(
    name: NameArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Make an account; a person chooses its secret at the terminal."""
    account = add(load(config), name, as_, person=Terminal())
    if as_json:
        say_json(asdict(account))
        return
    say(f"The account {account.name} is made.")
    say("Nobody can look its secret up or reset it: keep it where no agent can read.")


def list_accounts(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """List the accounts, also those that are switched off."""
    accounts = _every(load(config))
    if as_json:
        say_json([asdict(account) for account in accounts])
    elif accounts:
        show_table(_HEADERS, map(_row, accounts))
    else:
        say(_NOBODY)


def change_secret(
    name: NameArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Give an account another secret; the old one is asked for first."""
    account = change(load(config), name, person=Terminal())
    if as_json:
        say_json(asdict(account))
    else:
        say(f"The secret of {account.name} is another one now.")


def disable_account(
    name: NameArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Switch an account off, for good; what it approved stays approved."""
    account = disable(load(config), name, as_, person=Terminal())
    if as_json:
        say_json(asdict(account))
    else:
        say(f"The account {account.name} is switched off. Its name stays taken.")


def add(
    loaded: "LoadedConfig", written: str, as_: str | None, *, person: Person
) -> Account:
    """Have a person make an account.

    Args:
        loaded: the configuration.
        written: the name, in any spelling.
        as_: who agrees, if somebody has an account already.
        person: who is asked.

    Returns:
        The new account.

    Raises:
        AccountError: when it cannot be made, or whoever agrees is not known.
        NeedsPerson: when nobody can be asked.
        StoreError: when the store cannot be used.
    """
    name, accounts = account_name(written), _every(loaded)
    if name in {account.name for account in accounts}:
        raise AccountExists(name)
    by = prove(loaded, person, accounts, as_) if accounts else None
    secret = ask_new_secret(person, name)
    with_accounts(loaded, lambda all_: all_.add(name, secret, by=by))
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
    new = ask_new_secret(person, name)
    with_accounts(loaded, lambda all_: all_.change_secret(name, old, new))
    return _named(loaded, name)


def disable(
    loaded: "LoadedConfig", written: str, as_: str | None, *, person: Person
) -> Account:
    """Have a person switch an account off.

    Args:
        loaded: the configuration.
        written: the account, in any spelling.
        as_: who does it; may be the account itself.
        person: who is asked.

    Returns:
        The account.

    Raises:
        LookupFailed: when there is no such account.
        AccountError: when it cannot be switched off, or whoever does it is not known.
        NeedsPerson: when nobody can be asked.
        StoreError: when the store cannot be used.
    """
    name, accounts = account_name(written), _every(loaded)
    _check_can_be_disabled(name, accounts)
    by = prove(loaded, person, accounts, as_)
    with_accounts(loaded, lambda all_: all_.disable(name, by=by))
    return _named(loaded, name)


def _check_can_be_disabled(name: str, accounts: Sequence[Account]) -> None:
    """Find out before a person types a secret in vain."""
    active = {account.name: account.is_active for account in accounts}
    if name not in active:
        raise LookupFailed("account", name, list(active))
    if not active[name]:
        raise AccountDisabled(name)
    if sum(active.values()) == 1:
        raise LastAccount(name)


def _every(loaded: "LoadedConfig") -> tuple[Account, ...]:
    return with_accounts(loaded, lambda all_: all_.list())


def _named(loaded: "LoadedConfig", name: str) -> Account:
    return next(account for account in _every(loaded) if account.name == name)


def _row(account: Account) -> tuple[str, ...]:
    return (
        account.name,
        "on" if account.is_active else "off",
        account.made_at[:_DAY],
        account.made_by or "-",
        account.secret_at[:_DAY],
        str(account.failures),
    )
