import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from hooks.world import ABSENT, AGENT, ability_of, plugin, running

from abilities_host import Category, RegistryView
from abilities_host.errors import (
    DuplicateName,
    InvalidArgument,
    InvalidSlug,
    LookupFailed,
    UnknownArgument,
)
from abilities_host.hooks.packs import local_pack
from abilities_host.registry import Registry


def category_of(**changed: Any) -> dict[str, Any]:
    arguments = {"label": "Math", "description": "Sums."} | changed
    return {key: value for key, value in arguments.items() if value is not ABSENT}


def test_a_cat_01_a_category_says_what_was_registered() -> None:
    category = Registry().register_category(
        "math", pack="demo/math", **category_of(meta={"color": "red"})
    )
    assert category == Category(
        slug="math",
        label="Math",
        description="Sums.",
        meta={"color": "red"},
        pack="demo/math",
    )


@pytest.mark.parametrize(
    ("slug", "fix"),
    [
        pytest.param("Math", "math", id="A-CAT-02-upper-case"),
        pytest.param("my_math", "my-math", id="A-CAT-02-underscore"),
        pytest.param("my.math", "my-math", id="A-CAT-02-dot"),
        pytest.param("my/math", "my-math", id="A-CAT-02-slash"),
        pytest.param("my math", "my-math", id="A-CAT-02-space"),
        pytest.param("-math", "math", id="A-CAT-02-leading-dash"),
        pytest.param("math-", "math", id="A-CAT-02-trailing-dash"),
        pytest.param("my--math", "my-math", id="A-CAT-02-double-dash"),
        pytest.param("", "", id="A-CAT-02-empty"),
        pytest.param("math\n", "math", id="line-break"),
        pytest.param(["math"], "math", id="list"),
        pytest.param({"a": 1}, "a-1", id="dict"),
    ],
)
def test_a_bad_slug_is_refused_with_the_fix(slug: Any, fix: str) -> None:
    registry = Registry()
    with pytest.raises(InvalidSlug) as refusal:
        registry.register_category(slug, **category_of())
    assert refusal.value.problem.endswith(f"Write {fix!r}." if fix else "dashes.")
    assert registry.list_categories() == ()


@pytest.mark.parametrize(
    "slug",
    [
        pytest.param("math", id="A-CAT-03-word"),
        pytest.param("2", id="A-CAT-03-digit"),
        pytest.param("math2go", id="A-CAT-03-digits-inside"),
        pytest.param("my-own-math", id="A-CAT-03-dashes"),
    ],
)
def test_a_good_slug_is_taken(slug: str) -> None:
    assert Registry().register_category(slug, **category_of()).slug == slug


@pytest.mark.parametrize("argument", ["label", "description"])
@pytest.mark.parametrize(
    ("value", "received"),
    [
        pytest.param(ABSENT, "nothing", id="A-CAT-04-missing"),
        pytest.param(None, "nothing", id="A-CAT-04-none"),
        pytest.param(5, "int", id="A-CAT-04-no-string"),
        pytest.param("", "str", id="A-CAT-04-empty"),
    ],
)
def test_label_and_description_are_non_empty_strings(
    argument: str, value: Any, received: str
) -> None:
    registry = Registry()
    with pytest.raises(InvalidArgument) as refusal:
        registry.register_category("math", **category_of(**{argument: value}))
    assert refusal.value.sentence == (
        f"'math': {argument} must be a non-empty string, but {received} came."
    )
    assert not registry.has_category("math")


def test_a_cat_05_the_first_category_of_a_slug_stays() -> None:
    registry = Registry()
    first = registry.register_category("math", pack="one/math", **category_of())
    with pytest.raises(DuplicateName) as refusal:
        registry.register_category("math", **category_of(label="Other"))
    assert refusal.value.code == "duplicate_category"
    assert registry.list_categories() == (first,)


def test_a_cat_06_unregistering_gives_the_record_or_an_error() -> None:
    registry = Registry()
    category = registry.register_category("math", **category_of())
    assert registry.unregister_category("math") is category
    with pytest.raises(LookupFailed) as refusal:
        registry.unregister_category("math")
    assert refusal.value.sentence == "There is no category 'math'."


def test_an_ability_outlives_its_category() -> None:
    registry = Registry()
    registry.register_category("math", **category_of())
    ability = registry.register_ability("math/add", **ability_of())
    registry.unregister_category("math")
    assert registry.list_abilities() == (ability,)


def test_a_cat_07_looking_for_a_category_finds_it_or_guesses_the_one_meant() -> None:
    registry = Registry()
    category = registry.register_category("math", **category_of())
    assert registry.get_category("math") is category
    assert registry.find_category("maths") is None
    assert [registry.has_category(slug) for slug in ("math", "maths")] == [True, False]
    with pytest.raises(LookupFailed) as refusal:
        registry.get_category("maths")
    assert refusal.value.sentence == (
        "There is no category 'maths'. Did you mean 'math'?"
    )


