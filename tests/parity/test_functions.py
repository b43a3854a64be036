import asyncio
from pathlib import Path
from typing import Any

import pytest
from hooks.world import AGENT, NotesPack, ability_of, keeping, plugin, running, states

from abilities_host import DefaultStep, Denied, RegistryView, hookimpl
from abilities_host.config import load_config
from abilities_host.errors import (
    InvalidName,
    LookupFailed,
    RegistrationClosed,
    RegistrationError,
)
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.opening import open_host
from abilities_host.schema.validate import Validator
from abilities_host.testing import write_config

NUMBERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {"type": "number", "description": "First."},
        "b": {"type": "number", "description": "Second."},
    },
    "required": ["a", "b"],
    "additionalProperties": False,
}


def add(arguments: dict[str, float]) -> float:
    return arguments["a"] + arguments["b"]


def sum_pack(**changed: Any) -> Pack:
    """A pack whose one ability, math/add, adds two numbers."""
    given = {"output_schema": {"type": "number"}, "input_schema": NUMBERS} | changed

    def register_categories(registry: RegistryView) -> None:
        registry.register_category("math", label="Math", description="Sums.")

    def register_abilities(registry: RegistryView) -> None:
        registry.register_ability("math/add", **ability_of(**{"execute": add} | given))

    hooks = {
        "register_categories": register_categories,
        "register_abilities": register_abilities,
    }
    return local_pack("math", plugin(**hooks))


async def test_a_fn_01_a_running_host_raises_for_an_invalid_name(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, sum_pack()) as host:
        with pytest.raises(InvalidName):
            host.registry.register_ability("add", **ability_of())
        assert len(host.registry.list_abilities()) == 1


async def test_a_fn_02_registration_is_allowed_at_any_time_after_the_start(
    tmp_path: Path,
) -> None:
    told: list[int] = []
    async with running(tmp_path, sum_pack()) as host:
        host.on_change(lambda: told.append(host.revision))
        before = host.revision
        host.registry.register_ability("math/late", **ability_of())
        outcome = await host.execute("math/late", {"x": 1}, actor=AGENT)
    assert outcome.unwrap() == {"x": 1}
    assert told == [before + 1]


async def test_a_fn_02_a_pack_may_register_late_through_its_own_view(
    tmp_path: Path,
) -> None:
    kept: list[RegistryView] = []
    pack = local_pack("late", keeping(kept))
    async with running(tmp_path, sum_pack(), pack) as host:
        (view,) = kept
        view.register_ability("late/one", **ability_of())
        with pytest.raises(RegistrationError) as refusal:
            view.register_ability("late/two", **ability_of(label=""))
        names = [ability.name for ability in await host.list_abilities(AGENT)]
    assert names == ["math/add", "late/one"]
    assert refusal.value.pack == "local/late"


async def test_a_fn_02_a_pack_that_was_set_aside_may_not_register_any_more(
    tmp_path: Path,
) -> None:
    kept: list[RegistryView] = []

    def register_abilities(registry: RegistryView) -> None:
        kept.append(registry)
        raise RuntimeError

    pack = local_pack("late", plugin(register_abilities=register_abilities))
    async with running(tmp_path, sum_pack(), pack):
        with pytest.raises(RegistrationClosed):
            kept[0].register_ability("late/one", **ability_of())


@pytest.mark.parametrize(
    "use",
    [
        pytest.param("register_abilities", id="A-FN-03-register-A-FN-14-get"),
        pytest.param("register_categories", id="A-FN-11-A-FN-16-A-FN-19-the-others"),
    ],
)
async def test_there_is_no_host_before_it_has_started(tmp_path: Path, use: str) -> None:
    """Whoever has a host has a started one: categories come first, then abilities."""
    order: list[str] = []

    def note(name: str) -> Any:
        def hook(registry: RegistryView) -> None:
            order.append(name)

        return hook

    names = ("register_abilities", "register_categories")
    pack = local_pack("late", plugin(**{name: note(name) for name in names}))
    async with running(tmp_path, pack) as host:
        assert host.events[-1] == "start watchers"
        assert use in order
    assert order == ["register_categories", "register_abilities"]


class StepsNotes(NotesPack):
    """A pack whose read comes switched off."""

    @hookimpl
    def default_steps(self) -> list[DefaultStep]:
        return [DefaultStep(1, off=("notes/get",))]


async def test_a_fn_03_hosts_that_start_at_once_on_one_store_are_all_whole(
    tmp_path: Path,
) -> None:
    path = await asyncio.to_thread(write_config, tmp_path)
    loaded = await asyncio.to_thread(load_config, path, environ={}, cwd=tmp_path)

    async def look() -> tuple[list[str], list[str], str]:
        pack = local_pack("notes", StepsNotes())
        async with open_host(loaded, packs=[pack], finds_packs=False) as host:
            seen = [ability.name for ability in await host.list_abilities(AGENT)]
            every = [ability.name for ability in host.registry.list_abilities()]
            outcome = await host.execute("notes/get", {}, actor=AGENT)
            return seen, every, outcome.code

    whole = (["notes/add"], ["notes/add", "notes/get"], "ability_not_found")
    assert await asyncio.gather(*[look() for _ in range(4)]) == [whole] * 4


