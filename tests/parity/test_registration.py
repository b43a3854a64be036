from collections.abc import Callable
from typing import Any

import pytest
from hooks.world import ABSENT, ability_of

from abilities_host.ability import Ability, Annotations, Changes
from abilities_host.component import Component
from abilities_host.errors import (
    DuplicateName,
    ForbiddenFilter,
    InvalidArgument,
    InvalidName,
    LookupFailed,
    RegistrationError,
    UnknownArgument,
    UnknownCategory,
)
from abilities_host.registry import Registry


def math_registry() -> Registry:
    registry = Registry()
    registry.register_category("math", label="Math", description="Sums.")
    return registry


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        pytest.param("add", "", id="A-REG-01-no-namespace"),
        pytest.param("math_/add_up", "Write 'math-/add-up'.", id="A-REG-02-underscore"),
        pytest.param("Math/Add", "Write 'math/add'.", id="A-REG-03-upper-case"),
        pytest.param("a/b/c", "Write 'a/b-c'.", id="two-slashes"),
        pytest.param("math/ add", "Write 'math/add'.", id="blank"),
        pytest.param("math/add.up", "Write 'math/add-up'.", id="dot"),
        pytest.param("/add", "", id="empty-namespace"),
        pytest.param("math/", "", id="empty-name"),
        pytest.param("math/add\n", "Write 'math/add'.", id="line-break"),
        pytest.param(7, "", id="no-string"),
        pytest.param(None, "", id="none"),
        pytest.param(["math/add"], "Write 'math/add'.", id="list"),
    ],
)
def test_a_name_that_is_not_namespace_slash_name_is_refused_with_the_fix(
    name: Any, fix: str
) -> None:
    registry = math_registry()
    with pytest.raises(InvalidName) as refusal:
        registry.register_ability(name, **ability_of())
    assert refusal.value.sentence.endswith(fix or "exactly one slash.")
    assert refusal.value.code == "ability_invalid_name"
    assert registry.list_abilities() == ()


@pytest.mark.parametrize("name", ["-/-", "a--b/-c-", "0/1", f"{'n' * 300}/{'m' * 300}"])
def test_names_of_dashes_digits_and_any_length_are_legal(name: str) -> None:
    assert math_registry().register_ability(name, **ability_of()).name == name


@pytest.mark.parametrize(
    ("changed", "argument", "received"),
    [
        pytest.param({"label": ABSENT}, "label", "nothing", id="A-REG-04-no-label"),
        pytest.param({"label": 5}, "label", "int", id="A-REG-05-label-no-string"),
        pytest.param({"label": ""}, "label", "str", id="A-REG-05-label-empty"),
        pytest.param(
            {"description": ABSENT},
            "description",
            "nothing",
            id="A-REG-06-no-description",
        ),
        pytest.param(
            {"description": b"x"}, "description", "bytes", id="A-REG-07-no-string"
        ),
        pytest.param({"category": ABSENT}, "category", "nothing", id="no-category"),
        pytest.param({"category": 1}, "category", "int", id="category-no-string"),
        pytest.param(
            {"execute_callback": ABSENT},
            "execute_callback",
            "nothing",
            id="A-REG-09-no-execute-callback",
        ),
        pytest.param(
            {"execute_callback": "print"},
            "execute_callback",
            "str",
            id="A-REG-10-execute-not-callable",
        ),
        pytest.param(
            {"permission_callback": ABSENT},
            "permission_callback",
            "nothing",
            id="A-REG-11-no-permission-callback",
        ),
        pytest.param(
            {"permission_callback": True},
            "permission_callback",
            "bool",
            id="A-REG-12-permission-not-callable",
        ),
        pytest.param({"input_schema": []}, "input_schema", "list", id="A-REG-13-input"),
        pytest.param(
            {"output_schema": "x"}, "output_schema", "str", id="A-REG-14-output"
        ),
        pytest.param({"meta": [1]}, "meta", "list", id="A-REG-15-meta-no-map"),
        pytest.param(
            {"meta": {"annotations": 5}},
            "meta.annotations",
            "int",
            id="A-REG-16-annotations-no-map",
        ),
        pytest.param(
            {"meta": {"show_in_rest": 1}},
            "meta.show_in_rest",
            "int",
            id="A-REG-17-show-in-rest-no-bool",
        ),
        pytest.param(
            {"meta": {"annotations": {"readonly": "yes"}}},
            "meta.annotations.readonly",
            "str",
            id="annotation-no-bool",
        ),
        pytest.param({"meta": {"f": print}}, "meta", "dict", id="meta-no-json"),
        pytest.param({"requires": ""}, "requires", "str", id="empty-scope"),
        pytest.param({"requires": "notes write"}, "requires", "str", id="bad-scope"),
        pytest.param({"requires": "notes:*"}, "requires", "str", id="scope-star"),
        pytest.param({"changes": "notes"}, "changes", "str", id="changes-no-record"),
        pytest.param({"verify_callback": 1}, "verify_callback", "int", id="verify"),
        pytest.param({"time_limit": 0}, "time_limit", "int", id="no-time"),
        pytest.param({"time_limit": True}, "time_limit", "bool", id="time-bool"),
        pytest.param({"time_limit": float("inf")}, "time_limit", "float", id="endless"),
        pytest.param({"time_limit": float("nan")}, "time_limit", "float", id="nan"),
        pytest.param(
            {"renamed_from": "a/b"}, "renamed_from", "str", id="renamed-string"
        ),
        pytest.param(
            {"renamed_from": None}, "renamed_from", "nothing", id="renamed-none"
        ),
        pytest.param(
            {"execute_callback": lambda _a, _b, _c: None},
            "execute_callback",
            "function",
            id="callback-of-three",
        ),
        pytest.param(
            {"permission_callback": lambda *, _who: True},
            "permission_callback",
            "function",
            id="callback-of-another-name",
        ),
    ],
)
def test_a_missing_or_wrong_argument_is_refused_and_named(
    changed: dict[str, Any], argument: str, received: str
) -> None:
    registry = math_registry()
    with pytest.raises(InvalidArgument) as refusal:
        registry.register_ability("math/add", pack="demo/math", **ability_of(**changed))
    error = refusal.value
    assert (error.argument, error.received) == (argument, received)
    assert error.sentence == (
        f"'math/add' (pack 'demo/math'): {argument} must be {error.expected}, "
        f"but {received} came."
    )
    assert not registry.has_ability("math/add")


