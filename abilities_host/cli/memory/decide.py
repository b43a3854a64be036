"""The commands ``memory approve``, ``reject`` and ``archive``: one decision each."""

from typing import TYPE_CHECKING, Annotated

import typer

from abilities_host.cli.exits import Exit
from abilities_host.cli.memory.opened import IdArgument, with_memory
from abilities_host.cli.memory.painting import Line
from abilities_host.cli.memory.person import ask_person, check_can_decide
from abilities_host.cli.memory.show import KIND
from abilities_host.cli.memory.telling import quoted, show_lines, told
from abilities_host.cli.memory.values import guidance_as_json
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import complain, say, say_json
from abilities_host.cli.proof import AsOption
from abilities_host.cli.running import load
from abilities_host.errors import AbilitiesError, CallError
from abilities_host.gate import StaleHash
from abilities_host.memory import Guidance, ProjectMemory, Review
from abilities_host.memory.wording import kind_of

if TYPE_CHECKING:
    from abilities_host.accounts import Unlocked
    from abilities_host.config import LoadedConfig

IdsArgument = Annotated[
    list[str], typer.Argument(metavar="ID...", help="One or more, such as 'gm-001'.")
]
HashOption = Annotated[
    str | None,
    typer.Option(
        "--hash", metavar="HASH", help="What you looked at; anything else is refused."
    ),
]


class NotPending(CallError):
    """Raised before a person is asked, when there is nothing to decide any more."""

    code = "invalid_transition"

    def __init__(self, guidance: Guidance, wish: str) -> None:
        super().__init__(
            f"{guidance.id} is {guidance.status}, so it cannot be {wish}. "
            f"'abilities memory show {guidance.id}' says who decided."
        )


def approve_guidance(
    id_: IdArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    hash_: HashOption = None,
    as_json: JsonOption = False,
) -> None:
    """Approve guidance, so that agents are told it and held to it."""
    loaded = load(config)
    review = with_memory(loaded, lambda memory: memory.review(id_))
    if review.guidance.status != "pending":
        raise NotPending(review.guidance, "approved")
    human = _shown_to(loaded, as_, review, hash_, as_json=as_json)
    kept = with_memory(loaded, lambda memory: memory.approve(id_, review.hash, human))
    if as_json:
        say_json(guidance_as_json(kept))
    else:
        say(f"{kept.id} is approved.")


def reject_guidance(
    ids: IdsArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Say no to what is pending; it is kept, and has no effect."""
    loaded = load(config)
    wanted = list(dict.fromkeys(ids))
    found = with_memory(loaded, lambda memory: _all_of(memory, wanted))
    for guidance in found:
        if guidance.status != "pending":
            raise NotPending(guidance, "rejected")
    check_can_decide(loaded, as_)
    for guidance in found:
        head = Line(f"{guidance.id}  {kind_of(guidance)}", "bold")
        show_lines([head, *quoted(guidance.text)], to_errors=True)
    name = ask_person(loaded, as_).name
    done, problems = with_memory(
        loaded, lambda memory: _reject_all(memory, wanted, name)
    )
    if as_json:
        say_json({"rejected": [guidance_as_json(each) for each in done]})
    else:
        for each in done:
            say(f"{each.id} is rejected.")
    for problem in problems:
        complain("error", problem)
    raise typer.Exit(Exit.REFUSED if problems else Exit.OK)


def archive_guidance(
    id_: IdArgument,
    config: ConfigOption = None,
    as_: AsOption = None,
    *,
    hash_: HashOption = None,
    as_json: JsonOption = False,
) -> None:
    """Set pending guidance aside, or withdraw what is approved."""
    loaded = load(config)
    review = with_memory(loaded, lambda memory: memory.review(id_))
    if review.guidance.status not in {"pending", "approved"}:
        raise NotPending(review.guidance, "archived")
    human = _shown_to(loaded, as_, review, hash_, as_json=as_json)

    async def archive(memory: ProjectMemory) -> Guidance:
        if review.guidance.status == "approved":
            return await memory.withdraw(id_, review.hash, human)
        return await memory.archive(id_, by=human.name)

    kept = with_memory(loaded, archive)
    if as_json:
        say_json(guidance_as_json(kept))
        return
    is_withdrawn = review.guidance.status == "approved"
    end = ", and has no effect any more" if is_withdrawn else ""
    say(f"{kept.id} is archived{end}.")


def _shown_to(
    loaded: "LoadedConfig",
    as_: str | None,
    review: Review,
    hash_: str | None,
    *,
    as_json: bool,
) -> "Unlocked":
    """Show what is decided on, and have the person show the secret."""
    if hash_ is not None and hash_.strip().lower() != review.hash:
        raise StaleHash(KIND, review.guidance.id)
    check_can_decide(loaded, as_)
    show_lines([*told(review), Line("")], to_errors=as_json)
    return ask_person(loaded, as_)


async def _all_of(memory: ProjectMemory, ids: list[str]) -> list[Guidance]:
    return [await memory.get(id_) for id_ in ids]


async def _reject_all(
    memory: ProjectMemory, ids: list[str], name: str
) -> tuple[list[Guidance], list[str]]:
    done, problems = [], []
    for id_ in ids:
        try:
            done.append(await memory.reject(id_, by=name))
        except AbilitiesError as error:  # the others are decided all the same
            problems.append(error.sentence)
    return done, problems
