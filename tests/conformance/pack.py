"""A pack of what the conformance suite asks a server for, through the envelope.

The suite's names have underscores, which an ability's name cannot have: `naming` gives
each of these abilities the name that the suite knows.
"""

import asyncio
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final

from conformance.schemas import (
    CHOICES,
    CONTACT,
    DEFAULTS,
    KEYWORDS,
    NAME,
    OK,
    REGION,
    text_form,
)

from abilities_host import (
    AbilityFailed,
    Call,
    Declaration,
    NeedsInput,
    RegistryView,
    hookimpl,
)

PNG: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmM"
    "IQAAAABJRU5ErkJggg=="
)
WAV: Final = b64encode(
    b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"
    b"\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00"
).decode()
PAUSE: Final = 0.05


def embedded(uri: str, text: str, mime: str = "text/plain") -> dict[str, Any]:
    return {
        "type": "resource",
        "resource": {"uri": uri, "mimeType": mime, "text": text},
    }


def image() -> dict[str, Any]:
    return {"type": "image", "data": PNG, "mimeType": "image/png"}


def simple_text() -> str:
    return "This is a simple text response for testing."


def image_content() -> list[Any]:
    return [image()]


def audio_content() -> list[Any]:
    return [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]


def embedded_resource() -> list[Any]:
    text = "This is an embedded resource content."
    return [embedded("test://embedded-resource", text)]


def multiple_content_types() -> list[Any]:
    data = '{"test":"data","value":123}'
    mixed = embedded("test://mixed-content-resource", data, "application/json")
    return ["Multiple content types test:", image(), mixed]


def error_handling() -> None:
    msg = "This tool intentionally returns an error for testing"
    raise AbilityFailed(msg)


async def tool_with_progress(_arguments: Any, call: Call) -> str:
    for done in (0, 50, 100):
        await call.report_progress(done, 100)
        await asyncio.sleep(PAUSE)
    return "Done."


