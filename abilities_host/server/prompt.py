"""Prompt: one ability that gives messages, and the messages it gave."""

from collections.abc import Mapping
from typing import Any

from abilities_host.ability import Ability
from abilities_host.calls import Outcome
from abilities_host.names import exposed_name
from abilities_host.results import text_mirror
from abilities_host.server.eras import Era
from abilities_host.server.resource import BadContent
from abilities_host.server.wire import find_fault


def prompt_of(ability: Ability) -> dict[str, Any]:
    """Write an ability as a prompt.

    Args:
        ability: a prompt.

    Returns:
        A finished dict of plain JSON values, with an argument for each property.
    """
    schema = ability.shown_input_schema
    required = schema.get("required", ())
    return {
        "name": exposed_name(ability.name),
        "title": ability.label,
        "description": ability.description,
        "arguments": [
            _argument(name, part, is_required=name in required)
            for name, part in schema.get("properties", {}).items()
        ],
        "_meta": {
            "abilities/name": ability.name,
            "abilities/category": ability.category,
        },
    }


def prompt_result(era: Era, ability: Ability, outcome: Outcome) -> dict[str, Any]:
    """Write what a prompt gave.

    Args:
        era: of the client.
        ability: the prompt.
        outcome: of a run that ended well: a text, a message, a list of both, or a
            mapping with `messages` and perhaps a `description`.

    Returns:
        A finished result.

    Raises:
        BadContent: when a message is none.
    """
    said = outcome.result
    is_whole = isinstance(said, Mapping) and "messages" in said
    messages = said["messages"] if is_whole else said
    messages = messages if isinstance(messages, list) else [messages]
    described = said.get("description") if is_whole else None
    result = {
        "description": described or ability.description,
        "messages": [_message(message, outcome) for message in messages],
        "resultType": "complete",
    }
    if fault := find_fault("prompts/get", era, result, 0):
        raise BadContent(fault)
    return result


def _argument(name: str, schema: Any, *, is_required: bool) -> dict[str, Any]:
    argument: dict[str, Any] = {"name": name}
    for key in ("title", "description"):
        text = schema.get(key) if isinstance(schema, Mapping) else None
        if isinstance(text, str):
            argument[key] = text
    return argument | ({"required": True} if is_required else {})


def _message(value: Any, outcome: Outcome) -> Any:
    if not isinstance(value, Mapping):
        text = value if isinstance(value, str) else text_mirror(value, outcome.wire)
        return {"role": "user", "content": _text(text)}
    content = value.get("content")
    return {**value, "content": _text(content)} if isinstance(content, str) else value


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
