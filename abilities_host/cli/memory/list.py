"""The command ``memory list``: what was proposed and decided, oldest first."""

from typing import TYPE_CHECKING, Annotated, Final, cast, get_args

import typer

from abilities_host.cli.ledger.values import moment, one_of
from abilities_host.cli.memory.opened import with_memory
from abilities_host.cli.memory.values import guidance_as_json
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import complain, say, say_json, show_table
from abilities_host.cli.running import load
from abilities_host.memory import Guidance, GuidancePage, Status
from abilities_host.memory.wording import kind_of

if TYPE_CHECKING:
    from abilities_host.memory import ProjectMemory

_HEADERS: Final = ("ID", "STATUS", "TYPE", "TOPIC", "TEXT", "BY", "WHEN")
_STATUSES: Final[tuple[str, ...]] = get_args(Status)
_SHOWN: Final = 100
_DAY: Final = 10  # characters of a moment in ISO 8601


def list_guidance(
    config: ConfigOption = None,
    *,
    status: Annotated[
        str | None, typer.Option(help="pending, approved, rejected or archived.")
    ] = None,
    topic: Annotated[str | None, typer.Option(help="Only of this topic.")] = None,
    after: Annotated[
        int, typer.Option(min=0, help="Go on behind the number that was told.")
    ] = 0,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List guidance of every status, oldest first."""
    wanted = cast("Status | None", one_of(status, _STATUSES))
    name = None if topic is None else topic.casefold()

    async def read(memory: "ProjectMemory") -> GuidancePage:
        return await memory.list(wanted, topic=name, after=after, limit=limit)

    page = with_memory(load(config), read)
    if as_json:
        entries = [guidance_as_json(each) for each in page.entries]
        say_json({"guidance": entries, "next": page.next})
    else:
        _show(page, is_filtered=(wanted, name, after) != (None, None, 0))


def shortened(text: str) -> str:
    """Give the start of a text on one line.

    Args:
        text: any.

    Returns:
        At most 100 characters of foreign text.
    """
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _show(page: GuidancePage, *, is_filtered: bool) -> None:
    if page.entries:
        show_table(_HEADERS, map(_row, page.entries))
    else:
        say("No guidance fits." if is_filtered else "Nothing was proposed yet.")
    if page.next is not None:
        complain("more", f"go on with --after {page.next}")


def _row(guidance: Guidance) -> tuple[str, ...]:
    return (
        guidance.id,
        guidance.status,
        kind_of(guidance),
        guidance.topic,
        shortened(guidance.text),
        guidance.reviewed_by or guidance.proposed_by,
        moment(guidance.reviewed_at or guidance.proposed_at)[:_DAY],
    )
