"""What packs offer as profiles is added only as far as it can be used."""

from dataclasses import replace
from typing import Any, cast

import pytest

from abilities_host.schema.client import Client
from abilities_host.schema.offered import LIMIT, OfferedProfiles, fault_of
from abilities_host.schema.profiles import PROFILES, Profile

ACME = Profile(name="acme", clients="Acme", names=(Client("acme"),))


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_the_built_in_ones_could_be_a_packs_too(profile: Profile) -> None:
    assert fault_of(profile) == ""


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"name": 5}, "its name must be str"),
    ({"name": ""}, "its name must be 1 to 64 lower-case letters, digits and dashes"),
    (
        {"name": "Acme"},
        "its name must be 1 to 64 lower-case letters, digits and dashes",
    ),
    (
        {"name": "a" * 65},
        "its name must be 1 to 64 lower-case letters, digits and dashes",
    ),
    ({"name": "auto"}, "auto means that none is set; choose another name"),
    ({"keywords": ["type"]}, "its keywords must be frozenset[str] | None"),
    ({"keywords": frozenset({1})}, "its keywords must be frozenset[str] | None"),
    ({"unknown": None}, "its unknown must be frozenset[str]"),
    ({"null": "none"}, "its null must be Literal['type', 'nullable']"),
    ({"null": ["type"]}, "its null must be Literal['type', 'nullable']"),
    ({"type_arrays": 1}, "its type_arrays must be bool"),
    ({"names": ("acme",)}, "its names must be tuple[Client, ...]"),
    ({"names": [Client("acme")]}, "its names must be tuple[Client, ...]"),
    ({"tools": True}, "its tools must be int | None"),
    (
        {"tools": 0},
        "its tools must be 1 or more; None means that no limit is known",
    ),
    ({"tool_name_limit": 11}, "its tool_name_limit is from 12 to 128"),
    ({"tool_name_limit": 129}, "its tool_name_limit is from 12 to 128"),
    ({"tool_name": "("}, "its tool_name is no regular expression"),
    ({"property_key": "a{99999999999}"}, "its property_key is no regular expression"),
    (
        {"tool_name": "^[a-z.]+$"},
        "its tool_name refuses names such as 'Files_read-2', which the host makes",
    ),
    (
        {"property_key": "^[A-Za-z0-9_.-]{1,58}$"},
        (
            "its property_key refuses names such as 'Name_0.a-bName_0.a-bName_0.a-b"
            "Name_0.a-bName_0.a-bName_0.a-', which the host makes"
        ),
    ),
    ({"clients": "a" * 257}, "its texts have 256 characters at most"),
    (
        {"unknown": frozenset(map(str, range(257)))},
        "its keywords, unknown and names have 256 members at most",
    ),
]


@pytest.mark.parametrize(("changed", "fault"), FAULTS, ids=[f for _, f in FAULTS])
def test_what_cannot_be_used_is_named(changed: dict[str, Any], fault: str) -> None:
    assert fault_of(replace(ACME, **changed)) == fault


def test_what_packs_offer_stands_behind_the_built_in_ones_in_order() -> None:
    offered = OfferedProfiles()
    other = replace(ACME, name="other", property_key="^[a-zA-Z0-9_.-]{1,64}$")

    refused = [offered.add("a/one", [other]), offered.add("b/two", (ACME,))]

    assert refused == [[], []]
    assert [*offered.profiles] == [*PROFILES, "other", "acme"]
    assert offered.profiles["acme"] is ACME


def test_a_name_that_is_taken_stays_with_who_had_it_and_the_rest_is_added() -> None:
    offered = OfferedProfiles()
    mine, cursor = replace(ACME, tools=9), replace(ACME, name="cursor")
    bad = replace(ACME, name=cast("str", {"a": "x" * 200}))
    offered.add("a/one", [ACME])

    refused = offered.add("b/two", [cursor, mine, bad, replace(ACME, name="more")])

    taken = "there is one of this name already,"
    assert refused == [
        (
            f"Pack 'b/two': profile 'cursor' was not added: {taken} built in; choose "
            "another name."
        ),
        (
            f"Pack 'b/two': profile 'acme' was not added: {taken} of pack 'a/one'; "
            "choose another name."
        ),
        "Pack 'b/two': profile {'a': '" + "x" * 73 + " was not added: its name must "
        "be str.",
    ]
    assert offered.profiles == {
        **PROFILES,
        "acme": ACME,
        "more": replace(ACME, name="more"),
    }


def test_a_host_takes_so_many_and_says_once_that_there_were_more() -> None:
    offered = OfferedProfiles()
    many = [replace(ACME, name=f"n{number}") for number in range(LIMIT + 9)]
    offered.add("a/one", many[:2])

    refused = offered.add("b/two", many[2:])
    again = offered.add("c/three", [ACME])

    reason = "a host takes 32 profiles of packs at most, and no more"
    assert len(offered.profiles) == len(PROFILES) + LIMIT
    assert refused == [f"Pack 'b/two': profile 'n32' was not added: {reason}."]
    assert again == [f"Pack 'c/three': profile 'acme' was not added: {reason}."]