def test_a_reg_08_an_unknown_category_is_refused_with_a_guess() -> None:
    with pytest.raises(UnknownCategory) as refusal:
        math_registry().register_ability("math/add", **ability_of(category="maths"))
    assert refusal.value.sentence == (
        "'math/add': category 'maths' is not registered. Did you mean 'math'? "
        "Register it in register_categories, which runs first."
    )


def test_a_reg_18_the_first_registration_of_a_name_stays() -> None:
    registry = math_registry()
    first = registry.register_ability("math/add", pack="one/math", **ability_of())
    with pytest.raises(DuplicateName) as refusal:
        registry.register_ability("math/add", pack="two/math", **ability_of())
    assert refusal.value.sentence == (
        "'math/add' (pack 'two/math'): this ability is already registered by pack "
        "'one/math'; the first one stays."
    )
    assert registry.get_ability("math/add") is first


def test_a_reg_19_the_record_echoes_what_was_registered() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "number"}}}
    ability = math_registry().register_ability(
        "math/add",
        pack="demo/math",
        **ability_of(
            label="Add <b>",
            input_schema=schema,
            output_schema={"type": "number"},
            meta={"annotations": {"readonly": True}, "color": ["red"]},
            requires="math:read",
            time_limit=2.5,
            renamed_from=["math/plus"],
        ),
    )
    shown = {name: getattr(ability, name) for name in ability.__dataclass_fields__}
    assert shown == {
        "name": "math/add",
        "label": "Add <b>",
        "description": "A description.",
        "category": "math",
        "input_schema": schema,
        "output_schema": {"type": "number"},
        "shown_input_schema": schema,
        "shown_output_schema": {"type": "number"},
        "requires": "math:read",
        "changes": None,
        "annotations": Annotations(readonly=True),
        "meta": {
            "annotations": {"readonly": True, "destructive": None, "idempotent": None},
            "color": ["red"],
            "show_in_rest": False,
        },
        "time_limit": 2.5,
        "renamed_from": ("math/plus",),
        "pack": "demo/math",
        "is_route": False,
        "component": Component(),
    }
    assert repr(ability) == "Ability('math/add', read, pack='demo/math')"


@pytest.mark.parametrize(
    ("name", "is_there"),
    [
        pytest.param("math/subtract", False, id="A-REG-20-unknown"),
        pytest.param("math/add", True, id="A-REG-21-known"),
    ],
)
def test_whether_a_name_is_registered_is_answered_quietly(
    name: str, *, is_there: bool
) -> None:
    registry = math_registry()
    registry.register_ability("math/add", **ability_of())
    assert registry.has_ability(name) is is_there
    assert (registry.find_ability(name) is not None) is is_there


def test_a_reg_22_getting_an_unknown_ability_guesses_the_one_meant() -> None:
    registry = math_registry()
    registry.register_ability("math/add", **ability_of())
    with pytest.raises(LookupFailed) as refusal:
        registry.get_ability("math/ad")
    assert refusal.value.sentence == (
        "There is no ability 'math/ad'. Did you mean 'math/add'?"
    )


