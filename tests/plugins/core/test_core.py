import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson
from docs.pages import page, rows
from plugins.world import AGENT, NOBODY, core_pack

from abilities_host import hookimpl
from abilities_host.errors import AbilityNotFound
from abilities_host.frozen import thaw
from abilities_host.schema.profiles import PROFILES, profile_of_client
from abilities_host.testing import RecordingRecorder, build_host, check_pack

NAMES = ["core/get-site-info", "core/get-user-info", "core/get-environment-info"]
CONFIG = """
title = "Bakery"
summary = "Recipes and orders."
context = "Weights are in grams."
"""
SITE = {
    "title": "Bakery",
    "summary": "Recipes and orders.",
    "context": "Weights are in grams.",
    "version": version("abilities-host"),
    "server": "default",
    "ledger": "none",
    "ledger_required": False,
    "read_only": False,
    "abilities": 3,
    "categories": 2,
    "policy_missing": [],
}


async def test_a_core_01_the_three_are_registered_as_safe_reads(tmp_path: Path) -> None:
    async with build_host(tmp_path, packs=[core_pack()]) as host:
        abilities = host.registry.list_abilities()

    assert [ability.name for ability in abilities] == NAMES
    assert [ability.category for ability in abilities] == ["site", "user", "site"]
    assert [ability.meta["show_in_rest"] for ability in abilities] == [
        True,
        False,
        True,
    ]
    for ability in abilities:
        notes = {"readonly": True, "destructive": False, "idempotent": True}
        assert ability.get_meta_item("annotations") == notes
        assert ability.output_schema is not None
        assert ability.output_schema["additionalProperties"] is False
    site, user, environment = abilities
    assert user.input_schema is None
    assert environment.input_schema is None
    fields = thaw(site.input_schema)["properties"]["fields"]
    assert (fields["default"], fields["items"]["enum"]) == ([], list(SITE))


async def test_a_core_02_site_info_gives_all_fields_or_those_asked_for(
    tmp_path: Path,
) -> None:
    async with build_host(tmp_path, packs=[core_pack()], config=CONFIG) as host:
        asked: list[Any] = [None, {"fields": []}, {"fields": ["ledger", "title"]}]
        answers = [
            await host.execute(NAMES[0], arguments, actor=AGENT, server="default")
            for arguments in asked
        ]

    assert [answer.unwrap() for answer in answers] == [
        SITE,
        SITE,
        {"ledger": "none", "title": "Bakery"},
    ]


async def test_a_core_02_a_field_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    async with build_host(tmp_path, packs=[core_pack()]) as host:
        outcome = await host.execute(NAMES[0], {"fields": ["secret"]}, actor=AGENT)

    assert (outcome.status, outcome.code) == ("refused", "ability_invalid_input")


async def test_a_core_02_site_info_says_that_writes_are_recorded(
    tmp_path: Path,
) -> None:
    recorder = RecordingRecorder()
    ledger = "read_only = true\n[ledger]\nrequired = true\n"
    async with build_host(
        tmp_path, packs=[core_pack()], config=ledger, recorder=recorder
    ) as host:
        fields = ["ledger", "ledger_required", "read_only", "server"]
        outcome = await host.execute(NAMES[0], {"fields": fields}, actor=AGENT)

    assert outcome.unwrap() == {
        "ledger": "recording",
        "ledger_required": True,
        "read_only": True,
        "server": None,
    }


async def test_a_core_03_without_the_scope_none_of_them_exists(tmp_path: Path) -> None:
    async with build_host(tmp_path, packs=[core_pack()]) as host:
        outcomes = [await host.execute(name, actor=NOBODY) for name in NAMES]

    assert [str(outcome.error) for outcome in outcomes] == [
        str(AbilityNotFound(name)) for name in NAMES
    ]


async def test_a_core_04_user_info_tells_who_calls(tmp_path: Path) -> None:
    async with build_host(tmp_path, packs=[core_pack()]) as host:
        named = await host.execute(
            NAMES[1], actor=AGENT, session="session-1", client="an editor"
        )
        plain = await host.execute(NAMES[1], actor=host.actor("cli"))

    assert named.unwrap() == {
        "id": "agent-7",
        "kind": "agent",
        "scopes": ["read", "write"],
        "session": "session-1",
        "client": "an editor",
    }
    assert plain.unwrap() == {
        "id": "cli",
        "kind": "local",
        "scopes": ["read", "write"],
        "session": host.session,
        "client": "",
    }


async def test_a_core_05_environment_info_tells_versions_and_packs(
    tmp_path: Path,
) -> None:
    class Broken:
        @hookimpl
        @staticmethod
        def register_abilities() -> None:
            raise ZeroDivisionError

    async with build_host(tmp_path, packs=[core_pack(), ("broken", Broken)]) as host:
        outcome = await host.execute(NAMES[2], actor=AGENT)

    assert outcome.unwrap() == {
        "python": platform.python_version(),
        "system": platform.system(),
        "host": version("abilities-host"),
        "mcp": version("mcp"),
        "packs": [
            {"name": "abilities-host/core", "version": "0.1.0", "state": "healthy"},
            {"name": "local/broken", "version": "", "state": "set aside"},
        ],
    }


async def test_none_of_them_tells_a_path_of_this_machine(tmp_path: Path) -> None:
    async with build_host(tmp_path, packs=[core_pack()]) as host:
        told = [(await host.execute(n, actor=AGENT)).unwrap() for n in NAMES]

    text = orjson.dumps(told).decode()
    assert str(tmp_path) not in text
    assert str(Path.home()) not in text


async def test_a_family_is_added_and_told_on_the_page_about_clients(
    tmp_path: Path,
) -> None:
    async with build_host(tmp_path, packs=[core_pack()]) as host:
        added = [p for p in host.profiles.values() if p.name not in PROFILES]
        chosen = {
            name: profile_of_client(name, "1.0.0", host.profiles).name
            for name in ("windsurf-client", "Windsurf", "windscreen")
        }

    assert rows(page("reference/clients.md"), "## Profiles of packs") == [
        (
            f"`{each.name}`",
            each.clients,
            ", ".join(f"`{client.name}`" for client in each.names),
            str(each.tools),
        )
        for each in added
    ]
    assert chosen == {
        "windsurf-client": "windsurf",
        "Windsurf": "windsurf",
        "windscreen": "generic",
    }


async def test_the_pack_has_no_problems(tmp_path: Path) -> None:
    assert await check_pack(core_pack(), tmp_path) == []
