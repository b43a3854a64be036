"""A client is known by what it calls itself, and by its version where that matters."""

import re
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.schema.client import LENGTH_LIMIT, Client
from abilities_host.schema.profiles import (
    GENERIC,
    PROFILES,
    Profile,
    profile_of_client,
)

NEW = ">=0.45"
ODD = ["", "latest", "1.2.3-insider", "1" * 5000, "\u0661.2", "1.0\n2", "v"]


@pytest.mark.parametrize("name", ["Acme", "acme", "ACME desktop", "acme-client"])
@pytest.mark.parametrize("version", ["0.45", "0.45.0", "1", "v2.3", "0.46rc1"])
def test_a_version_in_the_range_fits_however_it_is_written(
    name: str, version: str
) -> None:
    assert Client("aCMe", NEW).fits(name, version)


@pytest.mark.parametrize("version", ["0.44.9", "0", "0.45.dev1", *ODD])
def test_an_earlier_or_an_odd_version_fits_only_without_a_range(version: str) -> None:
    assert not Client("acme", NEW).fits("acme", version)
    assert Client("acme").fits("acme", version)


@pytest.mark.parametrize("name", ["", "acm", "my-acme", " acme"])
def test_another_name_does_not_fit_whatever_its_version(name: str) -> None:
    assert not Client("acme").fits(name, "1")
    assert not Client("acme", NEW).fits(name, "1")


LONG = "a" * (LENGTH_LIMIT + 1)
TOO_LONG = f"name and versions of a client are texts of {LENGTH_LIMIT} at most"


@pytest.mark.parametrize(
    ("name", "versions", "said"),
    [
        ("", "", "a client without a name would be every client"),
        ("  ", "", "a client without a name would be every client"),
        ("acme", "new", "'new' is no range of versions such as '>=0.45,<2'"),
        ("acme", "0.45", "'0.45' is no range of versions such as '>=0.45,<2'"),
        (LONG, "", TOO_LONG),
        ("acme", ">=1," * 33 + ">1", TOO_LONG),
        (1, "", TOO_LONG),
        ("acme", None, TOO_LONG),
    ],
)
def test_what_can_be_no_client_is_refused_where_it_is_written(
    name: Any, versions: Any, said: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        Client(name, versions)

    assert str(caught.value) == said


def profile(name: str, *clients: Client) -> Profile:
    return Profile(name=name, clients="for the tests", names=clients)


def known(*profiles: Profile) -> dict[str, Profile]:
    return {**PROFILES, **{each.name: each for each in profiles}}


def test_a_change_in_a_client_is_one_line_beside_what_was_true_before() -> None:
    profiles = known(
        profile("acme", Client("acme")), profile("acme-2", Client("acme", ">=2"))
    )
    said = {"1.9": "acme", "2.0": "acme-2", "": "acme", "nightly": "acme"}

    chosen = {v: profile_of_client("Acme", v, profiles).name for v in said}

    assert chosen == said


def test_the_longest_name_counts_first_and_built_in_ones_where_all_is_equal() -> None:
    profiles = known(
        profile("mine", Client("cursor"), Client("claude-acme", ">=1")),
        profile("yours", Client("claude-acme-desktop"), Client("claude-acme")),
    )
    said = {
        "cursor-vscode": "cursor",
        "claude-code": "anthropic",
        "claude-acme": "mine",
        "claude-acme-desktop": "yours",
    }

    chosen = {name: profile_of_client(name, "1", profiles).name for name in said}

    assert chosen == said


# --- the choice, against another way to say it ------------------------------------

NAMES = st.text("abAB", min_size=1, max_size=3)
VERSIONS = st.sampled_from(["", "0.9", "1.0", "1.5", "2.0", "odd"])
RANGES = {"": None, ">=1": {"1.0", "1.5", "2.0"}, "<2": {"0.9", "1.0", "1.5"}}


@dataclass(frozen=True)
class Entry:
    profile: str
    name: str
    versions: str

    def rank(self, name: str, version: str) -> int:
        """0 for one that does not fit; then by length of the name and by range."""
        within = RANGES[self.versions]
        is_known = name.lower()[: len(self.name)] == self.name.lower()
        if not is_known or (within is not None and version not in within):
            return 0
        return 2 * len(self.name) + (within is not None)


ENTRIES = st.builds(
    Entry, st.sampled_from(["one", "two", "three"]), NAMES, st.sampled_from([*RANGES])
)


@given(st.lists(ENTRIES, max_size=8), NAMES | st.just(""), VERSIONS)
def test_the_choice_is_the_best_fitting_entry_and_the_first_of_equal_ones(
    entries: list[Entry], name: str, version: str
) -> None:
    profiles = {
        each: profile(
            each, *(Client(e.name, e.versions) for e in entries if e.profile == each)
        )
        for each in ("one", "two", "three")
    }

    chosen = profile_of_client(name, version, profiles)

    ranks = {
        each: max(
            (e.rank(name, version) for e in entries if e.profile == each), default=0
        )
        for each in profiles
    }
    best = max(ranks.values())
    first = next(each for each, rank in ranks.items() if rank == best)
    assert chosen == (profiles[first] if best else GENERIC)


@given(st.text(max_size=40), st.text(max_size=40))
def test_whatever_a_client_calls_itself_there_is_a_profile(
    name: str, version: str
) -> None:
    assert profile_of_client(name, version, PROFILES) in PROFILES.values()
