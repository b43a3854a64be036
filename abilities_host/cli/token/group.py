"""The commands ``token``: what programs show to be let in."""

from typing import Annotated, Final

import typer

from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import say, say_json
from abilities_host.cli.running import load
from abilities_host.cli.token.duration import end_of, seconds_of
from abilities_host.cli.token.opened import Desk, at_desk, with_tokens
from abilities_host.cli.token.showing import record_json, show_records, show_value
from abilities_host.errors import listed
from abilities_host.issuing import Wanted
from abilities_host.tokens import Change, TokenRecord, Tokens, now
from abilities_host.tokens.tokens import GRACE_DAYS

DEFAULT_ROLE: Final = "agent"
_NONE: Final = "There is no token yet. Make one: abilities token create NAME"
_NONE_LIVE: Final = (
    "No token is valid. Those that have ended: abilities token list --all"
)

NewNameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Of the client, such as 'ci-bot'.")
]
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Of the token, or its prefix.")
]
RoleOption = Annotated[
    str | None,
    typer.Option(
        "--role",
        metavar="ROLE",
        help="viewer, agent, operator, or one of [roles]; agent if no scope is given.",
    ),
]
ScopeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scope", metavar="SCOPE", help="Such as 'notes:write'; may be repeated."
    ),
]
ExpiresOption = Annotated[
    str | None,
    typer.Option(
        "--expires",
        metavar="WHEN",
        help="Such as 30d or 12h from now, or a last day such as 2027-01-31.",
    ),
]
ServerOption = Annotated[
    str,
    typer.Option("--server", metavar="ID", help="The one server it is for."),
]
GraceOption = Annotated[
    str,
    typer.Option(
        "--grace",
        metavar="TIME",
        help=f"How long the old one stays valid, at most {GRACE_DAYS}d; else not.",
    ),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Give scopes although nothing asks for them.")
]
AllOption = Annotated[bool, typer.Option("--all", help="Also those that have ended.")]


def token_app() -> typer.Typer:
    """Make the group of commands.

    Returns:
        A new one.
    """
    app = typer.Typer(rich_markup_mode=None)
    app.callback(invoke_without_command=True)(_show_help)
    app.command("create")(create_token)
    app.command("list")(list_tokens)
    app.command("revoke")(revoke_token)
    app.command("rotate")(rotate_token)
    return app


def _show_help(context: typer.Context) -> None:
    """Look after the tokens of clients."""
    if context.invoked_subcommand is None:
        say(context.get_help())


def create_token(
    name: NewNameArgument,
    config: ConfigOption = None,
    *,
    role: RoleOption = None,
    scope: ScopeOption = None,
    expires: ExpiresOption = None,
    server: ServerOption = "",
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a token for a client, and show it this once."""
    scopes = tuple(scope or ())
    wanted = Wanted(
        name=name,
        scopes=scopes,
        role=("" if scopes else DEFAULT_ROLE) if role is None else role,
        server=server,
        expires_at=end_of(expires, now()) if expires is not None else None,
        is_forced=force,
    )
    loaded = load(config)
    change = at_desk(loaded, wanted.make)
    if as_json:
        say_json(_with_value(change))
    else:
        show_value(change, loaded.config)


def list_tokens(
    config: ConfigOption = None,
    *,
    shows_all: AllOption = False,
    as_json: JsonOption = False,
) -> None:
    """List the tokens; nothing shows the secret of one."""
    records, at = with_tokens(load(config), _every), now()
    shown = [each for each in records if shows_all or _is_of_interest(each, at)]
    if as_json:
        say_json([record_json(record, at) for record in shown])
    elif shown:
        show_records(shown, at)
    else:
        say(_NONE_LIVE if records else _NONE)


def revoke_token(
    name: NameArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """End a token; every running host refuses it from its next request on."""

    async def revoke(desk: Desk) -> Change:
        return await desk.note(await desk.tokens.revoke(name, desk.actor))

    change = at_desk(load(config), revoke)
    if as_json:
        say_json({"name": change.record.name, "revoked": list(change.ended)})
    else:
        prefixes = [f"abl_{public}" for public in change.ended]
        say(f"The token {change.record.name} has ended: {listed(prefixes)}.")


def rotate_token(
    name: NameArgument,
    config: ConfigOption = None,
    *,
    grace: GraceOption = "0s",
    expires: ExpiresOption = None,
    as_json: JsonOption = False,
) -> None:
    """Replace a token by another of the same name, and show it this once."""
    seconds = seconds_of(grace)
    end = end_of(expires, now()) if expires is not None else None

    async def rotate(desk: Desk) -> Change:
        done = await desk.tokens.rotate(name, desk.actor, seconds, expires_at=end)
        return await desk.note(done)

    loaded = load(config)
    change = at_desk(loaded, rotate)
    if as_json:
        say_json(_with_value(change))
        return
    show_value(change, loaded.config)
    say(f"\nThe old one {f'stays valid for {grace}' if seconds else 'has ended'}.")


async def _every(tokens: Tokens) -> tuple[TokenRecord, ...]:
    return await tokens.list_tokens()


def _is_of_interest(record: TokenRecord, at: int) -> bool:
    """One that expired can be replaced; one that was ended or replaced is history."""
    state = record.state(at)
    return state == "live" or (state == "expired" and not record.rotated_to)


def _with_value(change: Change) -> dict[str, object]:
    return {"token": change.value, **record_json(change.record, now())}
