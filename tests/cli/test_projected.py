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


FAMILY = """
@hookimpl
def client_profiles():
    from abilities_host import Client, Profile

    return [
        Profile(name="acme", clients="Acme", references=False, enums="strings"),
        Profile(name="cursor", clients="Another cursor"),
    ]
"""


def test_a_packs_profile_can_be_asked_for(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path, pack=PACK + FAMILY)

    told = command(
        "describe", "demo/tune", "--profile", "acme", "--json", "--config", config
    )
    guessed = command("describe", "demo/tune", "--profile", "acm", "--config", config)

    level = told.value["projection"]["input_schema"]["properties"]["level"]
    assert (told.code, level["enum"]) == (0, ["1", "2"])
    assert guessed.code == 2
    assert "Did you mean 'acme'?" in guessed.err


def test_doctor_finds_what_is_wrong_with_profiles(
    tmp_path: Path, command: Command
) -> None:
    end = '[server]\nprofile = "acm"'
    config = make_demo(tmp_path, pack=PACK + FAMILY, end=end)

    ended = command("doctor", "--json", "--config", config)
    packs = command("plugins", "--json", "--config", config)

    found = [f for f in ended.value["findings"] if f["about"] == "profile"]
    facts = {each["name"]: each for each in packs.value["plugins"]}
    refused = (
        "Pack 'plugins_dir/demo': profile 'cursor' was not added: there is one of this "
        "name already, built in; choose another name."
    )
    unknown = (
        "The profile of the server 'default' is 'acm', and there is none of this name, "
        "so it is treated like auto. Did you mean 'acme'?"
    )
    fix = 'abilities config shows where it is said; write profile = "acme" there'
    assert ended.code == 1
    assert [(f["severity"], f["message"], f["fix"]) for f in found] == [
        ("error", refused, "abilities plugins"),
        ("error", unknown, fix),
    ]
    assert facts["plugins_dir/demo"]["quarantined"] == [refused]


ENTANGLED = """
def form(number, level=6):
    if not level:
        return {"type": "string"}
    below = form(number, level - 1)
    return {
        "type": "object",
        "properties": {f"n {number} {level}": below},
        "additionalProperties": below,
    }


SCHEMA = {
    "type": "object",
    "properties": {"x": {"anyOf": [form(number) for number in range(7)]}},
}


@hookimpl
def client_profiles():
    from abilities_host import Profile

    return [
        Profile(name="acme", clients="Acme", property_key="^[A-Za-z0-9_.-]{1,64}$")
    ]
"""


def test_doctor_looks_what_the_packs_families_cannot_be_shown(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK + ENTANGLED)

    ended = command("doctor", "--json", "--config", config)

    found = [f for f in ended.value["findings"] if f["about"] == "profile"]
    assert [(f["severity"], f["message"]) for f in found] == [
        (
            "warning",
            (
                f"Clients of the profile {name} are not shown 'demo/tune': its forms "
                "are too entangled for names to be changed."
            ),
        )
        for name in ("anthropic", "acme")
    ]


def test_what_a_family_cannot_be_shown_is_described_with_the_reason(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK + ENTANGLED)
    words = ("describe", "demo/tune", "--profile", "acme", "--config", config)

    told = command(*words, "--json").value["projection"]
    shown = command(*words)

    reason = "its forms are too entangled for names to be changed"
    assert told == {
        "profile": "acme",
        "input_schema": None,
        "output_schema": None,
        "reverse": {},
        "notes": [],
        "left_out": reason,
    }
    heading = "Input, as clients of acme can be shown it:"
    assert shown.out.endswith(f"\n{heading}\nnothing: {reason}\n")


def test_without_a_profile_nothing_is_projected(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK)

    ended = command("describe", "demo/tune", "--json", "--config", config)

    assert "projection" not in ended.value
