"""The command ``ledger rollback``: put a change or a session back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from abilities_host.calls import Outcome
from abilities_host.cli.call import Caller, NotConfirmed, outcome_as_json
from abilities_host.cli.exits import Exit, exit_of_outcome
from abilities_host.cli.ledger.opened import ledger_of
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import (
    complain,
    complain_at_length,
    is_interactive,
    printable,
    say,
    say_json,
)
from abilities_host.cli.question import ask_person
from abilities_host.cli.running import load, with_host
from abilities_host.cli.session import login_session
from abilities_host.errors import CallError
from abilities_host.ledger import Query

if TYPE_CHECKING:
    from abilities_host.calls import Actor
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host
    from abilities_host.ledger import Ledger

SHOWN: Final = 5  # names in a question
_UNDO: Final = "ledger:undo"
_FORCE: Final = "ledger:force"
_OTHERS: Final = "ledger:read-all"


class NoRight(CallError):
    """Raised when the command line lacks the scopes that an undo needs."""

    code = "ledger_scope_missing"

    def __init__(self, missing: list[str], loaded: "LoadedConfig") -> None:
        scopes = json.dumps([*loaded.config.actors.cli.scopes, *missing])
        super().__init__(
            f"This needs the scope {' and '.join(missing)}, which the command line "
            f"does not have. Under [actors.cli] in {loaded.path} write: "
            f"scopes = {scopes}"
        )


def roll_back(
    seq: Annotated[
        int | None, typer.Argument(metavar="ID", min=1, help="Number of the change.")
    ] = None,
    config: ConfigOption = None,
    *,
    session: Annotated[
        str | None, typer.Option(help="Undo all of a session, newest first.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Decide everything and change nothing.")
    ] = False,
    only_target: Annotated[
        bool, typer.Option("--only-target", help="Leave the rest of the same run.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Whatever is there now; it is recorded.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Put back what one change replaced, or a whole session."""
    if (seq is None) == (session is None):
        raise typer.BadParameter("Name one change by its ID, or one --session.")
    if seq is None and only_target:
        raise typer.BadParameter("--only-target is for one change, not for a session.")
    loaded = load(config)
    one = {"id": seq, "only_target": only_target}
    what = one if session is None else {"session": session}
    arguments = {**what, "dry_run": dry_run, "force": force}
    undo = _Undo(loaded, arguments, login_session(), is_confirmed=yes or dry_run)
    outcome = undo.run()
    _show(outcome, as_json=as_json)
    is_whole = not (outcome.result or {}).get("refused")
    raise typer.Exit(exit_of_outcome(outcome) if is_whole else Exit.REFUSED)


@dataclass(frozen=True, slots=True)
class _Undo:
    """An undo that a person wants.

    Attributes:
        loaded: the configuration.
        arguments: of the ability.
        session: that the undo belongs to.
        is_confirmed: the person need not be asked.
    """

    loaded: "LoadedConfig"
    arguments: dict[str, Any]
    session: str
    is_confirmed: bool

    def run(self) -> Outcome:
        try:
            return with_host(self.loaded, self._run)
        except CallError as error:
            return Outcome(status="refused", ability=self._name, call="", error=error)

    @property
    def _name(self) -> str:
        what = "change" if "id" in self.arguments else "session"
        return f"ledger/rollback-{what}"

    async def _run(self, host: "Host") -> Outcome:
        # Else the answer would only be that there is no such ability, or change.
        needed = await self._scopes(ledger_of(host), host.actor("cli"))
        missing = [scope for scope in needed if not host.actor("cli").may(scope)]
        if missing:
            raise NoRight(missing, self.loaded)
        if self.is_confirmed:
            return await self._call(host, self.arguments)
        if not is_interactive():
            raise NotConfirmed(self._name)
        tried = await self._call(host, {**self.arguments, "dry_run": True})
        if tried.error is not None or not _names(tried.result):
            return tried
        if not await ask_person(_question(tried.result, self.arguments)):
            raise NotConfirmed(self._name)
        return await self._call(host, self.arguments)

    async def _scopes(self, ledger: "Ledger", actor: "Actor") -> list[str]:
        """Say what is needed, whoever's changes they are, all at once."""
        if "id" in self.arguments:
            entry = await ledger.get_entry(self.arguments["id"])
            actors = {entry.actor} if entry else set()
        else:
            query = Query(session=self.arguments["session"], limit=500)
            page = await ledger.list_changes(query)
            actors = {each.entry.actor for each in page.entries}
        others = [_OTHERS] if actors - {actor.id} else []
        return [_UNDO, *others, *([_FORCE] if self.arguments["force"] else [])]

    async def _call(self, host: "Host", arguments: dict[str, Any]) -> Outcome:
        caller = Caller(self._name, arguments, self.session, is_confirmed=True)
        return await caller.run(host)


def _names(result: Mapping[str, Any]) -> list[str]:
    """Say what an undo put back, or would."""
    if "targets" in result:
        return list(result["targets"])
    return [f"entry {seq}" for seq in result["undone"]]


def _question(result: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    names = _names(result)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    whatever = ", whatever is there now" if arguments["force"] else ""
    return f"Put back {', '.join(names[:SHOWN])}{more}{whatever}?"


def _show(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        say_json(outcome_as_json(outcome))
    if outcome.error is not None:
        complain("error", outcome.error.message)
        _show_drift(outcome.error.details)
    elif not as_json:
        _show_result(outcome.result)


def _show_result(result: Mapping[str, Any]) -> None:
    word = "Would put back" if result["dry_run"] else "Put back"
    say(f"{word}: {printable(', '.join(_names(result))) or 'nothing'}")
    refused = result.get("refused")
    if refused:
        complain("refused", f"{refused['id']}: {refused['message']}")
        _show_drift(refused["details"])
    if result.get("left"):
        say(f"Left as they are: {printable(', '.join(map(str, result['left'])))}")


def _show_drift(details: Mapping[str, Any]) -> None:
    for target in details.get("targets", ()):
        if target.get("diff"):
            complain_at_length(f"{target['target']}\n{target['diff']}")
