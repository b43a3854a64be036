from pathlib import Path
from typing import Any

import pytest

from abilities_host import (
    Declaration,
    RegistrationError,
    RegistryView,
    exposed_name,
    hookimpl,
)
from abilities_host.errors import InvalidArgument, PackError, UnknownCategory
from abilities_host.hooks.packs import local_pack
from abilities_host.testing import check_pack, register_strictly

READS = {"readonly": True, "destructive": False, "idempotent": True}
SAVES = {"readonly": False, "destructive": False, "idempotent": True}
TEXT = {"type": "string"}
HEADER = {"type": "string", "x-mcp-header": "two words"}
BAD_HEADER = {"type": "object", "properties": {"text": HEADER}}


def declare(registry: RegistryView, name: str, **arguments: Any) -> None:
    given: dict[str, Any] = {
        "label": "A label",
        "description": "Does one thing and returns a text.",
        "category": "notes",
        "output_schema": TEXT,
        "execute_callback": lambda: "text",
        "permission_callback": lambda: True,
        "meta": {"annotations": READS},
    }
    registry.register_ability(name, **(given | arguments))


class Pack:
    """A pack whose subclasses say what it registers."""

    @hookimpl
    def register_categories(self, registry: RegistryView) -> None:
        registry.register_category("notes", label="Notes", description="Some notes.")


class Good(Pack):
    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        declare(registry, "notes/read")
        declare(registry, "notes/save", meta={"annotations": SAVES})


class Careless(Pack):
    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        declare(registry, "notes/" + "n" * 59)
        declare(registry, "notes/short", description="A label")
        declare(registry, "notes/long", description="word " * 250)
        declare(registry, "notes/unsaid", meta=None)
        declare(registry, "notes/harm", meta={"annotations": {"readonly": False}})
        declare(registry, "notes/mute", output_schema=None)
        declare(registry, "notes/bad", category="nots")
        declare(registry, "notes/head", input_schema=BAD_HEADER)


async def test_a_good_pack_has_no_problems(tmp_path: Path) -> None:
    assert await check_pack(("notes", Good()), tmp_path) == []
    assert await check_pack(local_pack("notes", Good()), tmp_path) == []


async def test_each_problem_names_the_ability_and_the_fix(tmp_path: Path) -> None:
    tool = exposed_name("notes/" + "n" * 59)
    *problems, old, new = await check_pack(("notes", Careless()), tmp_path)

    assert old.startswith("'notes/head': clients cannot list it: 2025-11-25: ")
    assert new.startswith("'notes/head': clients cannot list it: 2026-07-28: ")
    assert problems == [
        UnknownCategory("notes/bad", "nots", ["notes"], pack="local/notes").sentence,
        f"'notes/{'n' * 59}': clients see it as {tool!r}; use 64 characters at most",
        "'notes/short': describe what it does and returns; a model chooses it by that",
        "'notes/long': describe it in 1024 characters; some clients cut there",
        "'notes/unsaid': say meta.annotations.readonly; unmarked, it counts as a write",
        "'notes/harm': say meta.annotations.destructive; unmarked, clients always ask",
        "'notes/mute': add an output_schema; a read is worth what its result says",
    ]


async def test_a_pack_without_abilities_or_that_breaks_says_so(tmp_path: Path) -> None:
    class Broken(Pack):
        @hookimpl
        def register_abilities(self) -> None:
            raise ZeroDivisionError("one by none")

    assert await check_pack(("notes", Pack()), tmp_path) == [
        "the pack registers no ability; implement register_abilities"
    ]
    [problem] = await check_pack(("notes", Broken()), tmp_path)
    assert problem.startswith("the pack was set aside at register_abilities: it raised")


async def test_a_pack_gets_the_settings_of_the_configuration(tmp_path: Path) -> None:
    class Set(Pack):
        @hookimpl
        def register_abilities(self, registry: RegistryView) -> None:
            declare(registry, registry.settings["name"])

    config = '[packs.notes]\nname = "notes/set"\n'

    assert await check_pack(("notes", Set()), tmp_path, config=config) == []


async def test_strict_registration_gives_the_registry(tmp_path: Path) -> None:
    class Filters(Good):
        @hookimpl
        def filter_ability_args(
            self, name: str, arguments: dict[str, Any]
        ) -> dict[str, Any]:
            return arguments | {"label": name.upper()}

    registry = await register_strictly(("notes", Filters()), tmp_path)

    assert [ability.label for ability in registry.list_abilities()] == [
        "NOTES/READ",
        "NOTES/SAVE",
    ]


async def test_strict_registration_raises_the_first_refusal(tmp_path: Path) -> None:
    class NoText(Pack):
        @hookimpl
        def register_abilities(self, registry: RegistryView) -> None:
            declare(registry, "notes/mute", label="")

    class NoCategory(Pack):
        @hookimpl
        async def register_abilities(self, registry: RegistryView) -> None:
            declare(registry, "notes/lost", category="nots")

    with pytest.raises(InvalidArgument, match="label must be a non-empty string"):
        await register_strictly(("notes", NoText()), tmp_path)
    with pytest.raises(UnknownCategory, match="Did you mean 'notes'"):
        await register_strictly(local_pack("notes", NoCategory()), tmp_path)


async def test_strict_registration_keeps_to_the_claimed_namespaces(
    tmp_path: Path,
) -> None:
    class Elsewhere(Pack):
        @hookimpl
        def declare_pack(self) -> Declaration:
            return Declaration(namespaces=("mine",))

        @hookimpl
        def register_abilities(self, registry: RegistryView) -> None:
            declare(registry, "notes/read")

    with pytest.raises(RegistrationError) as refusal:
        await register_strictly(("notes", Elsewhere()), tmp_path)

    assert refusal.value.code == "foreign_namespace"


async def test_strict_registration_raises_what_breaks_the_pack(tmp_path: Path) -> None:
    class Broken(Pack):
        @hookimpl
        def register_abilities(self) -> None:
            raise ZeroDivisionError

    class Misspelt(Pack):
        @hookimpl
        def register_abilites(self, registry: RegistryView) -> None:
            declare(registry, "notes/read")

    with pytest.raises(PackError, match="it raised ZeroDivisionError"):
        await register_strictly(("notes", Broken()), tmp_path)
    with pytest.raises(PackError, match="Did you mean 'register_abilities'"):
        await register_strictly(("notes", Misspelt()), tmp_path)
