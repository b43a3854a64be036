"""`describe --profile` shows what a client family can be shown, and the way back."""

from pathlib import Path

import pytest
from cli.conftest import Command
from cli.world import make_demo

from abilities_host.schema.profiles import PROFILES

PACK = """
from abilities_host import hookimpl

SCHEMA = {
    "type": "object",
    "properties": {
        "level": {"enum": [1, 2]},
        "more": {"type": "object", "additionalProperties": True},
    },
}


@hookimpl
def register_categories(registry):
    registry.register_category("demo", label="Demo", description="For tests.")


@hookimpl
def register_abilities(registry):
    registry.register_ability(
        "demo/tune",
        label="Tune",
        description="Tunes.",
        category="demo",
        input_schema=SCHEMA,
        execute_callback=lambda: None,
        permission_callback=lambda: True,
    )
"""


def test_a_projection_stands_beside_the_authors_schema_with_the_way_back(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK)

    ended = command(
        "describe", "demo/tune", "--profile", "gemini", "--json", "--config", config
    )

    told = ended.value["projection"]
    properties = told["input_schema"]["properties"]
    assert (ended.code, told["profile"], told["left_out"]) == (0, "gemini", "")
    assert properties["level"]["enum"] == ["1", "2"]
    assert properties["more"]["type"] == "string"
    assert told["reverse"]
    assert ended.value["input_schema"]["properties"]["level"] == {"enum": [1, 2]}


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_can_be_asked_for(
    tmp_path: Path, command: Command, profile: str
) -> None:
    config = make_demo(tmp_path, pack=PACK)

    ended = command("describe", "demo/tune", "--profile", profile, "--config", config)

    heading = f"\nInput, as clients of {profile} can be shown it:\n"
    assert (ended.code, ended.err) == (0, "")
    assert heading in ended.out


def test_an_unknown_profile_is_refused_with_a_guess(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK)

    ended = command("describe", "demo/tune", "--profile", "gemin", "--config", config)

    assert (ended.code, ended.out) == (2, "")
    assert "Did you mean 'gemini'?" in ended.err


def test_without_a_profile_nothing_is_projected(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK)

    ended = command("describe", "demo/tune", "--json", "--config", config)

    assert "projection" not in ended.value
