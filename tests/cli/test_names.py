"""`list` says how clients call an ability, in the server's profile and in another."""

from pathlib import Path

from cli.conftest import Command
from cli.world import make_demo

from abilities_host.names import exposed_name

LONG = "demo/" + "a-very-long-name-" * 3

PACK = f"""
from abilities_host import hookimpl

RESOURCE = {{"type": "resource", "uri": "demo://page"}}
PAGE = {{"mcp": RESOURCE, "annotations": {{"readonly": True}}}}


@hookimpl
def register_categories(registry):
    registry.register_category("demo", label="Demo", description="For tests.")


@hookimpl
def register_abilities(registry):
    def add(name, **more):
        registry.register_ability(
            name, label="One", description="One.", category="demo",
            execute_callback=lambda: None, permission_callback=lambda: True, **more)

    add("demo/short")
    add("{LONG}x")
    add("demo/page", meta=PAGE)
"""


def names(command: Command, config: Path, *options: str) -> dict[str, str | None]:
    ended = command("list", "--json", *options, "--config", config)
    rows = ended.value["abilities"]
    return {row["name"]: row["tool"] for row in rows if row["category"] == "demo"}


def test_each_ability_is_listed_with_the_name_that_clients_call_it_by(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK)

    assert names(command, config) == {
        "demo/short": "demo_short",
        f"{LONG}x": f"{LONG}x".replace("/", "_"),
        "demo/page": None,
    }


def test_a_profile_has_its_own_names_with_what_the_client_puts_before(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK)
    room = 60 - len("default") - 1

    shown = names(command, config, "--profile", "cursor")

    assert shown[f"{LONG}x"] == exposed_name(f"{LONG}x", room)
    assert len(shown[f"{LONG}x"] or "") == room
    assert (shown["demo/short"], shown["demo/page"]) == ("demo_short", None)


def test_the_servers_own_profile_is_the_default(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK, end='[server]\nprofile = "cursor"')

    assert names(command, config) == names(command, config, "--profile", "cursor")
    assert names(command, config) != names(command, config, "--profile", "generic")


def test_what_is_no_tool_has_a_dash_in_the_table(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK)

    ended = command("list", "--config", config)

    lines = [line.split() for line in ended.out.splitlines()]
    assert lines[0] == ["NAME", "TOOL", "KIND", "LABEL"]
    assert ["demo/page", "-", "resource", "One"] in lines
    assert ["demo/short", "demo_short", "write", "One"] in lines


def test_what_a_profile_cannot_be_shown_has_no_name_there(
    tmp_path: Path, command: Command
) -> None:
    wide = 'input_schema={"type": "object", "description": "x" * 300_000}'
    pack = PACK.replace('add("demo/short")', f'add("demo/short", {wide})')
    config = make_demo(tmp_path, pack=pack, end="[limits]\nschema_bytes = 1000000")

    assert names(command, config)["demo/short"] == "demo_short"
    assert names(command, config, "--profile", "gemini")["demo/short"] is None


def test_costs_are_those_of_the_profile(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path)

    def costs(*options: str) -> dict[str, int]:
        ended = command("list", "--tokens", "--json", *options, "--config", config)
        [demo] = [
            pack["tokens"]
            for pack in ended.value["full"]["packs"]
            if pack["name"] == "plugins_dir/demo"
        ]
        rows = ended.value["full"]["abilities"]
        mine = sum(each["tokens"] for each in rows if each["name"].startswith("demo/"))
        assert demo == mine
        return {ended.value["profile"]: demo}

    assert costs() == costs("--profile", "generic")
    [strict] = costs("--profile", "openai-strict").values()
    assert [strict] != [*costs().values()]


def test_a_profile_that_there_is_not_is_guessed(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)

    for options in ((), ("--tokens",)):
        ended = command("list", *options, "--profile", "gemin", "--config", config)
        assert (ended.code, ended.out) == (2, "")
        assert "there is no profile 'gemin'. Did you mean 'gemini'?" in ended.err
