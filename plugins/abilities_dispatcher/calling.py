"""Calling: another ability's run, through that ability's own gate."""

from collections.abc import Mapping
from typing import Any

from abilities_dispatcher.arguments import decode_arguments
from abilities_dispatcher.refusals import NotATool
from abilities_dispatcher.tools import INPUT, NAMESPACE, Tools, takes_object
from abilities_host import Call, Outcome, original_name


async def call_tool(arguments: Mapping[str, Any], call: Call) -> Outcome:
    """Run a tool as the same actor, with its own permission, policy and record.

    ``read-tool`` is this as well: the host runs no write inside what is marked as only
    reading.

    Args:
        arguments: `name`, an ability name or tool name; `arguments`, an object or its
            JSON text.
        call: the running call.

    Returns:
        The outcome of the tool's own run.

    Raises:
        CallError: for arguments that are no object, and for the dispatcher itself.
    """
    sent = arguments.get("arguments")
    given = decode_arguments(sent)
    name = await _resolve(arguments["name"], call)
    if name.startswith(f"{NAMESPACE}/"):
        raise NotATool(name)
    given = await _unwrap(name, given, call)
    repaired = ("/ decoded",) if isinstance(sent, str) else ()
    via = call.ability.name.partition("/")[2]
    return await call.execute(name, given, via=via, repaired=repaired)


async def _resolve(spelling: str, call: Call) -> str:
    """Only a shortened tool name needs the listing, which costs more than a call."""
    name = original_name(spelling)
    if name is not None:
        return name
    ability = Tools(await call.list_abilities()).find(spelling)
    return ability.name if ability else spelling


async def _unwrap(name: str, given: Mapping[str, Any] | None, call: Call) -> Any:
    if given is None or given.keys() != {INPUT}:
        return given or None
    ability = Tools(await call.list_abilities()).find(name)
    return given if ability is None or takes_object(ability) else given[INPUT]
