"""The command ``install systemd``: have systemd run the host as a user of its own."""

import os
import re
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from abilities_host.cli.clients import BACKUP, write_in_one_step
from abilities_host.cli.init import command_words
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import complain, printable, say, say_json, wrapped
from abilities_host.cli.running import load
from abilities_host.cli.unit import Service, unit_text
from abilities_host.errors import ConfigError

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig

UNIT_FILE: Final = "abilities.service"

_USER: Final = re.compile("[A-Za-z_][A-Za-z0-9_.-]{0,30}")
_NO_OWNER: Final = "Nobody here owns the configuration. Say whom it runs as: --user."
_NOT_ROOT: Final = (
    "A host as root could change everything on this machine. Make a user of its own, "
    "such as 'adduser --system --group abilities', and say --user abilities."
)
_UNKNOWN: Final = (
    "There is no user {!r} here. Make it first, such as "
    "'adduser --system --group abilities'."
)

UserOption = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="NAME",
        help="Whom it runs as; by default who owns the configuration.",
    ),
]
WritableOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--writable",
        metavar="DIR",
        help="A further folder that abilities write in; may be repeated.",
    ),
]
WriteOption = Annotated[
    Path | None,
    typer.Option(
        "--write", metavar="PATH", help="Write it there, instead of printing it."
    ),
]


def install_systemd(
    config: ConfigOption = None,
    *,
    user: UserOption = None,
    writable: WritableOption = None,
    write: WriteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the unit by which systemd runs this host."""
    loaded = load(config)
    service = _service(loaded, user, writable or [])
    text = unit_text(service)
    facts: dict[str, Any] = {"user": service.user, "unit": text}
    facts |= _put(write, text) if write else _NOWHERE
    if as_json:
        say_json(facts)
    elif write is None:
        say(text.rstrip("\n"))
    else:
        _show(facts)
    _warn(loaded.path.absolute(), service.user)


def _service(loaded: "LoadedConfig", user: str | None, more: list[Path]) -> Service:
    name, home = _account(user or _owner(loaded.path))
    config = loaded.path.absolute()
    writable = [config.parent, loaded.store_path.parent]
    if anchor := _anchor_folder(loaded, home):
        writable.append(anchor)
    writable += map(_folder, more)
    return Service(
        user=name,
        command=(*command_words(), "serve", "--config", str(config)),
        writable=tuple(writable),
        readable=(Path(sys.prefix), Path(sys.base_prefix), Path(__file__)),
        port=loaded.config.http.port,
    )


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except (KeyError, NotImplementedError):
        raise typer.BadParameter(_NO_OWNER) from None


def _account(name: str) -> tuple[str, Path]:
    if name == "root":
        raise typer.BadParameter(_NOT_ROOT)
    home = os.path.expanduser(f"~{name}")  # noqa: PTH111 - the other one asks nobody
    if not _USER.fullmatch(name) or home.startswith("~"):
        raise typer.BadParameter(_UNKNOWN.format(name))
    return name, Path(home)


def _anchor_folder(loaded: "LoadedConfig", home: Path) -> Path | None:
    """What is written in must be there when the host starts."""
    if loaded.anchor_path is None:
        return None
    if loaded.config.ledger.anchor:
        return _folder(loaded.anchor_path.parent)
    # Not the state folder of who runs this command.
    folder = home / ".local" / "state" / "abilities-host"
    near = (each for each in (folder, *folder.parents) if os.path.isdir(each))  # noqa: PTH112 - false where nothing can be seen
    found = next(near)
    return found if found.is_relative_to(home) else None


def _folder(path: Path) -> Path:
    path = path.expanduser().absolute()
    if not os.path.isdir(path):  # noqa: PTH112 - false where nothing can be seen
        raise ConfigError(path, "there is no such folder, so nothing was written.")
    return path


_NOWHERE: Final = {"file": None, "change": None, "backup": None}


def _put(path: Path, text: str) -> dict[str, str | None]:
    path = path.expanduser().absolute()
    path = path / UNIT_FILE if path.is_dir() else path
    facts: dict[str, str | None] = {"file": str(path), "backup": None}
    try:
        before = path.read_bytes() if os.path.lexists(path) else None
        if before == text.encode():
            return {**facts, "change": "unchanged"}
        if before is not None:
            kept = path.with_name(f"{path.name}{BACKUP}")
            write_in_one_step(kept, before, 0o644)
            facts["backup"] = str(kept)
        write_in_one_step(path, text.encode(), 0o644)
    except OSError as error:
        raise ConfigError(path, f"cannot be written: {error.strerror}.") from error
    return {**facts, "change": "added" if before is None else "replaced"}


def _show(facts: dict[str, Any]) -> None:
    file = printable(facts["file"])
    if facts["change"] == "unchanged":
        say(f"The unit is already in {file}; nothing was changed.")
        return
    say(f"The unit was {facts['change']} in {file}.")
    if facts["backup"]:
        say(f"The file as it was: {printable(facts['backup'])}")
    say("Next, as root:")
    say("  systemctl daemon-reload")
    say(f"  systemctl enable --now {printable(quote(Path(facts['file']).stem))}")


def _warn(config: Path, user: str) -> None:
    """A host that cannot read its configuration, or write beside it, does not start."""
    for path in (config, config.parent):
        if _owner(path) != user:
            fix = f"chown {user} {printable(quote(str(path)))}"
            told = f"{user} does not own {printable(str(path))}. Run, as root: {fix}"
            complain("warning", wrapped(told).replace("\n", " "))
