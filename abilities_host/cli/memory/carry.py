"""The commands ``memory export`` and ``memory import``: guidance of other places."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from abilities_host.cli.exits import Refused
from abilities_host.cli.memory.opened import with_memory
from abilities_host.cli.memory.person import ask_person, check_can_decide
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import (
    complain,
    complain_at_length,
    printable,
    say,
    say_json,
    wrapped,
)
from abilities_host.cli.proof import AsOption
from abilities_host.cli.running import load
from abilities_host.memory import Imported, ProjectMemory

if TYPE_CHECKING:
    from abilities_host.accounts import Unlocked

BYTES: Final = 64 * 1024 * 1024
_OUTPUT: Final = Path("-")
_WAITS: Final = "Everything waits for a review, whatever it was where it comes from."
_KEEPS: Final = (
    "Entries whose seal verifies here are in force at once, and topics become as the "
    "document says. Everything else waits for a review."
)


class DocumentUnreadable(Refused):
    """Raised when a document cannot be read; nothing was imported."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path} {problem}. Nothing was imported.")


class NotWritten(Refused):
    """Raised when an export could not be written where it was to be."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path} {problem}. Nothing was exported.")


def export_memory(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A new file; '-' for output.")
    ] = _OUTPUT,
    config: ConfigOption = None,
) -> None:
    """Write guidance, topics and seals as one JSON document."""
    document = with_memory(load(config), lambda memory: memory.export())
    # ASCII: nothing that a terminal would obey.
    text = json.dumps(document, indent=2)
    if file == _OUTPUT:
        say(text)
        return
    _write(file.expanduser(), f"{text}\n")
    say(f"Written: {printable(str(file))}, {_counted(document)}")


def import_memory(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="An export, a carl.json, or a folder of CARL."
        ),
    ],
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    keep_approvals: Annotated[
        bool,
        typer.Option(
            "--keep-approvals",
            help="Whose seal verifies stays approved; asks for your secret.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Take guidance from a document, all of it or nothing."""
    document = read_document_file(file)
    loaded = load(config)
    human: Unlocked | None = None
    by = loaded.config.actors.cli.id
    if keep_approvals or as_ is not None:
        check_can_decide(loaded, as_)
        complain_at_length(wrapped(_KEEPS if keep_approvals else _WAITS))
        person = ask_person(loaded, as_)
        by, human = person.name, person if keep_approvals else None

    async def bring_in(memory: ProjectMemory) -> Imported:
        return await memory.bring_in(document, by=by, human=human)

    imported = with_memory(loaded, bring_in)
    if as_json:
        say_json(_as_json(imported))
    else:
        _show(imported)


def read_document_file(path: Path) -> Any:
    """Read what is to be imported.

    Args:
        path: of a JSON file of at most 64 MiB, or of a folder.

    Returns:
        JSON values; the path itself of a folder, which only the memory understands.

    Raises:
        DocumentUnreadable: when it cannot be read, or is no JSON.
    """
    path = path.expanduser()
    if path.is_dir():
        return path
    try:
        with path.open("rb") as opened:
            content = opened.read(BYTES + 1)
    except OSError as error:
        raise DocumentUnreadable(path, f"cannot be read: {error.strerror}") from None
    if len(content) > BYTES:
        raise DocumentUnreadable(path, f"is larger than {BYTES // 1024**2} MiB")
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise DocumentUnreadable(path, "is not JSON") from None


def _write(file: Path, text: str) -> None:
    """Write a new file that only its owner reads; nobody's file is replaced."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with os.fdopen(os.open(file, flags, 0o600), "w", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise NotWritten(file, "is there already") from None
    except OSError as error:
        raise NotWritten(file, f"cannot be written: {error.strerror}") from None


def _counted(document: Mapping[str, Any]) -> str:
    count = len(document.get("guidance", ()))
    return f"{count:,} {'entry' if count == 1 else 'entries'}."


def _show(imported: Imported) -> None:
    waiting = len(imported.ids) - len(imported.approved)
    say(f"{waiting:,} wait for a review: abilities memory review")
    if imported.approved:
        say(f"{len(imported.approved):,} stay approved.")
    if imported.topics:
        say(f"Topics: {printable(', '.join(imported.topics))}")
    for sentence in imported.left_out:
        complain("left out", sentence)


def _as_json(imported: Imported) -> dict[str, Any]:
    return {
        "ids": dict(imported.ids),
        "approved": list(imported.approved),
        "topics": list(imported.topics),
        "left_out": list(imported.left_out),
    }
