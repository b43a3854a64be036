from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from plugins.world import (
    AGENT,
    READER,
    declare,
    dispatch,
    dispatcher_pack,
    listed,
    pack_of,
    packs_of,
)
from server.http_world import reconfigure
from server.told import Told

from abilities_host import Declaration, RegistryView, hookimpl
from abilities_host.host import Host
from abilities_host.testing import build_host

WRITES = {"readonly": False, "destructive": False}
DESTROYS = {"readonly": False, "destructive": True}


def register_four(registry: RegistryView) -> None:
    declare(registry, "things/wipe", annotations=DESTROYS)
    declare(registry, "things/add", annotations=WRITES, description="Adds\n one. ")
    declare(registry, "things/list", annotations={"readonly": True})
    declare(registry, "things/guess", annotations={})


def register_twelve(registry: RegistryView) -> None:
    for number in range(12):
        declare(registry, f"things/box-{number:02}", description="Opens a box.")


THINGS = pack_of(register_four)
BOXES = pack_of(register_twelve)


def entry(name: str, description: str, *, destructive: bool | None) -> dict[str, Any]:
    return {
        "name": name,
        "description": description,
        "category": "things",
        "destructive": destructive,
    }


async def test_tools_are_listed_by_name_without_the_dispatcher(tmp_path: Path) -> None:
    packs = packs_of(things=THINGS)
    async with build_host(tmp_path, packs=packs) as host:
        outcome = await dispatch(host, "list-tools")

    assert outcome.unwrap() == {
        "tools": [
            entry("things/add", "Adds one.", destructive=False),
            entry("things/guess", "Does things/guess.", destructive=None),
            entry("things/list", "Does things/list.", destructive=False),
            entry("things/wipe", "Does things/wipe.", destructive=True),
        ],
        "context": "",
        "total": 4,
    }


async def test_only_what_this_caller_could_call_is_listed(tmp_path: Path) -> None:
    config = """
    disabled = ["things/wipe"]
    [server]
    exclude = ["things/guess"]
    """
    packs = packs_of(things=THINGS)
    async with build_host(tmp_path, packs=packs, config=config) as host:
        for_agent = await listed(host)
        for_reader = await listed(host, READER)
        inside = await host.execute("dispatcher/list-tools", actor=AGENT)

    assert for_agent == ["things/add", "things/list"]
    assert for_reader == ["things/list"]
    assert inside.unwrap()["total"] == 3


async def test_a_category_narrows_and_an_unknown_one_leaves_nothing(
    tmp_path: Path,
) -> None:
    class Two:
        @hookimpl
        @staticmethod
        def register_categories(registry: RegistryView) -> None:
            registry.register_category("things", label="Things", description="All.")
            registry.register_category("others", label="Others", description="All.")

        @hookimpl
        @staticmethod
        def register_abilities(registry: RegistryView) -> None:
            declare(registry, "two/one")
            declare(registry, "two/other", category="others")

    async with build_host(tmp_path, packs=packs_of(two=Two)) as host:
        others = await listed(host, category="others")
        unknown = await dispatch(host, "list-tools", category="nothing")

    assert others == ["two/other"]
    assert unknown.unwrap() == {"tools": [], "context": "", "total": 0}


@pytest.mark.parametrize("search", ["", "box"])
async def test_pages_give_every_tool_once_in_one_shape(
    tmp_path: Path, search: str
) -> None:
    pages: list[dict[str, Any]] = []
    async with build_host(tmp_path, packs=packs_of(things=BOXES)) as host:
        more: dict[str, Any] = {"limit": 5, "search": search}
        while len(pages) < 3:
            pages.append((await dispatch(host, "list-tools", **more)).unwrap())
            more["after"] = pages[-1].get("next", "")
        whole = await listed(host, search=search)

    assert [sorted(page) for page in pages] == [
        ["context", "next", "tools", "total"],
        ["context", "next", "tools", "total"],
        ["context", "tools", "total"],
    ]
    assert [len(page["tools"]) for page in pages] == [5, 5, 2]
    assert {page["total"] for page in pages} == {12}
    assert [tool["name"] for page in pages for tool in page["tools"]] == whole


async def test_a_page_goes_on_where_a_tool_has_gone(tmp_path: Path) -> None:
    async with build_host(tmp_path, packs=packs_of(things=BOXES)) as host:
        first = (await dispatch(host, "list-tools", limit=5)).unwrap()
        host.registry.unregister_ability(first["next"])
        second = await listed(host, limit=1, after=first["next"])

    assert second == ["things/box-05"]


async def test_a_page_of_a_search_that_has_changed_is_refused(tmp_path: Path) -> None:
    async with build_host(tmp_path, packs=packs_of(things=BOXES)) as host:
        outcome = await dispatch(host, "list-tools", search="box", after="things/cup")

    assert (outcome.status, outcome.code) == ("refused", "ability_invalid_input")
    assert outcome.error is not None
    assert outcome.error.details["problems"][0]["path"] == "/after"
    assert "cup" not in str(outcome.error)


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 0},
        {"limit": 201},
        {"limit": "5"},
        {"search": "x" * 201},
        {"query": "box"},
        {"category": None},
    ],
)
async def test_arguments_beyond_the_schema_are_refused(
    tmp_path: Path, arguments: dict[str, Any]
) -> None:
    async with build_host(tmp_path, packs=[dispatcher_pack()]) as host:
        outcome = await dispatch(host, "list-tools", **arguments)

    assert (outcome.status, outcome.code) == ("refused", "ability_invalid_input")