async def test_a_fn_04_a_registered_ability_says_all_and_gives_the_sum(
    tmp_path: Path,
) -> None:
    meta = {"annotations": {"readonly": True, "destructive": False}, "extra": 1}
    async with running(tmp_path, sum_pack(meta=meta)) as host:
        ability = host.registry.get_ability("math/add")
        outcome = await host.execute("math/add", {"a": 2, "b": 3}, actor=AGENT)
    assert {
        "name": ability.name,
        "label": ability.label,
        "description": ability.description,
        "category": ability.category,
        "input_schema": ability.input_schema,
        "output_schema": ability.output_schema,
        "meta": ability.meta,
    } == {
        "name": "math/add",
        "label": "A label",
        "description": "A description.",
        "category": "math",
        "input_schema": NUMBERS,
        "output_schema": {"type": "number"},
        "meta": {
            "annotations": {"readonly": True, "destructive": False, "idempotent": None},
            "extra": 1,
            "show_in_rest": False,
        },
    }
    assert (outcome.status, outcome.result, outcome.wire) == ("ok", 5, b"5")


async def say_yes_later() -> bool:
    return True


def cannot_say() -> bool:
    msg = "a secret"
    raise RuntimeError(msg)


@pytest.mark.parametrize(
    ("permission", "sentence"),
    [
        pytest.param(lambda: False, "", id="A-FN-05-false"),
        pytest.param(lambda: None, "", id="A-FN-05-none"),
        pytest.param(lambda: 1, "", id="A-FN-05-truthy-is-not-true"),
        pytest.param(lambda: "yes", "", id="A-FN-05-text-is-not-true"),
        pytest.param(cannot_say, "", id="A-FN-05-raises"),
        pytest.param(lambda: Denied("secret"), "", id="A-FN-05-denied-in-private"),
        pytest.param(
            lambda: Denied("secret", public="Ask Ann."), "Ask Ann.", id="A-FN-05-public"
        ),
    ],
)
async def test_only_true_permits(
    tmp_path: Path, permission: Any, sentence: str
) -> None:
    async with running(tmp_path, sum_pack(permission_callback=permission)) as host:
        outcome = await host.execute("math/add", {"a": 1, "b": 2}, actor=AGENT)
    assert (outcome.status, outcome.code, outcome.result) == (
        "refused",
        "ability_invalid_permissions",
        None,
    )
    assert str(outcome.error) == (
        f"Ability 'math/add' was denied: {sentence or 'You may not run this ability.'}"
    )


async def test_a_permission_may_be_async(tmp_path: Path) -> None:
    async with running(tmp_path, sum_pack(permission_callback=say_yes_later)) as host:
        outcome = await host.execute("math/add", {"a": 1, "b": 2}, actor=AGENT)
    assert outcome.unwrap() == 3


class Adder:
    """What replaces a class of one's own: any object whose call is the ability."""

    def __init__(self, start: int) -> None:
        self.total = start

    def __call__(self, arguments: dict[str, int]) -> int:
        self.total += arguments["a"] + arguments["b"]
        return self.total


async def test_a_fn_06_an_object_that_can_be_called_replaces_a_class_of_ones_own(
    tmp_path: Path,
) -> None:
    adder = Adder(100)
    async with running(tmp_path, sum_pack(execute_callback=adder)) as host:
        first = await host.execute("math/add", {"a": 1, "b": 2}, actor=AGENT)
        second = await host.execute("math/add", {"a": 1, "b": 2}, actor=AGENT)
    assert (first.result, second.result, adder.total) == (103, 106, 106)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        pytest.param(
            {"a": 1, "b": 2, "c": 3},
            "/: unknown argument 'c'. There are: a, b.",
            id="A-FN-07-extra-property",
        ),
        pytest.param(
            {"a": 1}, "/: missing required argument 'b'.", id="A-FN-07-missing"
        ),
        pytest.param(
            {"a": 1, "b": "2"},
            "/b: must be a number, but string came.",
            id="A-FN-07-string-for-number",
        ),
        pytest.param(
            [1, 2], "/: must be an object, but array came.", id="A-FN-07-list"
        ),
    ],
)
async def test_invalid_input_names_the_ability_and_the_reason(
    tmp_path: Path, arguments: Any, reason: str
) -> None:
    async with running(tmp_path, sum_pack()) as host:
        outcome = await host.execute("math/add", arguments, actor=AGENT)
    assert (outcome.status, outcome.code) == ("refused", "ability_invalid_input")
    assert str(outcome.error) == f"Ability 'math/add' has invalid input: {reason}"