def test_a_reg_23_a_known_ability_is_always_the_same_object() -> None:
    registry = math_registry()
    ability = registry.register_ability("math/add", **ability_of())
    assert registry.get_ability("math/add") is ability
    assert registry.find_ability("math/add") is ability


def test_a_reg_24_unregistering_an_unknown_ability_is_an_error() -> None:
    with pytest.raises(LookupFailed):
        math_registry().unregister_ability("math/add")


def test_a_reg_25_unregistering_gives_the_record_and_frees_the_name() -> None:
    registry = math_registry()
    first = registry.register_ability("math/add", **ability_of())
    assert registry.unregister_ability("math/add") is first
    assert not registry.has_ability("math/add")
    second = registry.register_ability("math/add", **ability_of())
    assert registry.get_ability("math/add") is second


def test_a_reg_26_everything_is_listed_in_the_order_of_registration() -> None:
    registry = math_registry()
    names = ["math/sub", "math/add", "art/draw"]
    abilities = [registry.register_ability(name, **ability_of()) for name in names]
    assert registry.list_abilities() == tuple(abilities)
    assert [ability.name for ability in registry.list_abilities()] == names


def filtering(change: Callable[[str, dict[str, Any]], Any]) -> Registry:
    registry = math_registry()
    registry.set_args_filter(lambda _pack, name, arguments: change(name, arguments))
    return registry


def test_a_reg_27_a_filter_changes_label_description_schemas_and_other_meta() -> None:
    changed = {
        "label": "Other",
        "description": "Other.",
        "input_schema": {"type": "object", "properties": {"b": {"type": "string"}}},
        "output_schema": {"type": "string"},
        "meta": {"color": "red"},
    }
    registry = filtering(lambda _name, _arguments: changed)
    ability = registry.register_ability("math/add", **ability_of())
    assert {key: getattr(ability, key) for key in changed} == changed | {
        "meta": {
            "annotations": {"readonly": None, "destructive": None, "idempotent": None},
            "color": "red",
            "show_in_rest": False,
        }
    }


def test_a_filter_may_change_the_arguments_it_was_given_in_place() -> None:
    def change(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        arguments["label"] = "Other"
        arguments["meta"]["color"] = "red"
        return arguments

    given = ability_of(meta={"annotations": {"readonly": True}})
    ability = filtering(change).register_ability("math/add", **given)
    assert (ability.label, ability.meta["color"]) == ("Other", "red")
    assert given["meta"] == {"annotations": {"readonly": True}}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        pytest.param(
            {"label": ""},
            "label must be a non-empty string, but str came.",
            id="A-REG-28-empty-label",
        ),
        pytest.param(
            {"label": None},
            "label must be a non-empty string, but nothing came.",
            id="A-REG-28-no-label",
        ),
        pytest.param(
            {"ability_class": int},
            "there is no argument 'ability_class'. There are: label, description, "
            "category, execute_callback, permission_callback, input_schema, "
            "output_schema, meta, requires, changes, verify_callback, time_limit, "
            "renamed_from, is_route.",
            id="A-REG-29-ability-class",
        ),
        pytest.param(
            {"lable": "x"},
            "there is no argument 'lable'. Did you mean 'label'?",
            id="misspelt",
        ),
        pytest.param(
            [("label", "x")],
            "filter_ability_args must be a hook that returns a mapping or None, but "
            "list came.",
            id="no-mapping",
        ),
    ],
)
def test_a_filter_that_breaks_an_argument_blocks_the_registration(
    answer: Any, problem: str
) -> None:
    registry = filtering(lambda _name, _arguments: answer)
    with pytest.raises(RegistrationError) as refusal:
        registry.register_ability("math/add", **ability_of())
    assert refusal.value.problem == problem
    assert registry.list_abilities() == ()


def test_a_filter_that_raises_blocks_that_ability_alone() -> None:
    def change(name: str, arguments: dict[str, Any]) -> None:
        if name == "math/add":
            raise ZeroDivisionError

    registry = filtering(change)
    with pytest.raises(InvalidArgument) as refusal:
        registry.register_ability("math/add", **ability_of())
    registry.register_ability("math/sub", **ability_of())
    assert refusal.value.problem == (
        "filter_ability_args must be a hook that does not raise, but "
        "ZeroDivisionError came."
    )


