import enum
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hooks.world import AGENT, NotesPack, keeping, running
from pydantic import BaseModel, Field

from abilities_host import Call, RegistryView
from abilities_host.errors import InvalidArgument, InvalidInput
from abilities_host.hooks.packs import local_pack
from abilities_host.registry import Registry
from abilities_host.signature import describe_function


class Color(enum.Enum):
    RED = "red"


class Note(BaseModel):
    title: str
    due: date | None = None


@dataclass
class Point:
    x: int
    y: int = 0


def everything(
    title: Annotated[str, Field(min_length=1, description="The title.")],
    count: int = 3,
    tags: list[str] | None = None,
    *,
    kind: Literal["a", "b"] = "a",
    call: Call,
) -> Note:
    """Make a note."""
    return Note(title=f"{title} {count} {tags} {kind} {call.actor.id}")


def test_a_signature_becomes_schemas_and_the_docstring_the_description() -> None:
    described = describe_function("notes/add", everything)
    assert described.description == "Make a note."
    assert described.input_schema == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "title": {"type": "string", "minLength": 1, "description": "The title."},
            "count": {"type": "integer", "default": 3},
            "tags": {
                "anyOf": [
                    {"type": "array", "items": {"type": "string"}},
                    {"type": "null"},
                ],
                "default": None,
            },
            "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
        },
        "required": ["title"],
    }
    assert described.output_schema == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "due": {
                "anyOf": [{"type": "string", "format": "date"}, {"type": "null"}],
                "default": None,
            },
        },
        "required": ["title"],
    }


def no_arguments(call: Call) -> None:
    return None


def test_a_function_without_arguments_has_no_schema() -> None:
    described = describe_function("notes/add", no_arguments)
    assert (described.input_schema, described.output_schema) == (None, None)
    assert described.description == ""


@pytest.mark.parametrize("name", ["json", "copy", "model_config", "schema", "_hidden"])
def test_a_parameter_may_have_any_name(name: str) -> None:
    space: dict[str, Any] = {}
    exec(f"def f({name}: int = 1) -> int: return {name}", space)  # noqa: S102 - a name
    described = describe_function("notes/add", space["f"])
    assert described.input_schema is not None
    assert list(described.input_schema["properties"]) == [name]
    assert described.callback({name: 5}, None) == 5
    assert described.callback(None, None) == 1


def star(*numbers: int) -> None:
    return None


def keywords(**more: int) -> None:
    return None


def by_position(number: int, /) -> None:
    return None


def no_json(thing: Callable[[], None]) -> None:
    return None


def unknown_type(thing: "NotThere") -> None:  # type: ignore[name-defined]  # noqa: F821 - it must be refused
    return None


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (star, "parameter 'numbers' cannot be given by name"),
        (keywords, "parameter 'more' cannot be given by name"),
        (by_position, "parameter 'number' cannot be given by name"),
        (no_json, "JSON"),
        (unknown_type, "NotThere"),
        (5, "is not a module, class, method, or function"),
    ],
)
def test_what_json_schema_cannot_say_is_refused_with_the_reason(
    function: Any, hint: str
) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        describe_function("notes/add", function, pack="demo/notes")
    assert refusal.value.argument == "execute_callback"
    assert hint in refusal.value.sentence
    assert "a function whose types fit JSON Schema" in refusal.value.sentence


def typed(note: Note, point: Point, color: Color = Color.RED) -> dict[str, Any]:
    return {
        "types": [type(note).__name__, type(point).__name__, type(color).__name__],
        "due": note.due,
    }


def test_the_function_gets_values_of_its_own_types() -> None:
    described = describe_function("notes/add", typed)
    given = {
        "note": {"title": "x", "due": "2026-01-02"},
        "point": {"x": 1},
        "color": "red",
    }
    assert described.callback(given, None) == {
        "types": ["Note", "Point", "Color"],
        "due": "2026-01-02",
    }


def test_what_json_schema_lets_pass_and_the_type_does_not_is_invalid_input() -> None:
    described = describe_function("notes/add", typed)
    given = {"note": {"title": "x", "due": "a secret"}, "point": {"x": 1}}
    with pytest.raises(InvalidInput) as refusal:
        described.callback(given, None)
    (problem,) = refusal.value.problems
    assert problem["path"] == "/note/due"
    assert "secret" not in str(refusal.value)


def lies() -> int:
    return "no number"  # type: ignore[return-value]  # the output schema must say so


async def twice(number: int) -> int:
    """Double a number."""
    return number * 2


async def test_a_typed_function_runs_like_any_other_ability(tmp_path: Path) -> None:
    kept: list[RegistryView] = []
    packs = [local_pack("notes", NotesPack()), local_pack("typed", keeping(kept))]
    given: dict[str, Any] = {
        "label": "Typed",
        "category": "notes",
        "permission_callback": lambda: True,
    }
    async with running(tmp_path, *packs) as host:
        (view,) = kept
        assert view.ability("typed/twice", **given)(twice) is twice
        view.ability("typed/add", **given)(everything)
        view.ability("typed/lies", description="Lies.", **given)(lies)
        outcomes = [
            await host.execute(name, arguments, actor=AGENT)
            for name, arguments in (
                ("typed/twice", {"number": 21}),
                ("typed/twice", {"number": "21"}),
                ("typed/twice", {"number": 1, "numbre": 2}),
                ("typed/add", {"title": "T", "kind": "b"}),
                ("typed/lies", None),
            )
        ]
    assert [(outcome.code, outcome.result) for outcome in outcomes] == [
        ("", 42),
        ("ability_invalid_input", None),
        ("ability_invalid_input", None),
        ("", {"title": "T 3 None b agent-1", "due": None}),
        ("ability_invalid_output", "no number"),
    ]


def test_what_is_written_beside_the_function_wins_over_its_signature() -> None:
    registry = Registry()
    registry.register_category("math", label="Math", description="Sums.")
    declare = registry.ability(
        "math/twice",
        label="Twice",
        category="math",
        description="Other.",
        output_schema={"type": "integer"},
        permission_callback=lambda: True,
    )
    declare(twice)
    ability = registry.get_ability("math/twice")
    assert (ability.description, ability.output_schema) == (
        "Other.",
        {"type": "integer"},
    )


def test_a_typed_function_without_a_docstring_needs_a_description() -> None:
    registry = Registry()
    registry.register_category("math", label="Math", description="Sums.")
    declare = registry.ability(
        "math/lies", label="L", category="math", permission_callback=lambda: True
    )
    with pytest.raises(InvalidArgument) as refusal:
        declare(lies)
    assert refusal.value.argument == "description"
