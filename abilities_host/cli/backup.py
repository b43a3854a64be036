"""The command ``backup``: copy the store while hosts go on."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import printable, say, say_json, wrapped
from abilities_host.cli.proof import run_to_end
from abilities_host.cli.running import load
from abilities_host.cli.standing import Head, read_standing_of_copy

if TYPE_CHECKING:
    from abilities_host.storage.facts import BackupFacts

_ADVICE: Final = (
    "Keep it where no agent and nobody else can read or change it: it holds what was "
    "written, and the accounts. It does not hold the configuration, the token and the "
    "files that abilities work on."
)

FileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="The copy, or a folder for it; by default in backups/ beside the store.",
    ),
]


def back_up(
    file: FileArgument = None,
    config: ConfigOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Copy the store while hosts go on, and check the copy."""
    store = load(config).store_path
    to = _place(store, file)
    facts, head = run_to_end(lambda: _copy(store, to))
    if as_json:
        say_json(
            {
                "file": str(facts.path),
                "bytes": facts.size,
                "head": head and head.as_json(),
            }
        )
    else:
        _show(facts, head)


def _place(store: Path, file: Path | None) -> Path:
    if file is None:
        file = store.parent / "backups"
        if store.exists():
            file.mkdir(mode=0o700, exist_ok=True)
    file = file.expanduser()
    # Not a name that a host's own copies have: of those only the newest are kept.
    name = f"{store.stem}-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.backup{store.suffix}"
    return file / name if file.is_dir() else file


async def _copy(store: Path, to: Path) -> "tuple[BackupFacts, Head | None]":
    from abilities_host.storage.sqlite import open_sqlite  # noqa: PLC0415 - a slow import

    async with open_sqlite(store, create=False) as opened:
        facts = await opened.backup(to)
    return facts, (await read_standing_of_copy(facts.path)).head


def _show(facts: "BackupFacts", head: Head | None) -> None:
    place = printable(str(facts.path))
    say(f"The store was copied to\n  {place}\n")
    held = f"It holds the record up to {head}." if head else "There is no record in it."
    say(wrapped(f"The copy is whole: {facts.size:,} bytes. {held}"))
    say(wrapped(_ADVICE))
    say(f"To put it back: abilities restore '{place}'")
