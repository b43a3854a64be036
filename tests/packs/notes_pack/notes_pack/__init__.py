"""A pack of notes kept in memory; an environment variable breaks it on purpose."""

import os
import threading
from importlib import import_module
from typing import Any

from abilities_host import Declaration, RegistryView, hookimpl

BROKEN = os.environ.get("NOTES_PACK_BROKEN", "")

if BROKEN == "import error":
    import_module("a_module_that_is_not_there")


@hookimpl
def declare_pack() -> Declaration:
    needed = ("pluggy>=999",) if BROKEN == "wrong version" else ("pluggy>=1",)
    return Declaration(namespaces=("notes",), requires_packages=needed)


@hookimpl
def register_categories(registry: RegistryView) -> None:
    registry.register_category("notes", label="Notes", description="Short texts.")


@hookimpl
def register_abilities(registry: RegistryView) -> None:
    notes: list[str] = []

    def add(arguments: dict[str, str]) -> int:
        notes.append(arguments["text"])
        return len(notes)

    _register(registry, "notes/add", add, TEXT)
    _register(registry, "notes/list", lambda: list(notes), is_read=True)
    if BROKEN in EXTRA:
        _register(registry, *EXTRA[BROKEN])
    if BROKEN == "hook that hangs":
        threading.Event().wait()
    if BROKEN == "hook that raises":
        msg = "this pack is broken"
        raise RuntimeError(msg)


if BROKEN == "misspelt hook":

    @hookimpl
    def befor_write(write: Any) -> None:
        return


TEXT = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
}
EXTRA: dict[str, tuple[Any, ...]] = {
    "bad schema": ("notes/bad", list, {"type": "strnig"}),
    "duplicate name": ("notes/list", list),
    "foreign namespace": ("core/notes", list),
}


def _register(
    registry: RegistryView,
    name: str,
    execute: Any,
    schema: Any = None,
    *,
    is_read: bool = False,
) -> None:
    registry.register_ability(
        name,
        label=name,
        description="A note.",
        category="notes",
        execute_callback=execute,
        permission_callback=lambda: True,
        input_schema=schema,
        meta={"annotations": {"readonly": is_read}},
    )
