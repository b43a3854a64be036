import re

import pytest

from abilities_host.names import exposed_name
from abilities_host.schema.profiles import PROFILES, Profile


def test_every_family_has_its_profile() -> None:
    assert list(PROFILES) == [
        "generic",
        "anthropic",
        "openai",
        "openai-strict",
        "gemini",
        "vscode",
        "cursor",
    ]
    assert [profile.name for profile in PROFILES.values()] == list(PROFILES)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_exposed_names_fit_every_profile(profile: Profile) -> None:
    budget = profile.name_budget("abilities")

    name = exposed_name("a-namespace/" + "long-" * 30, budget)

    assert len(name) <= budget <= profile.tool_name_limit
    assert re.search(profile.tool_name, name)


def test_i_34_the_name_of_the_server_counts_where_it_is_put_before() -> None:
    cursor, generic = PROFILES["cursor"], PROFILES["generic"]

    assert cursor.name_budget("notes") == 60 - len("notes") - 1
    assert generic.name_budget("notes") == 64
    assert cursor.name_budget("n" * 80) == 12


def test_i_38_the_counts_of_tools_are_known() -> None:
    counts = {profile.name: profile.tools for profile in PROFILES.values()}

    assert counts == {
        "generic": None,
        "anthropic": None,
        "openai": 128,
        "openai-strict": 128,
        "gemini": 100,
        "vscode": 128,
        "cursor": 40,
    }
