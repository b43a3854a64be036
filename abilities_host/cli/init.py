"""The command ``init``: make the folder of a new host."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from abilities_host.access import others_may_write
from abilities_host.accounts import Account, InvalidAccountName
from abilities_host.accounts.account import account_name
from abilities_host.cli.accounts import add, every
from abilities_host.cli.admin import tell_made
from abilities_host.cli.options import JsonOption
from abilities_host.cli.printing import (
    complain,
    complain_at_length,
    is_at_terminal,
    printable,
    say,
    say_json,
    wrapped,
)
from abilities_host.cli.running import load
from abilities_host.cli.samples import SAMPLES
from abilities_host.cli.secret import TRIES, Person, Terminal
from abilities_host.errors import ConfigError
from abilities_host.jsontext import json_text

FILE_NAME = "abilities.toml"
NAME_PROMPT = "Name of the first account (Enter makes none now):"
_FIRST = (
    "An account is a person who decides what agents may learn and do. The first is "
    "best made before an agent can use this machine."
)
_NONE = (
    "Until there is an account, nothing can be approved. Make the first at a terminal: "
    "abilities admin add NAME"
)

FolderArgument = Annotated[
    Path, typer.Argument(metavar="DIR", help="Where; by default here.")
]
ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Write a new configuration; the old one is kept."),
]
NoAccountOption = Annotated[
    bool, typer.Option("--no-account", help="Do not ask for the first account.")
]


def make_host(
    folder: FolderArgument = Path(),
    *,
    force: ForceOption = False,
    no_account: NoAccountOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make the folder of a new host, with samples."""
    folder = folder.expanduser().absolute()
    try:
        made = [str(path.relative_to(folder)) for path in _make(folder, force=force)]
        is_open = others_may_write(folder.stat())
    except OSError as error:
        place = error.filename or folder
        raise ConfigError(place, f"cannot be written: {error.strerror}.") from error
    config = folder / FILE_NAME
    client = client_settings(config)
    if as_json:
        say_json({"config": str(config), "created": made, "client": client})
    else:
        _show(config, made, client)
    if is_open:
        fix = f"Run: chmod go-w '{folder}'"
        complain("warning", f"others may write {folder}, so no host starts. {fix}")
    if not as_json:
        asks = is_at_terminal() and not (is_open or no_account)
        _show_next(offer_account(config, Terminal()) if asks else None)


def offer_account(config: Path, person: Person) -> Account | None:
    """Have a person make the first account, or none.

    Args:
        config: of the host.
        person: who is asked.

    Returns:
        The account, or one that is there already; None when the person wants none.

    Raises:
        AccountError: when it cannot be made.
        NeedsPerson: when nobody can be asked.
        ConfigError: when the configuration cannot be used, such as for a variable.
        StoreError: when the store cannot be used.
    """
    loaded = load(config)
    if found := every(loaded):
        return found[0]
    complain_at_length(wrapped(_FIRST))
    name = _asked_name(person)
    if not name:
        return None
    account = add(loaded, name, None, person=person)
    tell_made(account)
    return account


def _asked_name(person: Person) -> str:
    """Ask for a name, empty for none, until it can be one."""
    for _ in range(TRIES - 1):
        try:
            return _name(person.ask(NAME_PROMPT))
        except InvalidAccountName as error:
            complain_at_length(wrapped(error.sentence))
    return _name(person.ask(NAME_PROMPT))


def _name(written: str) -> str:
    return account_name(written.strip()) if written.strip() else ""


def client_settings(config: Path) -> dict[str, Any]:
    """Write what an MCP client needs to start this host.

    Args:
        config: absolute path of the configuration.

    Returns:
        The ``mcpServers`` object that most clients read.
    """
    command, *rest = command_words()
    arguments = [*rest, "stdio", "--config", str(config)]
    return {"mcpServers": {"abilities": {"command": command, "args": arguments}}}


def _make(folder: Path, *, force: bool) -> Iterator[Path]:
    config = folder / FILE_NAME
    if os.path.lexists(config) and not force:
        problem = "is already there, so nothing was changed. Add --force to replace it."
        raise ConfigError(config, problem)
    from abilities_host.cli.template import config_text  # noqa: PLC0415 - a slow import

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.path.lexists(config):
        config.replace(config.with_name(f"{FILE_NAME}.old"))
    _write_new(config, config_text(), mode=0o600)
    yield config
    for name, content in SAMPLES.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.path.lexists(path):
            _write_new(path, content, mode=0o644)
            yield path


def _write_new(path: Path, content: str, *, mode: int) -> None:
    """Write a file that must not be there; a link of that name is not followed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(path, flags, mode), "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor
        file.write(content)


def command_words() -> list[str]:
    """Give the command in the environment that runs now, whatever PATH says.

    Returns:
        An absolute path, and what must follow it before anything else.
    """
    script = Path(sys.executable).with_name("abilities")
    for path in (script, script.with_suffix(".exe")):
        if path.is_file():
            return [str(path)]
    return [sys.executable, "-m", "abilities_host"]


def _show(config: Path, made: list[str], client: dict[str, Any]) -> None:
    say(f"Made in {printable(str(config.parent))}:")
    for name in made:
        say(f"  {name}")
    say("\nThe configuration of an MCP client:\n")
    say(json_text(client))
    say()


def _show_next(account: Account | None) -> None:
    if account is None:
        say(wrapped(_NONE))
    say("Next: 'abilities list' and 'abilities doctor' in that folder.")
