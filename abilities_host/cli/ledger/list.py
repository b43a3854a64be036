"""The command ``ledger list``: what was done, newest first."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from abilities_host.cli.ledger import values
from abilities_host.cli.ledger.opened import with_ledger
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import complain, say, say_json, show_table
from abilities_host.cli.running import load
from abilities_host.ledger import Query

if TYPE_CHECKING:
    from abilities_host.ledger import Listed, Page

_HEADERS: Final = ("ID", "WHEN", "ACTOR", "ABILITY", "TARGET", "DONE", "STATE")
_ACTIONS: Final = ("created", "updated", "deleted", "ran")
_RESULTS: Final = ("ok", "failed", "unknown", "unchanged", "changed")


def list_changes(
    config: ConfigOption = None,
    *,
    domain: Annotated[str | None, typer.Option(help="Of the target.")] = None,
    target: Annotated[
        str | None, typer.Option(help="One target; with --domain.")
    ] = None,
    action: Annotated[
        str | None, typer.Option(help="created, updated, deleted or ran.")
    ] = None,
    actor: Annotated[str | None, typer.Option(help="Who called.")] = None,
    session: Annotated[str | None, typer.Option(help="Of the call.")] = None,
    ability: Annotated[str | None, typer.Option(help="What ran.")] = None,
    result: Annotated[
        str | None, typer.Option(help="ok, failed, unknown, unchanged or changed.")
    ] = None,
    reversible: Annotated[
        bool | None,
        typer.Option("--reversible/--irreversible", help="Whether it can be put back."),
    ] = None,
    undone: Annotated[
        bool | None,
        typer.Option("--undone/--in-force", help="Whether it was put back."),
    ] = None,
    since: Annotated[str | None, typer.Option(help="From this time on.")] = None,
    until: Annotated[str | None, typer.Option(help="Up to this time.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many.")] = 50,
    before: Annotated[
        int | None, typer.Option(min=1, help="Only entries with a smaller number.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List what was done, newest first."""
    if target is not None and domain is None:
        raise typer.BadParameter("A --target is one of a --domain: name that too.")
    query = Query(
        domain=domain,
        target=target,
        action=values.one_of(action, _ACTIONS),
        actor=actor,
        session=session,
        ability=ability,
        result=values.one_of(result, _RESULTS),
        is_reversible=reversible,
        is_rolled_back=undone,
        start=values.read_moment(since),
        end=values.read_moment(until),
        before=before,
        limit=limit,
    )
    page = with_ledger(load(config), lambda ledger: ledger.list_changes(query))
    if as_json:
        changes = [values.as_json(each) for each in page.entries]
        say_json({"changes": changes, "next": page.next})
    else:
        _show(page, is_filtered=query != Query(limit=limit))


def _show(page: "Page", *, is_filtered: bool) -> None:
    if page.entries:
        show_table(_HEADERS, map(_row, page.entries))
    elif page.next is None:
        say(f"No change {'fits' if is_filtered else 'was recorded yet'}.")
    if page.next is not None:
        complain("more", f"go on with --before {page.next}")


def _row(listed: "Listed") -> tuple[str, ...]:
    entry = listed.entry
    result = values.result_of(listed)
    words = [] if result == "ok" else [result]
    return (
        str(entry.seq),
        values.moment(entry.at),
        entry.actor,
        entry.ability,
        values.target_of(entry),
        entry.action,
        ", ".join([*words, values.state_of(listed)]),
    )