def test_a_reg_30_a_filter_sees_the_name_and_may_leave_the_others_alone() -> None:
    def change(name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        return {"label": "Sum"} if name == "math/add" else None

    registry = filtering(change)
    for name in ("math/add", "math/sub"):
        registry.register_ability(name, **ability_of())
    labels = {ability.name: ability.label for ability in registry.list_abilities()}
    assert labels == {"math/add": "Sum", "math/sub": "A label"}


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("execute_callback", lambda _arguments: "stolen"),
        ("permission_callback", lambda: True),
        ("verify_callback", lambda: True),
        ("requires", "read"),
        ("changes", None),
        ("category", "art"),
        ("time_limit", 1),
        ("renamed_from", ("math/old",)),
        ("is_route", True),
    ],
)
def test_a_filter_may_not_change_what_only_the_author_decides(
    argument: str, value: Any
) -> None:
    registry = filtering(lambda _name, arguments: arguments | {argument: value})
    given = ability_of(
        changes=Changes("notes"), requires="math:write", verify_callback=lambda: None
    )
    with pytest.raises(ForbiddenFilter) as refusal:
        registry.register_ability("math/add", **given)
    assert refusal.value.argument == argument
    assert registry.list_abilities() == ()


def read_only_in_place(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    arguments["meta"]["annotations"]["readonly"] = True
    return arguments


def read_only_in_a_copy(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"meta": {"annotations": {"readonly": True}}}


def no_annotations(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"meta": None}


@pytest.mark.parametrize(
    "change", [read_only_in_place, read_only_in_a_copy, no_annotations]
)
def test_a_filter_may_not_make_a_write_look_like_a_read(
    change: Callable[[str, dict[str, Any]], Any],
) -> None:
    given = ability_of(meta={"annotations": {"readonly": False}})
    with pytest.raises(ForbiddenFilter) as refusal:
        filtering(change).register_ability("math/add", **given)
    assert refusal.value.argument == "meta.annotations"


def test_what_a_filter_changes_in_place_without_answering_changes_nothing() -> None:
    def change(name: str, arguments: dict[str, Any]) -> None:
        arguments["meta"]["annotations"]["readonly"] = True
        arguments["renamed_from"].append("other/name")
        arguments["input_schema"].clear()

    given = ability_of(
        meta={"annotations": {"readonly": False}}, renamed_from=["math/old"]
    )
    ability = filtering(change).register_ability("math/add", **given)
    assert ability.is_write
    assert ability.renamed_from == ("math/old",)
    assert ability.input_schema == given["input_schema"]


def test_a_misspelt_argument_is_refused_where_wordpress_ignores_it() -> None:
    with pytest.raises(UnknownArgument) as refusal:
        math_registry().register_ability("math/add", **ability_of(require="x"))
    assert refusal.value.problem == (
        "there is no argument 'require'. Did you mean 'requires'?"
    )


def test_a_full_registry_refuses_one_more() -> None:
    registry = Registry(limit=1)
    registry.register_category("math", label="Math", description="Sums.")
    registry.register_ability("math/add", **ability_of())
    with pytest.raises(RegistrationError) as refusal:
        registry.register_ability("math/sub", **ability_of())
    assert refusal.value.sentence == (
        "'math/sub': the host serves at most 1 abilities."
    )


def test_a_check_of_the_host_may_refuse_an_ability() -> None:
    def check(ability: Ability) -> None:
        raise InvalidArgument(ability.name, "label", "shorter", ability.label)

    registry = Registry(checks=[check])
    registry.register_category("math", label="Math", description="Sums.")
    with pytest.raises(InvalidArgument):
        registry.register_ability("math/add", **ability_of())
    assert registry.list_abilities() == ()


def test_a_missing_scope_follows_from_the_annotation() -> None:
    registry = math_registry()
    read = {"annotations": {"readonly": True}}
    assert [
        registry.register_ability("math/get", **ability_of(meta=read)).requires,
        registry.register_ability("math/add", **ability_of()).requires,
    ] == ["read", "write"]


def test_a_read_only_ability_cannot_say_what_it_changes() -> None:
    read = {"annotations": {"readonly": True}}
    with pytest.raises(InvalidArgument) as refusal:
        math_registry().register_ability(
            "math/get", **ability_of(meta=read, changes=Changes("notes"))
        )
    assert refusal.value.expected == "left out of a read-only ability"


def test_an_ability_holds_nothing_that_could_be_run() -> None:
    ability = math_registry().register_ability("math/add", **ability_of())
    held = [getattr(ability, name) for name in ability.__dataclass_fields__]
    assert not any(callable(value) for value in held)


def test_what_the_author_changes_afterwards_does_not_reach_the_ability() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    meta: dict[str, Any] = {"annotations": {"readonly": True}}
    ability = math_registry().register_ability(
        "math/add", **ability_of(input_schema=schema, meta=meta)
    )
    schema["properties"]["x"] = {"type": "string"}
    meta["annotations"]["readonly"] = False
    assert ability.input_schema == {"type": "object", "properties": {}}
    assert not ability.is_write
