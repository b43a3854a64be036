import copy
import pickle
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hooks.world import AGENT, NotesPack, ability_of, plugin, running

from abilities_host import (
    Ability,
    Call,
    Outcome,
    ProposedWrite,
    RegistryView,
    hookimpl,
)
from abilities_host.errors import InvalidArgument, UnknownArgument
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.registry import Registry

NULLS = {"readonly": None, "destructive": None, "idempotent": None}


def registered(**changed: Any) -> Ability:
    registry = Registry()
    registry.register_category("math", label="Math", description="Sums.")
    return registry.register_ability("math/add", **ability_of(**changed))


def math_pack(**changed: Any) -> Pack:
    """A pack whose one ability is math/add."""

    def register_categories(registry: RegistryView) -> None:
        registry.register_category("math", label="Math", description="Sums.")

    def register_abilities(registry: RegistryView) -> None:
        registry.register_ability("math/add", **ability_of(**changed))

    return local_pack(
        "math",
        plugin(
            register_categories=register_categories,
            register_abilities=register_abilities,
        ),
    )


def test_a_abl_01_an_unknown_property_is_refused_and_the_one_meant_is_named() -> None:
    with pytest.raises(UnknownArgument) as refusal:
        registered(labels="x")
    assert refusal.value.sentence == (
        "'math/add': there is no argument 'labels'. Did you mean 'label'?"
    )


@pytest.mark.parametrize(
    ("default", "item"),
    [
        pytest.param((), None, id="A-ABL-02-none"),
        pytest.param(("fallback",), "fallback", id="A-ABL-03-the-given-default"),
    ],
)
def test_a_missing_meta_item_gives_the_default(
    default: tuple[str, ...], item: str | None
) -> None:
    assert registered().get_meta_item("missing", *default) == item


def test_a_meta_item_that_is_there_is_given_frozen() -> None:
    item = registered(meta={"colors": ["red"]}).get_meta_item("colors", "fallback")
    assert item == ["red"]
    with pytest.raises(TypeError):
        item.append("blue")


@pytest.mark.parametrize(
    ("meta", "annotations"),
    [
        pytest.param(
            {"annotations": {"readonly": False}},
            NULLS | {"readonly": False},
            id="A-ABL-04-partial",
        ),
        pytest.param(None, NULLS, id="A-ABL-05-no-meta"),
        pytest.param({"annotations": None}, NULLS, id="A-ABL-05-none"),
        pytest.param({"annotations": {}}, NULLS, id="A-ABL-05-empty"),
        pytest.param(
            {
                "annotations": {
                    "readonly": True,
                    "destructive": False,
                    "idempotent": True,
                    "priority": 3,
                }
            },
            {"readonly": True, "destructive": False, "idempotent": True, "priority": 3},
            id="A-ABL-06-explicit-and-extra",
        ),
    ],
)
def test_annotations_are_merged_over_three_nulls(
    meta: dict[str, Any] | None, annotations: dict[str, Any]
) -> None:
    ability = registered(meta=meta)
    assert ability.meta["annotations"] == annotations
    three = ability.annotations
    assert {key: getattr(three, key) for key in NULLS} == {
        key: annotations[key] for key in NULLS
    }


def test_an_unmarked_ability_is_a_write() -> None:
    annotations: list[dict[str, Any]] = [{}, {"readonly": False}, {"readonly": True}]
    assert [registered(meta={"annotations": a}).is_write for a in annotations] == [
        True,
        True,
        False,
    ]


def test_a_abl_07_annotations_of_a_wrong_type_are_refused() -> None:
    with pytest.raises(InvalidArgument) as refusal:
        registered(meta={"annotations": ["readonly"]})
    assert refusal.value.problem == (
        "meta.annotations must be a mapping, but list came."
    )


