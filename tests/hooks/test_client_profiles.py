"""A pack may describe further client families; what is wrong with one is said."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from server.world import pack, running

from abilities_host import Client, Profile, RegistryView
from abilities_host.hooks.packs import Pack
from abilities_host.schema.profiles import PROFILES
from abilities_host.testing import check_pack

ACME = Profile(
    name="acme", clients="Acme", names=(Client("acme", ">=2"),), references=False
)


def offering(answer: Any, name: str = "test", **hooks: Any) -> Pack:
    def client_profiles() -> Any:
        return answer

    return pack(name=name, client_profiles=client_profiles, **hooks)


def states(*packs: Pack) -> list[tuple[str, str, list[str]]]:
    return [(each.state, each.reason, each.refused_profiles) for each in packs]


@pytest.mark.parametrize("answer", [[ACME], (ACME,)])
async def test_the_host_has_what_its_packs_describe_behind_its_own(
    tmp_path: Path, answer: Any
) -> None:
    acme, none = offering(answer), offering(None, "none")
    async with running(tmp_path, none, acme) as host:
        assert dict(host.profiles) == {**PROFILES, "acme": ACME}
        assert states(acme, none) == [("healthy", "", [])] * 2


async def test_a_hook_that_waits_is_awaited(tmp_path: Path) -> None:
    async def client_profiles() -> list[Profile]:
        return [ACME]

    async with running(tmp_path, pack(client_profiles=client_profiles)) as host:
        assert host.profiles["acme"] is ACME


async def test_a_taken_name_is_refused_and_pack_and_host_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    mine = replace(ACME, name="cursor", tools=1)
    first, second = offering([ACME]), offering([mine, replace(ACME)], "two")
    with caplog.at_level(logging.WARNING):
        async with running(tmp_path, first, second) as host:
            profiles = dict(host.profiles)

    refused = [
        f"Pack 'local/two': profile {name!r} was not added: there is one of this name "
        f"already, {owner}; choose another name."
        for name, owner in (
            ("cursor", "built in"),
            ("acme", "of pack 'local/test'"),
        )
    ]
    assert profiles == {**PROFILES, "acme": ACME}
    assert profiles["cursor"] is PROFILES["cursor"]
    assert states(first, second) == [("healthy", "", []), ("healthy", "", refused)]
    assert [each for each in refused if each in caplog.text] == refused


async def test_this_distribution_keeps_its_names_wherever_it_is_found(
    tmp_path: Path,
) -> None:
    own = replace(ACME, tools=7)
    foreign, ours = offering([ACME]), offering([own], "ours")
    ours.identity = "abilities-host/ours"
    async with running(tmp_path, foreign, ours) as host:
        assert host.profiles["acme"] is own
        assert len(foreign.refused_profiles) == 1


async def test_a_packs_author_is_told_of_what_would_be_refused(tmp_path: Path) -> None:
    cursor = replace(ACME, name="cursor")

    problems = await check_pack(offering([cursor]), tmp_path)

    assert problems[0] == (
        "Pack 'local/test': profile 'cursor' was not added: there is one of this name "
        "already, built in; choose another name."
    )


@pytest.mark.parametrize("answer", [5, "acme", ACME, {"acme": ACME}, ["acme"], [None]])
async def test_what_is_no_list_of_profiles_sets_the_pack_aside_whole(
    tmp_path: Path, answer: Any
) -> None:
    def register_categories(registry: RegistryView) -> None:
        registry.register_category("test", label="Test", description="For tests.")

    bad = offering(answer, register_categories=register_categories)
    async with running(tmp_path, bad) as host:
        reason = "client_profiles: it must return a list of Profile"
        assert states(bad) == [("set aside", reason, [])]
        assert dict(host.profiles) == PROFILES
        assert host.registry.list_categories() == ()


async def test_a_policy_that_fails_there_is_one_that_is_missing(
    tmp_path: Path,
) -> None:
    def client_profiles() -> Any:
        return [Client("")]

    def before_write() -> None:
        return None

    guard = pack(client_profiles=client_profiles, before_write=before_write)
    guard.is_policy = True
    async with running(tmp_path, guard) as host:
        said = "ValueError: a client without a name would be every client"
        assert states(guard) == [
            ("set aside", f"client_profiles: it raised {said}", [])
        ]
        assert host.hooks.missing_policy == ("local/test",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('profile = "acm"', " Did you mean 'acme'?"),
        ('profile = "gemin"', " Did you mean 'gemini'?"),
        ('profile = "no-such-family"', ""),
        ('profile = "acme"', None),
        ('profile = "gemini"', None),
        ('profile = "auto"', None),
    ],
)
async def test_a_servers_unknown_profile_is_a_warning_and_no_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, said: str | None
) -> None:
    with caplog.at_level(logging.WARNING):
        async with running(tmp_path, offering([ACME]), config=f"[server]\n{text}"):
            pass

    told = [each for each in caplog.messages if "profile" in each]
    name = text.split('"')[1]
    sentence = (
        f"The profile of the server 'default' is {name!r}, and there is none of this "
        f"name, so it is treated like auto.{said}"
    )
    assert told == ([] if said is None else [sentence])
