from typing import Any

import pytest
from hooks.world import ability_of

from abilities_host import Ability
from abilities_host.registry import Registry


def world() -> Registry:
    """Five abilities that differ in namespace, category and meta."""
    registry = Registry()
    for slug in ("site", "user"):
        registry.register_category(slug, label=slug, description=slug)
    rows: list[tuple[str, str, dict[str, Any]]] = [
        ("core/info", "site", {"mcp": {"public": True, "type": "tool"}}),
        ("core/user", "user", {"mcp": {"public": True}, "n": 1}),
        ("core-x/info", "site", {"n": True, "annotations": {"readonly": True}}),
        ("site/core", "site", {"n": 1.0, "tags": ["a", {"b": 1}]}),
        ("user/core", "user", {"n": "1", "tags": ["a"]}),
    ]
    for name, category, meta in rows:
        registry.register_ability(name, **ability_of(category=category, meta=meta))
    return registry


@pytest.mark.parametrize(
    ("conditions", "names"),
    [
        pytest.param(
            {"category": "user"}, ["core/user", "user/core"], id="A-Q-01-category"
        ),
        pytest.param({"category": "use"}, [], id="A-Q-01-no-prefix"),
        pytest.param(
            {"namespace": "core"}, ["core/info", "core/user"], id="A-Q-02-namespace"
        ),
        pytest.param(
            {"namespace": "core/"}, ["core/info", "core/user"], id="A-Q-02-slash"
        ),
        pytest.param({"namespace": "core-x"}, ["core-x/info"], id="A-Q-02-no-bleed"),
        pytest.param({"namespace": ""}, [], id="A-Q-02-empty"),
        pytest.param(
            {"meta": {"mcp": {"public": True}}},
            ["core/info", "core/user"],
            id="A-Q-03-nested",
        ),
        pytest.param(
            {"meta": {"mcp": {"public": True, "type": "tool"}}},
            ["core/info"],
            id="A-Q-03-and",
        ),
        pytest.param({"meta": {"missing": None}}, [], id="A-Q-03-missing-key"),
        pytest.param({"meta": {"mcp": {"type": None}}}, [], id="A-Q-03-nested-missing"),
        pytest.param({"meta": {"n": 1}}, ["core/user"], id="A-Q-03-int"),
        pytest.param({"meta": {"n": True}}, ["core-x/info"], id="A-Q-03-bool"),
        pytest.param({"meta": {"n": 1.0}}, ["site/core"], id="A-Q-03-float"),
        pytest.param({"meta": {"n": "1"}}, ["user/core"], id="A-Q-03-string"),
        pytest.param(
            {"meta": {"tags": ["a", {"b": 1}]}}, ["site/core"], id="A-Q-03-list"
        ),
        pytest.param({"meta": {"tags": ["a"]}}, ["user/core"], id="A-Q-03-length"),
        pytest.param({"meta": {"tags": "a"}}, [], id="A-Q-03-list-is-no-text"),
        pytest.param(
            {"meta": {"annotations": {"readonly": True}}},
            ["core-x/info"],
            id="A-Q-03-annotation",
        ),
        pytest.param(
            {"include": lambda ability: ability.name.endswith("info")},
            ["core/info", "core-x/info"],
            id="A-Q-04-include",
        ),
        pytest.param(
            {
                "namespace": "core",
                "category": "user",
                "meta": {"n": 1},
                "search": "USER",
                "include": lambda _: True,
            },
            ["core/user"],
            id="A-Q-04-all-at-once",
        ),
        pytest.param({"search": "  "}, None, id="blank-search"),
        pytest.param({"search": "core INFO"}, ["core/info", "core-x/info"], id="words"),
        pytest.param({"search": "nowhere"}, [], id="no-word"),
    ],
)
def test_every_condition_must_hold(
    conditions: dict[str, Any], names: list[str] | None
) -> None:
    registry = world()
    every = [ability.name for ability in registry.list_abilities()]
    found = [ability.name for ability in registry.query(**conditions)]
    assert found == (every if names is None else names)


def test_a_q_05_the_result_is_a_tuple_to_be_worked_on_by_the_caller() -> None:
    found = world().query(category="user")
    by_label = sorted(found, key=lambda ability: ability.name, reverse=True)
    assert [type(found), [ability.name for ability in by_label]] == [
        tuple,
        ["user/core", "core/user"],
    ]


def test_a_q_06_without_conditions_everything_is_given_in_order() -> None:
    registry = world()
    asked: list[str] = []

    def include(ability: Ability) -> bool:
        asked.append(ability.name)
        return True

    assert registry.query(include=include) == registry.list_abilities()
    assert registry.query() == registry.list_abilities()
    assert asked == [ability.name for ability in registry.list_abilities()]
