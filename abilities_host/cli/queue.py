"""The commands ``queue``: all that waits for a person, of every kind."""

from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from abilities_host.cli.ledger.values import moment
from abilities_host.cli.memory.decide import HashOption
from abilities_host.cli.memory.list import shortened
from abilities_host.cli.memory.painting import Line
from abilities_host.cli.memory.person import ask_person, check_can_decide
from abilities_host.cli.memory.telling import quoted, show_lines
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import (
    printable,
    say,
    say_json,
    show_table,
)
from abilities_host.cli.proof import AsOption
from abilities_host.cli.running import load, with_host
from abilities_host.gate import Gate, StaleHash, Waiting
from abilities_host.jsontext import readable

if TYPE_CHECKING:
    from abilities_host.accounts import Unlocked
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host

_HEADERS: Final = ("ENTRY", "TITLE", "BY", "SINCE")


class _Address(NamedTuple):
    kind: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


class _Shown(NamedTuple):
    canonical: str
    hash: str


def _read_address(written: str) -> _Address:
    kind, colon, id_ = written.partition(":")
    if kind and colon and id_:
        return _Address(kind, id_)
    problem = f"{written!r} is no entry, such as 'guidance:gm-001'."
    raise typer.BadParameter(problem)


EntryArgument = Annotated[
    str, typer.Argument(metavar="KIND:ID", help="As 'queue list' shows it.")
]


def queue_app() -> typer.Typer:
    """Make the group of commands.

    Returns:
        A new one.
    """
    app = typer.Typer(rich_markup_mode=None)
    app.callback(invoke_without_command=True)(_show_help)
    app.command("list")(list_waiting)
    app.command("show")(show_entry)
    app.command("approve")(approve_entry)
    app.command("reject")(reject_entry)
    app.command("withdraw")(withdraw_entry)
    return app


def _show_help(context: typer.Context) -> None:
    """Decide on anything that waits for a person, of every kind."""
    if context.invoked_subcommand is None:
        say(context.get_help())


def list_waiting(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """List all that waits for a person, the oldest of each kind first."""

    async def read(host: "Host") -> dict[str, tuple[Waiting, ...]]:
        return await _gate(host).waiting()

    waiting = with_host(load(config), read)
    entries = [(kind, each) for kind, all_ in waiting.items() for each in all_]
    if as_json:
        say_json({"waiting": [_as_json(kind, each) for kind, each in entries]})
    elif entries:
        show_table(_HEADERS, [_row(kind, each) for kind, each in entries])
    else:
        say("Nothing waits for a person.")


def show_entry(
    entry: EntryArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Show all of an entry that has an effect, and the hash of that."""
    address = _read_address(entry)
    shown = _read(load(config), address)
    if as_json:
        value = {"kind": address.kind, "id": address.id}
        say_json({**value, "hash": shown.hash, "canonical": shown.canonical})
    else:
        show_lines(_lines(address, shown))


def approve_entry(
    entry: EntryArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    hash_: HashOption = None,
    as_json: JsonOption = False,
) -> None:
    """Approve an entry, so that it takes effect; asks for your secret."""
    address, loaded = _read_address(entry), load(config)
    human, shown = _shown_to(loaded, as_, address, hash_)

    async def approve(host: "Host") -> None:
        await _gate(host).approve(*address, shown.hash, human)

    with_host(loaded, approve)
    _tell(address, "approved", as_json=as_json)


def reject_entry(
    entry: EntryArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Set aside an entry that waits; asks for your secret."""
    address, loaded = _read_address(entry), load(config)
    human, _ = _shown_to(loaded, as_, address, None)

    async def reject(host: "Host") -> None:
        await _gate(host).reject(*address, by=human.name)

    with_host(loaded, reject)
    _tell(address, "rejected", as_json=as_json)


def withdraw_entry(
    entry: EntryArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    hash_: HashOption = None,
    as_json: JsonOption = False,
) -> None:
    """End the effect of what was approved; asks for your secret."""
    address, loaded = _read_address(entry), load(config)
    human, shown = _shown_to(loaded, as_, address, hash_)

    async def withdraw(host: "Host") -> None:
        await _gate(host).withdraw(*address, shown.hash, human)

    with_host(loaded, withdraw)
    _tell(address, "withdrawn", as_json=as_json)


def _gate(host: "Host") -> Gate:
    gate: Gate = host.services.find(Gate)
    return gate


def _read(loaded: "LoadedConfig", address: _Address) -> _Shown:
    async def show(host: "Host") -> tuple[bytes, str]:
        return await _gate(host).show(*address)

    canonical, hash_ = with_host(loaded, show)
    return _Shown(canonical.decode(errors="replace"), hash_)


def _shown_to(
    loaded: "LoadedConfig", as_: str | None, address: _Address, hash_: str | None
) -> "tuple[Unlocked, _Shown]":
    """Show what is decided on, and have the person show the secret."""
    shown = _read(loaded, address)
    if hash_ is not None and hash_.strip().lower() != shown.hash:
        raise StaleHash(*address)
    check_can_decide(loaded, as_)
    show_lines(_lines(address, shown), to_errors=True)
    return ask_person(loaded, as_), shown


def _lines(address: _Address, shown: _Shown) -> list[Line]:
    return [
        Line(str(address), "bold"),
        Line(f"hash {shown.hash}"),
        *quoted(readable(shown.canonical)),
    ]


def _tell(address: _Address, word: str, *, as_json: bool) -> None:
    if as_json:
        say_json({"kind": address.kind, "id": address.id, "done": word})
    else:
        say(f"{printable(str(address))} is {word}.")


def _as_json(kind: str, waiting: Waiting) -> dict[str, Any]:
    return {
        "kind": kind,
        "id": waiting.id,
        "title": waiting.title,
        "by": waiting.by,
        "since": moment(waiting.at),
    }


def _row(kind: str, waiting: Waiting) -> tuple[str, ...]:
    address = str(_Address(kind, waiting.id))
    return address, shortened(waiting.title), waiting.by, moment(waiting.at)