async def test_a_fn_08_an_output_that_does_not_fit_is_a_failure(tmp_path: Path) -> None:
    pack = sum_pack(output_schema={"type": "string"})
    async with running(tmp_path, pack) as host:
        outcome = await host.execute("math/add", {"a": 1, "b": 2}, actor=AGENT)
    assert (outcome.status, outcome.code) == ("failed", "ability_invalid_output")
    assert outcome.flags == {"output_invalid"}


async def test_a_fn_09_validation_alone_reports_the_same_problems(
    tmp_path: Path,
) -> None:
    wrong = {"a": 1, "b": "2"}
    async with running(tmp_path, sum_pack()) as host:
        schema = host.registry.get_ability("math/add").input_schema
        outcome = await host.execute("math/add", wrong, actor=AGENT)
    assert schema is not None
    assert outcome.error is not None
    assert outcome.error.details == {"problems": Validator(schema).problems(wrong)}


async def test_a_fn_10_permission_sees_the_validated_arguments_and_decides(
    tmp_path: Path,
) -> None:
    asked: list[dict[str, float]] = []

    def only_small(arguments: dict[str, float]) -> bool:
        asked.append(arguments)
        return arguments["a"] < 10

    async with running(tmp_path, sum_pack(permission_callback=only_small)) as host:
        outcomes = [
            await host.execute("math/add", {"a": a, "b": b}, actor=AGENT)
            for a, b in ((1, 2), (11, 2), (1, "no number"))
        ]
    assert [outcome.code for outcome in outcomes] == [
        "",
        "ability_invalid_permissions",
        "ability_invalid_input",
    ]
    assert asked == [{"a": 1, "b": 2}, {"a": 11, "b": 2}]


async def test_a_fn_12_a_pack_unregisters_its_own_ability_and_gets_the_record(
    tmp_path: Path,
) -> None:
    kept: list[RegistryView] = []
    pack = local_pack("late", keeping(kept))
    async with running(tmp_path, sum_pack(), pack) as host:
        ability = kept[0].register_ability("late/one", **ability_of())
        assert kept[0].unregister_ability("late/one") is ability
        with pytest.raises(RegistrationError) as foreign:
            kept[0].unregister_ability("math/add")
        outcome = await host.execute("late/one", {}, actor=AGENT)
    assert foreign.value.code == "foreign_namespace"
    assert outcome.code == "ability_not_found"


async def test_a_fn_13_unregistering_an_unknown_ability_is_an_error(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, sum_pack()) as host:
        with pytest.raises(LookupFailed) as refusal:
            host.registry.unregister_ability("math/sub")
    assert refusal.value.sentence.startswith("There is no ability 'math/sub'.")


async def test_a_fn_15_what_a_hook_registers_is_found_from_the_first_look_on(
    tmp_path: Path,
) -> None:
    pack = sum_pack()
    async with running(tmp_path, pack) as host:
        assert host.registry.get_ability("math/add").pack == "local/math"
        assert states(host) == {"local/math": ("healthy", "")}


@pytest.mark.parametrize(
    ("name", "is_there"),
    [
        pytest.param("math/add", True, id="A-FN-17-existing"),
        pytest.param("math/sub", False, id="A-FN-18-unknown"),
    ],
)
async def test_a_started_host_says_whether_a_name_is_registered(
    tmp_path: Path, name: str, *, is_there: bool
) -> None:
    async with running(tmp_path, sum_pack()) as host:
        assert host.registry.has_ability(name) is is_there


async def test_a_fn_20_everything_registered_is_listed(tmp_path: Path) -> None:
    async with running(tmp_path, sum_pack(), local_pack("n", NotesPack())) as host:
        names = [ability.name for ability in host.registry.list_abilities()]
    assert names == ["math/add", "notes/add", "notes/get"]


@pytest.mark.parametrize(
    "callback",
    [
        pytest.param("execute_callback", id="A-LIFE-08-execute"),
        pytest.param("permission_callback", id="A-LIFE-08-permission"),
    ],
)
async def test_the_text_of_an_exception_never_reaches_the_caller(
    tmp_path: Path, callback: str
) -> None:
    async with running(tmp_path, sum_pack(**{callback: cannot_say})) as host:
        outcome = await host.execute("math/add", {"a": 1, "b": 2}, actor=AGENT)
    code = {
        "execute_callback": "ability_callback_exception",
        "permission_callback": "ability_invalid_permissions",
    }
    assert outcome.code == code[callback]
    assert outcome.error is not None
    assert outcome.error.details == {"reference": outcome.call}
    assert "secret" not in str(outcome.error)
