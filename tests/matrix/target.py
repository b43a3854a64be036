"""A pack in a file: what the matrix asks for, switched by files beside it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from abilities_host import DefaultStep, Module, RegistryView, hookimpl, run_in_thread

HERE = Path(__file__).parent
ANSWER = "done"
WORDS = ("read", "page", "note", "letter")
KINDS: Mapping[str, Mapping[str, Any]] = {
    "read": {},
    "page": {"type": "resource", "uri": "target://page"},
    "note": {"type": "resource", "uri": "target://notes/{number}"},
    "letter": {"type": "prompt"},
}
FIELD = {"type": "string", "enum": ["one", "two"], "x-mcp-header": "Field"}


def is_flagged(word: str) -> bool:
    """Answer whether a test has laid a file beside this one."""
    return (HERE / word).exists()


async def may_run() -> bool:
    return not await run_in_thread(lambda: is_flagged("denied"))


def answer(arguments: Any) -> str:
    return ANSWER


def schema_of(word: str) -> Mapping[str, Any]:
    field = "tone" if word == "letter" else "number"
    return {"type": "object", "properties": {field: dict(FIELD)}}


@hookimpl
def register_categories(registry: RegistryView) -> None:
    registry.register_category("target", label="Target", description="Asked for.")


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    for word in () if is_flagged("gone") else WORDS:
        registry.register_ability(
            f"target/{word}",
            label="Target",
            description="Another description." if is_flagged("changed") else "Target.",
            category="target",
            input_schema=schema_of(word),
            execute_callback=answer,
            permission_callback=may_run,
            requires="target:use",
            meta={"mcp": KINDS[word], "annotations": {"readonly": True}},
        )


@hookimpl
def modules() -> Sequence[Module]:
    return [Module("all", "All", "All.", default_active=True, abilities=("target/*",))]


@hookimpl
def default_steps() -> Sequence[DefaultStep]:
    off = tuple(f"target/{word}" for word in WORDS)
    return [DefaultStep(1, off)] if is_flagged("stepped") else []