@pytest.mark.parametrize(
    ("meta", "shown"),
    [
        pytest.param({}, False, id="A-ABL-08-default"),
        pytest.param({"show_in_rest": True}, True, id="A-ABL-09-true"),
        pytest.param({"show_in_rest": False}, False, id="A-ABL-10-false"),
    ],
)
def test_show_in_rest_is_false_unless_said(
    meta: dict[str, Any], *, shown: bool
) -> None:
    assert registered(meta=meta).get_meta_item("show_in_rest") is shown


def test_a_abl_11_show_in_rest_of_a_wrong_type_is_refused() -> None:
    with pytest.raises(InvalidArgument) as refusal:
        registered(meta={"show_in_rest": "yes"})
    assert refusal.value.problem == (
        "meta.show_in_rest must be True or False, but str came."
    )


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        pytest.param("null", None, id="A-ABL-12-null"),
        pytest.param("boolean", True, id="A-ABL-12-bool"),
        pytest.param("integer", 7, id="A-ABL-12-int"),
        pytest.param("number", 2.5, id="A-ABL-12-float"),
        pytest.param("string", "text", id="A-ABL-12-string"),
        pytest.param("object", {"a": 1}, id="A-ABL-12-object"),
        pytest.param("array", [1, 2], id="A-ABL-12-array"),
    ],
)
async def test_an_ability_takes_every_type_its_schema_names(
    tmp_path: Path, kind: str, value: Any
) -> None:
    pack = math_pack(input_schema={"type": kind})
    async with running(tmp_path, pack) as host:
        outcome = await host.execute("math/add", value, actor=AGENT)
    assert (outcome.status, outcome.result) == ("ok", value)


class Doubler:
    """Every way a callback may be written as part of an object."""

    def method(self, arguments: int) -> int:
        return arguments * 2

    @staticmethod
    def static(arguments: int) -> int:
        return arguments * 2

    @classmethod
    def of_class(cls, arguments: int) -> int:
        return arguments * 2

    def __call__(self, arguments: int) -> int:
        return arguments * 2


class AsyncDoubler:
    async def __call__(self, arguments: int) -> int:
        return arguments * 2


def double(arguments: int) -> int:
    return arguments * 2


async def double_async(arguments: int) -> int:
    return arguments * 2


def multiply(factor: int, arguments: int) -> int:
    return arguments * factor


@pytest.mark.parametrize(
    "callback",
    [
        pytest.param(lambda arguments: arguments * 2, id="A-ABL-13-closure"),
        pytest.param(double, id="A-ABL-13-function"),
        pytest.param(Doubler().method, id="A-ABL-13-instance-method"),
        pytest.param(Doubler.static, id="A-ABL-13-static-method"),
        pytest.param(Doubler.of_class, id="A-ABL-13-class-method"),
        pytest.param(Doubler(), id="A-ABL-13-invokable-object"),
        pytest.param(AsyncDoubler(), id="A-ABL-13-async-object"),
        pytest.param(double_async, id="A-ABL-13-async-function"),
        pytest.param(partial(multiply, 2), id="A-ABL-13-partial"),
        pytest.param(lambda *arguments: arguments[0] * 2, id="A-ABL-13-star"),
    ],
)
async def test_a_callback_may_be_anything_callable(
    tmp_path: Path, callback: Any
) -> None:
    pack = math_pack(execute_callback=callback, input_schema={"type": "integer"})
    async with running(tmp_path, pack) as host:
        outcome = await host.execute("math/add", 21, actor=AGENT)
    assert outcome.unwrap() == 42


async def test_a_abl_14_without_a_schema_the_callbacks_take_nothing(
    tmp_path: Path,
) -> None:
    asked: list[str] = []

    def permit() -> bool:
        asked.append("permission")
        return True

    def execute() -> str:
        asked.append("execute")
        return "done"

    pack = math_pack(
        execute_callback=execute, permission_callback=permit, input_schema=None
    )
    async with running(tmp_path, pack) as host:
        given: list[Any] = [None, {}, [], {"a": 1}]
        outcomes = [await host.execute("math/add", a, actor=AGENT) for a in given]
    assert [(o.status, o.result, o.code) for o in outcomes] == [
        ("ok", "done", ""),
        ("ok", "done", ""),
        ("ok", "done", ""),
        ("refused", None, "ability_missing_input_schema"),
    ]
    assert asked == ["permission", "execute"] * 3


