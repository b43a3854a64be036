"""The commands ``admin``: the people who may approve, and what else they may."""

from dataclasses import asdict
from typing import Annotated, Final

import typer

from abilities_host.accounts import Account, Role
from abilities_host.cli.accounts import add, change, disable, every, give_role
from abilities_host.cli.link import make_link
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import complain_at_length, say, say_json, show_table
from abilities_host.cli.proof import AsOption
from abilities_host.cli.running import load
from abilities_host.cli.secret import Terminal

_HEADERS: Final = (
    *("NAME", "ROLE", "STATE", "MADE", "BY"),
    *("SECRET SINCE", "FAILED TRIES"),
)
_DAY: Final = 10  # characters of a moment in ISO 8601
_NOBODY: Final = (
    "There is no account yet. The first is made at a terminal: abilities admin add NAME"
)
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Of the account, such as 'ana'.")
]
RoleArgument = Annotated[
    Role, typer.Argument(metavar="ROLE", help="From now on: reviewer or operator.")
]
RoleOption = Annotated[
    Role | None,
    typer.Option(
        "--role",
        metavar="ROLE",
        help="reviewer, or operator, who may do more; the first is always one.",
    ),
]


def admin_app() -> typer.Typer:
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
    app.command("role")(change_role)
    app.command("link")(show_link)
    return app


def _show_help(context: typer.Context) -> None:
    """Look after the accounts of people who may approve."""
    if context.invoked_subcommand is None:
        say(context.get_help())


def add_account(
    name: NameArgument,
    config: ConfigOption = None,
    role: RoleOption = None,
    as_: AsOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Make an account; a person chooses its secret at the terminal."""
    account = add(load(config), name, as_, role, person=Terminal())
    if as_json:
        say_json(asdict(account))
    else:
        tell_made(account)


def list_accounts(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """List the accounts, also those that are switched off."""
    accounts = every(load(config))
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


def change_role(
    name: NameArgument,
    role: RoleArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Give an account another role; what it approved stays approved."""
    account = give_role(load(config), name, role, as_, person=Terminal())
    if as_json:
        say_json(asdict(account))
    else:
        say(f"The account {account.name} has the role {account.role}.")


def show_link(config: ConfigOption = None) -> None:
    """Give a link that works once, to make the first account in a browser."""
    link = make_link(load(config), Terminal())
    # At the terminal that was asked, and in no file that gets the output.
    complain_at_length(f"\n{link}\n")
    complain_at_length("It works once, for 15 minutes, while 'abilities serve' runs.")


def tell_made(account: Account) -> None:
    """Tell a person what the new account is.

    Args:
        account: that was made.
    """
    say(f"The account {account.name} is made, with the role {account.role}.")
    say("Nobody can look its secret up or reset it: keep it where no agent can read.")


def _row(account: Account) -> tuple[str, ...]:
    return (
        account.name,
        account.role,
        "on" if account.is_active else "off",
        account.made_at[:_DAY],
        account.made_by or "-",
        account.secret_at[:_DAY],
        str(account.failures),
    )