def test_a_cat_08_every_category_is_listed_in_the_order_of_registration() -> None:
    registry = Registry()
    slugs = ["math", "art", "zoo"]
    categories = [registry.register_category(slug, **category_of()) for slug in slugs]
    assert registry.list_categories() == tuple(categories)


def test_a_cat_09_special_characters_are_kept_as_they_are() -> None:
    text = "<b>“Söms” & more</b>\n\t'; DROP"
    category = Registry().register_category(
        "math", label=text, description=text, meta={"text": text}
    )
    assert (category.label, category.description, category.meta["text"]) == (text,) * 3


async def test_a_cat_10_no_filter_is_asked_about_categories(tmp_path: Path) -> None:
    asked: list[str] = []

    def register_categories(registry: RegistryView) -> None:
        registry.register_category("math", label="Mine", description="Sums.")

    def filter_ability_args(name: str) -> None:
        asked.append(name)

    hooks = plugin(
        register_categories=register_categories,
        filter_ability_args=filter_ability_args,
    )
    async with running(tmp_path, local_pack("math", hooks)) as host:
        label = host.registry.get_category("math").label
    assert (label, asked) == ("Mine", [])


@pytest.mark.parametrize("serialise", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_cat_11_a_category_refuses_to_be_serialised(serialise: Any) -> None:
    category = Registry().register_category("math", **category_of())
    with pytest.raises(TypeError, match="belongs to its registry"):
        serialise(category)


@pytest.mark.parametrize(
    ("meta", "kept"),
    [
        pytest.param({"a": {"b": 1}}, {"a": {"b": 1}}, id="A-CAT-12-valid"),
        pytest.param({}, {}, id="A-CAT-12-empty"),
        pytest.param(None, {}, id="A-CAT-12-none"),
        pytest.param(ABSENT, {}, id="A-CAT-12-absent"),
    ],
)
def test_meta_is_an_empty_mapping_unless_said(meta: Any, kept: dict[str, Any]) -> None:
    category = Registry().register_category("math", **category_of(meta=meta))
    assert category.meta == kept


@pytest.mark.parametrize(
    "meta",
    [
        pytest.param([1], id="A-CAT-12-list"),
        pytest.param("text", id="A-CAT-12-text"),
        pytest.param({"a": print}, id="no-json"),
    ],
)
def test_meta_that_is_no_mapping_of_json_is_refused(meta: Any) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Registry().register_category("math", **category_of(meta=meta))
    assert refusal.value.argument == "meta"


def test_a_cat_13_an_unknown_property_is_refused_and_the_one_meant_is_named() -> None:
    registry = Registry()
    with pytest.raises(UnknownArgument) as refusal:
        registry.register_category("math", **category_of(lable="x"))
    assert refusal.value.sentence == (
        "'math': there is no argument 'lable'. Did you mean 'label'?"
    )
    assert not registry.has_category("math")


async def test_a_cat_14_each_host_has_a_registry_of_its_own(tmp_path: Path) -> None:
    async with running(tmp_path / "a") as one, running(tmp_path / "b") as two:
        one.registry.register_category("math", **category_of())
        assert [h.registry.has_category("math") for h in (one, two)] == [True, False]


async def test_a_cat_15_a_category_may_be_registered_after_the_start(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as host:
        host.registry.register_category("math", **category_of())
        host.registry.register_ability("math/add", **ability_of())
        outcome = await host.execute("math/add", {"x": 1}, actor=AGENT)
    assert outcome.unwrap() == {"x": 1}


async def test_a_cat_16_categories_of_all_packs_are_there_before_any_ability(
    tmp_path: Path,
) -> None:
    seen: list[tuple[str, ...]] = []

    def late_categories(registry: RegistryView) -> None:
        registry.register_category("math", **category_of())

    def early_abilities(registry: RegistryView) -> None:
        ability = registry.register_ability("early/add", **ability_of())
        seen.append((repr(ability),))

    early = local_pack("early", plugin(register_abilities=early_abilities))
    late = local_pack("late", plugin(register_categories=late_categories))
    async with running(tmp_path, early, late):
        pass
    assert seen == [("Ability('early/add', write, pack='local/early')",)]


async def test_a_cat_17_a_started_host_has_what_its_packs_registered(
    tmp_path: Path,
) -> None:
    def register_categories(registry: RegistryView) -> None:
        registry.register_category("math", **category_of())

    pack = local_pack("math", plugin(register_categories=register_categories))
    async with running(tmp_path, pack) as host:
        assert host.registry.get_category("math").pack == "local/math"