class Observer:
    """Every hook around a run, and what it was told."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def as_pack(self) -> Pack:
        def before_write(write: ProposedWrite) -> None:
            self.seen.append(("before", write.ability.name, write.arguments))

        def after_execute(call: Call, outcome: Outcome) -> None:
            result = (outcome.status, outcome.code, outcome.result)
            self.seen.append(("after", call.ability.name, call.arguments, *result))

        hooks = plugin(before_write=before_write, after_execute=after_execute)
        return local_pack("observer", hooks)


async def observe(folder: Path, arguments: Any, **changed: Any) -> list[Any]:
    observer = Observer()
    async with running(folder, math_pack(**changed), observer.as_pack()) as host:
        await host.execute("math/add", arguments, actor=AGENT)
    return observer.seen


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        pytest.param({"type": "object"}, {"a": 1}, id="A-ABL-15-A-ABL-17-arguments"),
        pytest.param(None, None, id="A-ABL-16-A-ABL-18-none"),
    ],
)
async def test_the_hooks_before_and_after_get_name_arguments_and_result(
    tmp_path: Path, schema: Any, arguments: Any
) -> None:
    seen = await observe(
        tmp_path, arguments, input_schema=schema, execute_callback=lambda: "sum"
    )
    assert seen == [
        ("before", "math/add", arguments),
        ("after", "math/add", arguments, "ok", "", "sum"),
    ]


async def test_a_abl_19_a_denial_is_never_put_to_policy_and_observed_once(
    tmp_path: Path,
) -> None:
    seen = await observe(tmp_path, {}, permission_callback=lambda: False)
    denial = ("refused", "ability_invalid_permissions", None)
    assert seen == [("after", "math/add", {}, *denial)]


def fail() -> None:
    msg = "a secret"
    raise RuntimeError(msg)


async def test_a_abl_20_a_callback_error_is_observed_as_a_failure(
    tmp_path: Path,
) -> None:
    seen = await observe(tmp_path, {}, execute_callback=fail)
    assert seen == [
        ("before", "math/add", {}),
        ("after", "math/add", {}, "failed", "ability_callback_exception", None),
    ]


async def test_a_abl_21_an_invalid_output_is_observed_as_a_failure(
    tmp_path: Path,
) -> None:
    seen = await observe(
        tmp_path,
        {},
        execute_callback=lambda: "no number",
        output_schema={"type": "number"},
    )
    before, after = seen
    assert before == ("before", "math/add", {})
    assert after[:5] == ("after", "math/add", {}, "failed", "ability_invalid_output")


@pytest.mark.parametrize("serialise", [pickle.dumps, copy.copy, copy.deepcopy])
def test_an_ability_refuses_to_be_serialised(serialise: Any) -> None:
    with pytest.raises(TypeError, match="belongs to its registry"):
        serialise(registered())


class FiveNotes(NotesPack):
    """Five abilities, the third of them without a label."""

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        for number in range(1, 6):
            label = "" if number == 3 else f"Number {number}"
            kept = registry.register_ability(
                f"notes/n{number}", **ability_of(label=label, category="notes")
            )
            self.ran.append(bool(kept))


async def test_the_third_of_five_abilities_is_bad_and_four_are_served(
    tmp_path: Path,
) -> None:
    five = FiveNotes()
    async with running(tmp_path, local_pack("five", five)) as host:
        served = [ability.name for ability in await host.list_abilities(AGENT)]
        (pack,) = host.packs
    assert five.ran == [True, True, False, True, True]
    assert served == ["notes/n1", "notes/n2", "notes/n4", "notes/n5"]
    reason = "label must be a non-empty string, but str came."
    assert pack.refused == [f"'notes/n3' (pack 'local/five'): {reason}"]
    assert pack.is_healthy
