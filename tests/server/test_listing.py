from pathlib import Path

import orjson
import pytest
from server.world import OBJECT, READ, ability, described, pack, running

import abilities_dispatcher
from abilities_host import Actor
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.host import Host
from abilities_host.server.eras import ERAS, LEGACY, MODERN, Era
from abilities_host.server.listing import REMEMBERED, Listing, check_wire
from abilities_host.server.spec import following

AGENT = Actor("agent")


def echo(arguments: object) -> object:
    return arguments


def echoes(*names: str, **changed: object) -> Pack:
    return pack(*((name, described(echo, **changed)) for name in names))


def listing_of(host: Host) -> Listing:
    return Listing(host, following(host))


async def names(listing: Listing, era: Era = MODERN, actor: Actor = AGENT) -> list[str]:
    return [str(tool["name"]) for tool in await listing.tools(era, actor)]


BAD_HEADER = {
    "type": "object",
    "properties": {"n": {"type": "object", "x-mcp-header": "X"}},
}


@pytest.mark.parametrize(
    ("changed", "faults"),
    [
        ({}, 0),
        ({"input_schema": {"type": "array"}, "output_schema": {"type": "array"}}, 0),
        ({"output_schema": {"anyOf": [{"type": "null"}, {"type": "object"}]}}, 0),
        ({"input_schema": BAD_HEADER}, 2),
        ({"label": "half \ud800 pair"}, 2),
    ],
)
def test_the_wire_check_needs_no_host(changed: dict[str, object], faults: int) -> None:
    assert len(check_wire(ability("test/echo", **changed))) == faults


def test_the_wire_check_names_the_place_and_not_the_value() -> None:
    record = ability("test/echo", description="d" * 10)
    object.__setattr__(record, "label", 5)

    assert check_wire(record) == [
        f"{era}: title: Input should be a valid string" for era in ERAS
    ]


@pytest.mark.parametrize("era", ERAS)
async def test_a_listing_is_sorted_and_holds_only_what_the_actor_may_use(
    tmp_path: Path, era: Era
) -> None:
    abilities = pack(
        ("test/write", described(echo)),
        ("test/other", described(echo, requires="test:secret")),
        ("test/look", described(echo, meta=READ)),
    )

    async with running(tmp_path, abilities) as host:
        listing = listing_of(host)
        reader = Actor("reader", scopes=frozenset({"read"}))
        secret = Actor("secret", scopes=frozenset({"read", "write", "test:*"}))

        assert await names(listing, era) == ["test_look", "test_write"]
        assert await names(listing, era, reader) == ["test_look"]
        assert len(await names(listing, era, secret)) == 3


async def test_one_bad_tool_is_left_out_with_its_reason_and_the_rest_served(
    tmp_path: Path,
) -> None:
    abilities = pack(
        ("test/bad", described(echo, input_schema=BAD_HEADER)),
        ("test/good", described(echo)),
    )

    async with running(tmp_path, abilities) as host:
        listing = listing_of(host)

        assert await names(listing) == ["test_good"]
        assert list(listing.left_out) == ["test/bad"]
        assert "x-mcp-header" in listing.left_out["test/bad"]
        assert listing.find("test_bad") is None


async def test_a_listing_is_built_once_until_something_changes(tmp_path: Path) -> None:
    async with running(tmp_path, echoes("test/one", "test/two")) as host:
        listing = listing_of(host)
        first = await listing.tools(MODERN, AGENT)

        assert await listing.tools(MODERN, Actor("another")) is first
        await host.toggles.set("test/one", state=False, by="cli")
        assert await names(listing) == ["test_two"]
        host.registry.unregister_ability("test/two")
        assert await names(listing) == []


async def test_a_changed_ability_is_shown_as_it_is_now(tmp_path: Path) -> None:
    async with running(tmp_path, echoes("test/one")) as host:
        listing = listing_of(host)
        await names(listing)
        host.registry.unregister_ability("test/one")
        again = described(echo, label="New", category="test")
        host.registry.register_ability("test/one", **again)

        assert [t["title"] for t in await listing.tools(MODERN, AGENT)] == ["New"]


