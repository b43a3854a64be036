"""The commands ``memory add`` and ``memory edit``: what a person wants remembered."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from abilities_host.cli.ledger.values import one_of
from abilities_host.cli.memory.editor import fill_in
from abilities_host.cli.memory.form import (
    BYTES,
    CLASSES,
    TYPES,
    FormBroken,
    proposal_of,
    read_form,
    read_rule,
    write_form,
)
from abilities_host.cli.memory.opened import IdArgument, with_memory
from abilities_host.cli.memory.person import ask_person
from abilities_host.cli.memory.values import guidance_as_json
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import is_interactive, say, say_json
from abilities_host.cli.proof import AsOption
from abilities_host.cli.running import load
from abilities_host.memory import Guidance, Proposal, Scope, propose_version

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig

FileOption = Annotated[
    Path | None,
    typer.Option("--file", metavar="FILE", help="A form, TOML or JSON; '-' for input."),
]
_START: Final = Proposal(type="convention", topic="", text="", rationale="")
_NEW: Final = "New guidance. It waits for a review, and has no effect before that."
_CLASSES: Final = tuple(filter(None, CLASSES))
_NO_FORM: Final = "A form needs a terminal. Give --text, or a form with --file."
_INPUT: Final = Path("-")


def add_guidance(
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    type_: Annotated[
        str, typer.Option("--type", help="guardrail, fact, convention or instruction.")
    ] = "convention",
    topic: Annotated[str, typer.Option(help="What it is sorted under.")] = "",
    text: Annotated[
        str | None, typer.Option(help="What agents are to know; else a form opens.")
    ] = None,
    rationale: Annotated[str, typer.Option(help="Why.")] = "",
    recall: Annotated[
        list[str] | None, typer.Option(help="A word that brings it up; repeat it.")
    ] = None,
    target: Annotated[
        str, typer.Option(help="The one target it is about, 'domain:pattern'.")
    ] = "",
    post_id: Annotated[
        int | None, typer.Option(min=1, help="Number of the one thing it is about.")
    ] = None,
    site_wide: Annotated[
        bool | None,
        typer.Option(
            "--site-wide/--not-site-wide",
            help="It holds everywhere; by default what is about nothing else does.",
        ),
    ] = None,
    priority: Annotated[int, typer.Option(help="Greater comes first.")] = 0,
    class_: Annotated[
        str, typer.Option("--class", help="identity, procedure or fact.")
    ] = "",
    rule: Annotated[str, typer.Option(help="What is enforced, a JSON object.")] = "",
    supersedes: Annotated[
        str, typer.Option(metavar="ID", help="What it is to replace.")
    ] = "",
    file: FileOption = None,
    as_json: JsonOption = False,
) -> None:
    """Propose guidance, by options, a file or a form."""
    is_wide = target == "" and post_id is None if site_wide is None else site_wide
    given = Proposal(
        type=one_of(type_, TYPES),  # type: ignore[arg-type]  # checked just there
        topic=topic,
        text=text or "",
        rationale=rationale,
        recall=tuple(recall or ()),
        scope=Scope(site_wide=is_wide, post_id=post_id, target=target),
        priority=priority,
        class_=one_of(class_ or None, _CLASSES) or "",  # type: ignore[arg-type]  # same
        rule=read_rule(rule),
        supersedes=supersedes,
    )
    loaded = load(config)
    by = _name(loaded, as_)
    if text is not None and file is None:
        kept: Guidance | None = _propose(loaded, given, by)
    else:
        form = write_form(given, _NEW)
        kept = _filled(file, form, lambda text: _propose(loaded, read_form(text), by))
    _show(kept, as_json=as_json)


def edit_guidance(
    id_: IdArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    file: FileOption = None,
    as_json: JsonOption = False,
) -> None:
    """Propose another version of guidance, in a form.

    What is approved stays in force until the other version is; what waits is archived.
    """
    loaded = load(config)
    old = with_memory(loaded, lambda memory: memory.get(id_))
    # Only who sets the old one aside decides something.
    is_decision = old.status == "pending"
    by = ask_person(loaded, as_).name if is_decision else _name(loaded, as_)

    def take(text: str) -> Guidance:
        proposal = read_form(text)
        return with_memory(
            loaded, lambda memory: propose_version(memory, old, proposal, by)
        )

    kept = _filled(file, version_form(old), take)
    _show(kept, as_json=as_json)


def version_form(old: Guidance) -> str:
    """Write the form for another version of guidance.

    Args:
        old: of any status.

    Returns:
        TOML; it supersedes what is approved.
    """
    start = proposal_of(old)
    if old.status == "approved":
        start = replace(start, supersedes=old.id)
        then = f"Once it is approved, {old.id} is archived; until then that holds."
    elif old.status == "pending":
        then = f"It waits for a review, and {old.id} is archived at once."
    else:
        then = "It waits for a review."
    return write_form(start, f"Another version of {old.id}. {then}")


def _name(loaded: "LoadedConfig", as_: str | None) -> str:
    """Say who proposes: without ``--as`` nobody has shown a secret."""
    if as_ is None:
        return loaded.config.actors.cli.id
    return ask_person(loaded, as_).name


def _propose(loaded: "LoadedConfig", proposal: Proposal, by: str) -> Guidance:
    return with_memory(loaded, lambda memory: memory.propose(proposal, by=by))


def _filled(
    file: Path | None, form: str, take: Callable[[str], Guidance]
) -> Guidance | None:
    if file is not None:
        return take(_read(file))
    if not is_interactive():
        raise typer.BadParameter(_NO_FORM)
    return fill_in(form, take)


def _read(file: Path) -> str:
    try:
        if file == _INPUT:
            content = sys.stdin.buffer.read(BYTES + 1)
        else:
            with file.expanduser().open("rb") as opened:
                content = opened.read(BYTES + 1)
        text = content.decode()
    except OSError as error:
        raise FormBroken(f"{file} cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise FormBroken("it is not UTF-8 text.") from None
    if len(content) > BYTES:
        raise FormBroken(f"it is larger than {BYTES // 1024} KiB.")
    return text


def _show(kept: Guidance | None, *, as_json: bool) -> None:
    if as_json:
        say_json(kept and guidance_as_json(kept))
    elif kept is None:
        say("Nothing was changed, so nothing was proposed.")
    else:
        say(f"{kept.id} waits for a review: abilities memory review")
        if kept.duplicate_of:
            say(f"It says nearly the same as {kept.duplicate_of}.")