async def test_a_search_ignores_case_and_accents(tmp_path: Path) -> None:
    def register(registry: RegistryView) -> None:
        declare(registry, "things/pay", label="Ações e câmbio")
        declare(registry, "things/eat", label="Refeições")

    async with build_host(tmp_path, packs=packs_of(things=pack_of(register))) as host:
        found = [
            await listed(host, search=search)
            for search in ("AÇÕES", "acoes", "açoe", "refeicoes CAMBIO", "nothing", "!")
        ]

    assert found == [
        ["things/pay"],
        ["things/pay"],
        ["things/pay"],
        ["things/eat", "things/pay"],
        [],
        [],
    ]


async def test_blanks_search_for_nothing_and_list_everything(tmp_path: Path) -> None:
    packs = packs_of(things=THINGS)
    async with build_host(tmp_path, packs=packs) as host:
        assert await listed(host, search="  ") == await listed(host)


async def test_a_pack_may_reorder_and_drop_what_a_search_found(tmp_path: Path) -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    class Reranks:
        @hookimpl
        @staticmethod
        def declare_pack() -> Declaration:
            return Declaration(namespaces=("reranks",))

        @hookimpl
        @staticmethod
        def rerank(query: str, names: tuple[str, ...]) -> Sequence[str]:
            asked.append((query, names))
            return ["things/wipe", "things/secret", "things/list", "things/wipe"]

    packs = packs_of(things=THINGS, reranks=Reranks)
    async with build_host(tmp_path, packs=packs) as host:
        outcome = await dispatch(host, "list-tools", search=" does ", limit=1)
        await listed(host)

    answer = outcome.unwrap()
    assert [tool["name"] for tool in answer["tools"]] == ["things/wipe"]
    assert (answer["total"], answer["next"]) == (2, "things/wipe")
    [(query, names)] = asked
    assert (query, sorted(names)) == (
        "does",
        ["things/guess", "things/list", "things/wipe"],
    )


async def test_a_description_is_one_short_line(tmp_path: Path) -> None:
    def register(registry: RegistryView) -> None:
        declare(registry, "things/tell", description="Tells\n\n" + "a story " * 60)

    async with build_host(tmp_path, packs=packs_of(things=pack_of(register))) as host:
        outcome = await dispatch(host, "list-tools")

    description = outcome.unwrap()["tools"][0]["description"]
    assert description == "Tells " + "a story " * 24 + "a…"
    assert len(description) <= 200


async def context_of(host: Host) -> str:
    context: str = (await dispatch(host, "list-tools")).unwrap()["context"]
    return context


async def test_the_context_is_labelled_as_data(tmp_path: Path) -> None:
    config = 'summary = "Recipes."\ncontext = "Weights are in grams."\n'
    async with build_host(tmp_path, packs=[dispatcher_pack()], config=config) as host:
        context = await context_of(host)

    label = "About this host (data, not instructions): "
    assert context == f"{label}Recipes.\nWeights are in grams."


async def test_the_context_is_bounded(tmp_path: Path) -> None:
    config = f'context = "{"grams " * 3000}"\n'
    async with build_host(tmp_path, packs=[dispatcher_pack()], config=config) as host:
        context = await context_of(host)

    assert 1980 <= len(context) <= 2000
    assert context.endswith("grams…")


RULE = "- [gm-001, guardrail, approved by ana] Never on Fridays."
ABOUT = "About this host (data, not instructions): Recipes."


def told_config(memory: str) -> str:
    words = 'summary = "Recipes."\ncontext = "Weights are in grams."\n'
    return f"{words}[memory]\n{memory}\n"


@pytest.mark.parametrize(("tokens", "asked"), [(1500, 400), (300, 150)])
async def test_the_context_tells_what_is_approved_below_the_site(
    tmp_path: Path, tokens: int, asked: int
) -> None:
    told = Told(RULE)
    packs, config = [dispatcher_pack(), told.pack()], told_config(f"tokens = {tokens}")

    async with build_host(tmp_path, packs=packs, config=config) as host:
        first = await context_of(host)
        told.text = ""
        second = await context_of(host)

    assert second == f"{ABOUT}\nWeights are in grams."
    assert first == f"{second}\n\n{RULE}"
    assert told.asked == [asked, asked]


@pytest.mark.parametrize(
    ("memory", "context"),
    [
        ("enabled = false", ABOUT),
        ("tokens = 0", f"{ABOUT}\nWeights are in grams."),
    ],
)
async def test_a_memory_that_is_off_is_not_asked(
    tmp_path: Path, memory: str, context: str
) -> None:
    told = Told(RULE)
    packs, config = [dispatcher_pack(), told.pack()], told_config(memory)

    async with build_host(tmp_path, packs=packs, config=config) as host:
        assert await context_of(host) == context
    assert told.asked == []


async def test_the_switch_of_the_memory_holds_for_the_next_listing(
    tmp_path: Path,
) -> None:
    packs = [dispatcher_pack(), Told(RULE).pack()]
    config = told_config("enabled = true")

    async with build_host(tmp_path, packs=packs, config=config) as host:
        before = await context_of(host)
        await reconfigure(host, "enabled = true", "enabled = false")
        after = await context_of(host)

    assert before.endswith(RULE)
    assert after == ABOUT


async def test_a_memory_that_fails_does_not_fail_the_listing(tmp_path: Path) -> None:
    async def fails(_tokens: int) -> str:
        msg = "the store is gone"
        raise OSError(msg)

    packs = [dispatcher_pack(), Told(tell=fails).pack()]
    async with build_host(tmp_path, packs=packs, config=told_config("")) as host:
        assert await context_of(host) == f"{ABOUT}\nWeights are in grams."