async def test_listings_of_many_kinds_of_actors_are_not_kept_for_ever(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, echoes("test/one")) as host:
        listing = listing_of(host)
        for number in range(REMEMBERED + 1):
            actor = Actor("a", scopes=frozenset({"write", f"s{number}"}))
            assert await names(listing, MODERN, actor) == ["test_one"]

        assert len(listing._pages) == 1  # noqa: SLF001 - a bound shows nowhere else


async def test_a_full_listing_keeps_what_fits_and_says_what_is_missing(
    tmp_path: Path,
) -> None:
    long = {"description": "d" * 700}
    abilities = pack(
        ("test/a", described(echo)),
        ("test/b", described(echo, **long)),
        ("test/c", described(echo)),
    )

    config = "[limits]\nlisting_bytes = 1024\n"
    async with running(tmp_path, abilities, config=config) as host:
        listing = listing_of(host)
        tools = await listing.tools(MODERN, AGENT)

        assert [tool["name"] for tool in tools] == ["test_a", "test_c"]
        assert len(orjson.dumps(tools)) <= 1024
        assert "limits.listing_bytes = 1024" in listing.left_out["test/b"]
        assert listing.find("test_b") is not None


async def test_a_long_name_is_found_by_its_short_tool_name(tmp_path: Path) -> None:
    long = f"test/{'very-' * 20}long"

    async with running(tmp_path, echoes(long)) as host:
        listing = listing_of(host)
        (tool,) = await names(listing)
        found = listing.find(tool)

        assert len(tool) == 64
        assert found is not None
        assert found.ability.name == long
        assert listing.find(tool[:-1] + "_") is None


async def test_of_two_names_with_one_short_tool_name_the_first_keeps_it(
    tmp_path: Path,
) -> None:
    # The first 8 characters of their hashes are the same.
    first, later = (f"test/{'n' * 60}{number}" for number in (21948, 106183))

    async with running(tmp_path, echoes(first, later)) as host:
        listing = listing_of(host)
        (tool,) = await listing.tools(MODERN, AGENT)

        assert tool["_meta"]["abilities/name"] == first
        assert f"belongs to {first!r}; choose a shorter name" in listing.left_out[later]
        host.registry.unregister_ability(first)
        assert await names(listing) == []


@pytest.mark.parametrize("tool", ["", "test", "test/one", "test_none", "x_y_z", "é_é"])
async def test_a_name_that_is_no_tool_finds_nothing(tmp_path: Path, tool: str) -> None:
    async with running(tmp_path, echoes("test/one")) as host:
        assert listing_of(host).find(tool) is None


async def test_each_era_has_its_own_wire_form(tmp_path: Path) -> None:
    schemas = {"input_schema": OBJECT, "output_schema": {"type": "array"}}

    async with running(tmp_path, echoes("test/one", **schemas)) as host:
        listing = listing_of(host)
        (legacy,) = await listing.tools(LEGACY, AGENT)
        (modern,) = await listing.tools(MODERN, AGENT)

    assert legacy["outputSchema"]["type"] == "object"
    assert modern["outputSchema"]["type"] == "array"


async def test_a_server_that_is_off_lists_nothing(tmp_path: Path) -> None:
    config = "kill_switch = true\n"

    async with running(tmp_path, echoes("test/one"), config=config) as host:
        assert await names(listing_of(host)) == []


@pytest.mark.parametrize("era", ERAS)
async def test_a_compact_listing_is_small_whatever_it_leads_to(
    tmp_path: Path, era: Era
) -> None:
    dispatcher = local_pack("dispatcher", abilities_dispatcher)
    dispatcher.identity = "abilities-host/dispatcher"
    many = echoes(*(f"test/n{number}" for number in range(50)))
    config = "[server]\ncompact = true\n"

    async with running(tmp_path, dispatcher, many, config=config) as host:
        tools = await listing_of(host).tools(era, AGENT)

    assert len(tools) == 3
    assert len(orjson.dumps(tools)) <= 1_200