def echo(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    return arguments


def answered(call: Call, question: str, form: Mapping[str, Any], key: str) -> Any:
    """Give what a person filled in, having asked for it first."""
    if call.answer is None:
        raise NeedsInput(question, form=form, key=key)
    return call.answer.content


def elicitation(arguments: Mapping[str, Any], call: Call) -> str:
    said = answered(call, arguments["message"], CONTACT, "user")
    return f"User response: {said}"


def elicitation_defaults(_arguments: Any, call: Call) -> str:
    return f"Elicitation completed: {answered(call, 'Who?', DEFAULTS, 'user')}"


def elicitation_enums(_arguments: Any, call: Call) -> str:
    return f"Elicitation completed: {answered(call, 'Which?', CHOICES, 'choices')}"


def ask_name(_arguments: Any, call: Call) -> str:
    said = answered(call, "What is your name?", NAME, "user_name")
    return f"Hello, {said.get('name', 'nobody')}!"


def ask_ok(_arguments: Any, call: Call) -> str:
    return f"state-ok: {answered(call, 'Please confirm', OK, 'ok')}"


def ask_twice(_arguments: Any, call: Call) -> str:
    said = answered(call, "Step 1: What is your name?", NAME, "step1")
    if "color" not in said:
        question = "Step 2: What is your favorite color?"
        raise NeedsInput(question, form=text_form("color"), key="step2")
    return f"The favorite color is {said['color']}."


async def change(name: str, kind: str, call: Call) -> str:
    """Take a component away, or give it back: the listing changes either way."""
    registry = CHANGING[0]
    if name in [ability.name for ability in await call.list_abilities()]:
        registry.unregister_ability(name)
    else:
        add(registry, name, simple_text, mcp={"type": kind})
    return f"{name} has changed."


async def trigger_tool_change(_arguments: Any, call: Call) -> str:
    return await change("test/now-and-then", "tool", call)


async def trigger_prompt_change(_arguments: Any, call: Call) -> str:
    return await change("test/prompt-now-and-then", "prompt", call)


def elsewhere() -> None:
    """Stand for what `protocol` answers beside the host."""
    msg = "This fixture is answered outside of the host."
    raise AbilityFailed(msg)


def template(arguments: Mapping[str, Any]) -> str:
    return f'{{"id": "{arguments["id"]}", "templateTest": true}}'


def prompt_with_arguments(arguments: Mapping[str, Any]) -> str:
    first, second = arguments["arg1"], arguments["arg2"]
    return f"Prompt with arguments: arg1='{first}', arg2='{second}'"


def prompt_with_resource(arguments: Mapping[str, Any]) -> list[Any]:
    text = "Embedded resource content for testing."
    return [
        {"role": "user", "content": embedded(arguments["resourceUri"], text)},
        "Please process the embedded resource above.",
    ]


def prompt_with_image() -> list[Any]:
    return [{"role": "user", "content": image()}, "Please analyze the image above."]


def ask_context(_arguments: Any, call: Call) -> str:
    form = text_form("context")
    question = "What context should the prompt use?"
    return f"Context: {answered(call, question, form, 'user_context')}"


def words(*names: str) -> dict[str, Any]:
    """An object of required strings."""
    properties = {name: {"type": "string"} for name in names}
    return {"type": "object", "properties": properties, "required": list(names)}


BLOCKS: Final = {"content": True}
TOOLS: Final[Mapping[str, tuple[Any, Any, Any]]] = {
    "simple-text": (simple_text, None, {}),
    "image-content": (image_content, None, BLOCKS),
    "audio-content": (audio_content, None, BLOCKS),
    "embedded-resource": (embedded_resource, None, BLOCKS),
    "multiple-content-types": (multiple_content_types, None, BLOCKS),
    "error-handling": (error_handling, None, {}),
    "tool-with-progress": (tool_with_progress, None, {}),
    "x-mcp-header": (echo, REGION, {}),
    "elicitation": (elicitation, words("message"), {}),
    "elicitation-sep1034-defaults": (elicitation_defaults, None, {}),
    "elicitation-sep1330-enums": (elicitation_enums, None, {}),
    "streaming-elicitation": (ask_name, None, {}),
    "input-required-result-elicitation": (ask_name, None, {}),
    "input-required-result-request-state": (ask_ok, None, {}),
    "input-required-result-tampered-state": (ask_ok, None, {}),
    "input-required-result-multi-round": (ask_twice, None, {}),
    "trigger-tool-change": (trigger_tool_change, None, {}),
    "trigger-prompt-change": (trigger_prompt_change, None, {}),
    "sampling": (elsewhere, words("prompt"), {}),
    "tool-with-logging": (elsewhere, None, {}),
    "logging-tool": (elsewhere, None, {}),
    "missing-capability": (elsewhere, None, {}),
    "input-required-result-sampling": (elsewhere, None, {}),
    "input-required-result-list-roots": (elsewhere, None, {}),
    "input-required-result-multiple-inputs": (elsewhere, None, {}),
    "input-required-result-capabilities": (elsewhere, None, {}),
}
RESOURCES: Final[Mapping[str, tuple[Any, Any, Any]]] = {
    "static-text": (
        lambda: "This is the content of the static text resource.",
        None,
        {"uri": "test://static-text", "mimeType": "text/plain"},
    ),
    "static-binary": (
        lambda: {"blob": PNG},
        None,
        {"uri": "test://static-binary", "mimeType": "image/png"},
    ),
    "watched-resource": (
        lambda: "Watched.",
        None,
        {"uri": "test://watched-resource", "mimeType": "text/plain"},
    ),
    "template": (
        template,
        words("id"),
        {"uri": "test://template/{id}/data", "mimeType": "application/json"},
    ),
}
PROMPTS: Final[Mapping[str, tuple[Any, Any]]] = {
    "simple-prompt": (lambda: "This is a simple prompt for testing.", None),
    "prompt-with-arguments": (prompt_with_arguments, words("arg1", "arg2")),
    "prompt-with-embedded-resource": (prompt_with_resource, words("resourceUri")),
    "prompt-with-image": (prompt_with_image, None),
    "input-required-result-prompt": (ask_context, None),
}
CHANGING: Final[list[RegistryView]] = []
"""The registry, for the two tools that change what is listed."""


@hookimpl
def declare_pack() -> Declaration:
    return Declaration(namespaces=("test", "json"))


@hookimpl
def register_categories(registry: RegistryView) -> None:
    registry.register_category("test", label="Test", description="For the suite.")


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    CHANGING[:] = [registry]
    for name, (execute, schema, said) in TOOLS.items():
        add(registry, f"test/{name}", execute, schema, said)
    for name, (execute, schema, said) in RESOURCES.items():
        add(registry, f"test/{name}", execute, schema, {"type": "resource", **said})
    for name, (execute, schema) in PROMPTS.items():
        add(registry, f"test/{name}", execute, schema, {"type": "prompt"})
    add(registry, "json/schema-2020-12-tool", echo, KEYWORDS)


def add(
    registry: RegistryView,
    name: str,
    execute: Any,
    schema: Any = None,
    mcp: Any = None,
) -> None:
    """Register one fixture."""
    registry.register_ability(
        name,
        label=name,
        description=f"The fixture {name} of the conformance suite.",
        category="test",
        execute_callback=execute,
        permission_callback=lambda: True,
        input_schema=schema,
        meta={"annotations": {"readonly": True}, "mcp": mcp or {}},
    )
