"""What the registry has beyond WordPress: domains, packs, listeners, views."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hooks.world import NotesPack, ability_of, keeping, running

from abilities_host import RegistryView
from abilities_host.errors import (
    DuplicateName,
    InvalidArgument,
    InvalidSchema,
    RegistrationError,
)
from abilities_host.hooks.packs import local_pack
from abilities_host.protected import ProtectedPaths
from abilities_host.registry import Registry
from abilities_host.schema.check import SchemaLimits
from abilities_host.view import Quarantined


class TextDomain:
    def __init__(self, name: str = "texts") -> None:
        self.name = name

    def canonical(self, target: str) -> str:
        return target

    async def capture(self, target: str) -> Any:
        return target

    async def restore(self, target: str, expected: Any, state: Any) -> None:
        return


class NoDomain:
    name = "texts"


def math_registry(**given: Any) -> Registry:
    registry = Registry(**given)
    registry.register_category("math", label="Math", description="Sums.")
    return registry


def test_a_domain_is_found_by_its_name_and_the_first_one_stays() -> None:
    registry = Registry()
    first = registry.register_domain(TextDomain(), pack="one/texts")
    with pytest.raises(DuplicateName) as refusal:
        registry.register_domain(TextDomain())
    with pytest.raises(LookupError, match="there is no domain 'text'"):
        registry.get_domain("text")
    assert registry.get_domain("texts") is first
    assert registry.list_domains() == (first,)
    assert refusal.value.owner == "one/texts"


@pytest.mark.parametrize("domain", [NoDomain(), object(), "texts", TextDomain(5)])  # type: ignore[arg-type]  # it must be refused
def test_what_is_no_domain_is_refused(domain: Any) -> None:
    registry = Registry()
    with pytest.raises(InvalidArgument) as refusal:
        registry.register_domain(domain)
    assert refusal.value.argument == "domain"
    assert registry.list_domains() == ()


def test_taking_a_pack_away_takes_all_of_it_and_nothing_else() -> None:
    registry = Registry()
    for pack in ("one", "two"):
        registry.register_category(pack, pack=pack, label=pack, description=pack)
        registry.register_domain(TextDomain(pack), pack=pack)
        registry.register_ability(f"{pack}/a", pack=pack, **ability_of(category=pack))
    registry.remove_pack("one")
    assert {
        "abilities": [ability.name for ability in registry.list_abilities()],
        "categories": [category.slug for category in registry.list_categories()],
        "domains": [domain.name for domain in registry.list_domains()],
    } == {"abilities": ["two/a"], "categories": ["two"], "domains": ["two"]}


def test_listeners_are_told_of_every_change_and_of_no_refusal() -> None:
    registry = Registry()
    seen: list[int] = []
    registry.on_change(lambda: seen.append(registry.version))
    registry.register_category("math", label="Math", description="Sums.")
    registry.register_ability("math/add", **ability_of())
    for wrong in ("math/add", "Math/Add"):
        with pytest.raises(RegistrationError):
            registry.register_ability(wrong, **ability_of())
    registry.unregister_ability("math/add")
    registry.unregister_category("math")
    assert seen == [1, 2, 3, 4]


def test_a_registry_counts_what_it_holds() -> None:
    registry = math_registry()
    registry.register_ability("math/add", **ability_of())
    assert repr(registry) == "Registry(1 abilities, 1 categories, 0 domains)"


def test_a_bad_schema_refuses_that_ability_alone() -> None:
    registry = math_registry()
    with pytest.raises(InvalidSchema) as refusal:
        registry.register_ability(
            "math/add",
            **ability_of(input_schema={"type": "object", "properties": {"a": 5}}),
        )
    registry.register_ability("math/sub", **ability_of())
    assert (refusal.value.argument, refusal.value.path) == (
        "input_schema",
        "/properties/a",
    )
    assert [ability.name for ability in registry.list_abilities()] == ["math/sub"]


def test_the_size_of_a_schema_has_a_limit() -> None:
    registry = math_registry(schema_limits=SchemaLimits(size=100))
    with pytest.raises(InvalidSchema):
        registry.register_ability(
            "math/add", **ability_of(input_schema={"description": "x" * 100})
        )


def test_without_an_input_schema_clients_are_shown_one_that_takes_nothing() -> None:
    ability = math_registry().register_ability(
        "math/add", **ability_of(input_schema=None)
    )
    assert ability.input_schema is None
    assert ability.shown_input_schema == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def view_of(registry: Registry) -> RegistryView:
    return RegistryView(
        registry,
        pack="demo/math",
        namespaces=("math",),
        settings={"depth": {"a": [1]}},
        folder=Path("/nowhere"),
        protected=ProtectedPaths([]),
    )


def test_while_a_pack_loads_a_refusal_is_kept_and_afterwards_it_is_raised() -> None:
    view = view_of(math_registry())
    kept = view.register_ability("math/add", **ability_of(label=""))
    assert isinstance(kept, Quarantined)
    assert not kept
    assert repr(kept) == f"Quarantined({kept.error})"
    assert view.quarantined == [kept]
    view.end_loading()
    with pytest.raises(InvalidArgument):
        view.register_ability("math/add", **ability_of(label=""))


def test_every_registration_of_a_view_bears_the_name_of_its_pack() -> None:
    registry = Registry()
    view = view_of(registry)
    view.register_category("math", label="Math", description="Sums.")
    view.register_domain(TextDomain())
    view.register_ability("math/add", **ability_of())
    assert registry.get_category("math").pack == "demo/math"
    assert registry.get_ability("math/add").pack == "demo/math"
    registry.remove_pack("demo/math")
    assert registry.list_domains() == ()


@pytest.mark.parametrize("arguments", [{"pack": "other/pack"}, {"lable": "x"}])
def test_a_view_refuses_an_argument_that_is_not_for_packs(
    arguments: dict[str, Any],
) -> None:
    view = view_of(Registry())
    given = {"label": "Math", "description": "Sums."} | arguments
    assert not view.register_category("math", **given)
    assert [kept.error.code for kept in view.quarantined] == ["unknown_argument"]


async def test_a_view_shows_the_pack_its_settings_folder_and_what_is_protected(
    tmp_path: Path,
) -> None:
    kept: list[RegistryView] = []
    config = '[packs.late]\ncolor = "red"\ntags = ["a"]'
    packs = [local_pack("late", keeping(kept)), local_pack("n", NotesPack())]
    async with running(tmp_path, *packs, config=config) as host:
        (view,) = kept
        file = host.loaded.path
        assert view.settings == {"color": "red", "tags": ["a"]}
        assert view.folder == tmp_path
        answers = await asyncio.to_thread(
            lambda: [
                view.protects(file),
                view.protects(tmp_path / "free"),
                view.overlap(tmp_path / "free"),
            ]
        )
        assert answers == [True, False, None]
    with pytest.raises(TypeError):
        view.settings["tags"].append("b")


def test_a_pack_without_a_filter_is_asked_about_nothing() -> None:
    registry = math_registry()
    asked: list[str] = []
    registry.set_args_filter(
        lambda pack, _name, _arguments: asked.append(pack),
        lambda pack: pack == "one",
    )
    registry.register_ability("math/add", pack="one", **ability_of())
    registry.register_ability("math/sub", pack="two", **ability_of())
    assert asked == ["one"]


def test_a_schema_is_kept_once_where_clients_are_shown_all_of_it() -> None:
    plain = {"type": "object", "properties": {"a": {"type": "string"}}}
    edited = {"type": "object", "properties": {"a": {"enum": ["", "b"]}}}
    ability = math_registry().register_ability(
        "math/add", **ability_of(input_schema=plain, output_schema=edited)
    )
    assert ability.shown_input_schema is ability.input_schema == plain
    assert ability.output_schema == edited
    assert ability.shown_output_schema == {
        "type": "object",
        "properties": {"a": {}},
    }


class Word(str):
    """Text of a type that JSON Schema validators do not know."""

    __slots__ = ()


def test_a_schema_with_text_of_a_type_of_its_own_is_kept_as_plain_text() -> None:
    ability = math_registry().register_ability(
        "math/add",
        **ability_of(input_schema={"type": Word("object"), "title": Word("Sum")}),
    )
    assert ability.input_schema == {"type": "object", "title": "Sum"}
    assert {type(value) for value in ability.input_schema.values()} == {str}
