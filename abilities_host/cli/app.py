"""App: the commands, and how each error ends the process."""

import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Annotated, Any, Final

import typer

from abilities_host.cli.admin import admin_app
from abilities_host.cli.backup import back_up
from abilities_host.cli.call import call_ability
from abilities_host.cli.config import show_config
from abilities_host.cli.describe import describe_ability
from abilities_host.cli.doctor import examine
from abilities_host.cli.exits import MEANINGS, Exit, exit_of
from abilities_host.cli.init import make_host
from abilities_host.cli.install import install_app
from abilities_host.cli.ledger.group import ledger_app
from abilities_host.cli.list import list_abilities
from abilities_host.cli.log import set_up_log
from abilities_host.cli.memory.group import memory_app
from abilities_host.cli.modules import modules_app
from abilities_host.cli.plugins import list_plugins
from abilities_host.cli.printing import complain, prepare_streams, say
from abilities_host.cli.queue import queue_app
from abilities_host.cli.request_log import show_requests
from abilities_host.cli.restore import restore_store
from abilities_host.cli.serve import serve_http
from abilities_host.cli.servers import servers_app
from abilities_host.cli.settings import set_setting, unset_setting
from abilities_host.cli.stdio import serve_stdio
from abilities_host.cli.toggle import disable, enable
from abilities_host.cli.token.group import token_app
from abilities_host.errors import AbilitiesError

COMMANDS: Final[tuple[tuple[str, Callable[..., None]], ...]] = (
    ("init", make_host),
    ("stdio", serve_stdio),
    ("serve", serve_http),
    ("list", list_abilities),
    ("describe", describe_ability),
    ("call", call_ability),
    ("enable", enable),
    ("disable", disable),
    ("set", set_setting),
    ("unset", unset_setting),
    ("plugins", list_plugins),
    ("config", show_config),
    ("doctor", examine),
    ("log", show_requests),
    ("backup", back_up),
    ("restore", restore_store),
)

_UsageError: Final[Any] = typer.BadParameter.__bases__[0]
"""Its name is public in some versions of typer only."""


def main() -> None:
    """Run the command line and end the process."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command; the one place where errors become exit codes.

    Args:
        arguments: the words after ``abilities``.

    Returns:
        The exit code.
    """
    prepare_streams()
    try:
        return _run(arguments)
    except AbilitiesError as error:
        complain("error", error.sentence)
        return exit_of(error)


def build_app() -> typer.Typer:
    """Make the app with all commands.

    Returns:
        A new one; importing it starts nothing.
    """
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True, epilog=MEANINGS)(_before)
    for name, command in COMMANDS:
        app.command(name)(command)
    app.add_typer(install_app(), name="install")
    app.add_typer(admin_app(), name="admin")
    app.add_typer(token_app(), name="token")
    app.add_typer(ledger_app(), name="ledger")
    app.add_typer(servers_app(), name="servers")
    app.add_typer(modules_app(), name="modules")
    app.add_typer(memory_app(), name="memory")
    app.add_typer(queue_app(), name="queue")
    return app


def _run(arguments: Sequence[str]) -> int:
    try:
        code = build_app()(arguments, prog_name="abilities", standalone_mode=False)
    except _UsageError as error:
        path = error.ctx.command_path if error.ctx else "abilities"
        complain("error", f"{error.format_message()} See '{path} --help'.")
        return Exit.USAGE
    return code or Exit.OK


def _before(
    context: typer.Context,
    *,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show the log and tracebacks.")
    ] = False,
    shows_version: Annotated[
        bool, typer.Option("--version", help="Show the version.")
    ] = False,
) -> None:
    """Serve, call and look after the abilities that agents may use."""
    set_up_log(is_verbose=verbose)
    if shows_version:
        say(version("abilities-host"))
    elif context.invoked_subcommand is None:
        say(context.get_help())
