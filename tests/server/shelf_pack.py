"""A pack of resources and prompts, also used as a file in a folder of packs."""

import asyncio
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from abilities_host import AbilityFailed, Call, NeedsInput, RegistryView, hookimpl

PIXEL = b64encode(b"\x89PNG").decode()

NOTE = {
    "type": "object",
    "properties": {
        "number": {"type": "integer", "minimum": 1},
        "colour": {"type": "string", "enum": ["red", "Rose", "blue"]},
    },
    "required": ["number", "colour"],
    "additionalProperties": False,
}
TOPIC = {
    "type": "object",
    "properties": {
        "topic": {"type": "string", "title": "Topic", "description": "About what."},
        "words": {"type": "integer"},
        "tone": {"type": "string", "enum": ["kind", "keen", "dry"]},
    },
    "required": ["topic"],
}


async def note(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    return arguments


async def picture() -> Mapping[str, str]:
    return {"blob": PIXEL, "mimeType": "image/png"}


async def both() -> list[Mapping[str, str]]:
    return [{"text": "one"}, {"uri": "shelf://two", "blob": PIXEL}]


async def broken() -> Mapping[str, str]:
    return {"blob": "not base64!"}


async def failing() -> None:
    msg = "The shelf is empty."
    raise AbilityFailed(msg)


async def bursting() -> None:
    msg = "a secret"
    raise ValueError(msg)


async def asking(call: Call) -> str:
    if call.answer is None:
        msg = "Open it?"
        raise NeedsInput(msg)
    return f"opened: {call.answer.is_accepted}"


async def asking_resource(_arguments: Any, call: Call) -> str:
    return await asking(call)


async def essay(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    text = f"{arguments['topic']} in {arguments.get('words', 100)!r} words"
    reply = {"role": "assistant", "content": {"type": "text", "text": "Gladly."}}
    message = {"role": "user", "content": text}
    return {"description": "An essay.", "messages": [message, reply]}


async def wrong() -> Mapping[str, Any]:
    return {"role": "nobody", "content": "a secret"}


async def waiting() -> str:
    await asyncio.sleep(600)
    return ""


RESOURCES: tuple[tuple[str, Any, dict[str, Any], Any], ...] = (
    ("today", lambda: "Tea at four.", {"mimeType": "text/markdown", "size": 12}, None),
    ("count", lambda: {"books": 3}, {}, None),
    ("picture", picture, {}, None),
    ("both", both, {"mimeType": "text/plain"}, None),
    ("broken", broken, {}, None),
    ("failing", failing, {}, None),
    ("bursting", bursting, {}, None),
    ("asking", asking_resource, {}, None),
    ("waiting", waiting, {}, None),
    ("note", note, {"uri": "shelf://notes/{number}/{+colour}"}, NOTE),
)
PROMPTS: tuple[tuple[str, Any, Any], ...] = (
    ("essay", essay, TOPIC),
    ("hello", lambda: "Say hello.", None),
    ("list", lambda: ["One.", {"role": "assistant", "content": "Two."}], None),
    ("number", lambda: 7, None),
    ("wrong", wrong, None),
    ("ask", asking_resource, None),
)


@hookimpl
def register_categories(registry: RegistryView) -> None:
    registry.register_category("shelf", label="Shelf", description="For tests.")


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    for name, execute, mcp, schema in RESOURCES:
        said = {"type": "resource", "uri": f"shelf://{name}", **mcp}
        register(registry, name, execute, said, schema)
    for name, execute, schema in PROMPTS:
        register(registry, f"{name}-prompt", execute, {"type": "prompt"}, schema)
    register(registry, "tool", lambda: "a tool", {}, None)


def register(
    registry: RegistryView, name: str, execute: Any, mcp: dict[str, Any], schema: Any
) -> None:
    registry.register_ability(
        f"shelf/{name}",
        label=name.title(),
        description=f"The {name}.",
        category="shelf",
        execute_callback=execute,
        permission_callback=lambda: True,
        input_schema=schema,
        meta={"mcp": mcp, "annotations": {"readonly": True}},
    )
