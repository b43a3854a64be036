"""`modules` lists optional parts with their reasons and switches them by name."""

import sqlite3
from contextlib import closing
from pathlib import Path

from cli.conftest import Command
from cli.world import IN_TREE, make_demo, start

PACK = """
from abilities_host import Module, hookimpl


@hookimpl
def modules():
    return [
        Module("index", "Index", "Keeps an index."),
        Module("search", "Search", "Finds words.", True, requires=("index",)),
        Module("voice", "Voice", "Says it.", is_available=lambda site: "no speaker"),
        Module("odd", "Odd", "Never.", requires=("nobody",)),
        Module("words", "Words", "Says words.", True, abilities=("demo/say",)),
        Module("dumb", "Dumb", "Has nothing.", True, abilities=("demo/nothing",)),
    ]


@hookimpl
def register_categories(registry):
    registry.register_category("demo", label="Demo", description="For the tests.")


@hookimpl
def register_abilities(registry):
    registry.register_ability(
        "demo/say", label="Say", description="Says a word.", category="demo",
        execute_callback=lambda: "word", permission_callback=lambda: True,
        meta={"annotations": {"readonly": True}})
"""

SHOWN = """\
NAME         STATE      LABEL   REQUIRES     WHY
demo/index   off        Index   -            by default
demo/search  waiting    Search  demo/index   it requires 'index', which is off
demo/voice   off        Voice   -            by default; it cannot be switched on: \
no speaker
demo/odd     set aside  Odd     demo/nobody  it requires 'nobody', which its pack does \
not declare.
demo/words   active     Words   -            by default
demo/dumb    active     Dumb    -            by default
"""


def test_every_module_is_listed_with_state_requirements_and_reason(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK)

    listed = command("modules", "--config", config)
    shown = command("modules", "--json", "--config", config)

    assert listed == (0, SHOWN, "")
    assert shown.value["modules"][1] == {
        "name": "demo/search",
        "pack": "plugins_dir/demo",
        "label": "Search",
        "description": "Finds words.",
        "state": "waiting",
        "why": "it requires 'index', which is off",
        "choice": "on",
        "by": "",
        "requires": ["demo/index"],
        "abilities": [],
    }
    assert [each["abilities"] for each in shown.value["modules"]][4] == ["demo/say"]


def test_a_switch_tells_what_it_took_along(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path, pack=PACK)

    on = command("modules", "enable", "demo/index", "--config", config)
    off = command("modules", "disable", "plugins_dir/demo/index", "--config", config)
    again = command("modules", "disable", "demo/index", "--json", "--config", config)
    waiting = command("modules", "enable", "demo/search", "--config", config)

    both = "Module demo/index is on now.\nModule demo/search is on now.\n"
    assert on == (0, both, "")
    took = "Module demo/index is off now.\nModule demo/search is waiting now.\n"
    assert off == (0, took, "")
    assert again.value["choice"] == "off"
    assert [each["by"] for each in again.value["modules"]] == ["cli"]
    why = "it requires 'index', which is off"
    assert waiting == (0, "", f"warning: module demo/search is waiting: {why}.\n")


def test_what_is_unavailable_is_switched_on_only_by_force(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK)

    refused = command("modules", "enable", "demo/voice", "--config", config)
    kept = command("modules", "--json", "--config", config).value["modules"][2]
    forced = command("modules", "enable", "demo/voice", "--force", "--config", config)

    sentence = (
        "error: Module 'demo/voice' cannot be switched on: no speaker. --force "
        "switches it on nevertheless, for when that has changed.\n"
    )
    assert refused == (3, "", sentence)
    assert (kept["choice"], kept["state"]) == ("off", "off")
    unavailable = "warning: module demo/voice is unavailable: no speaker.\n"
    assert forced == (0, "", unavailable)


def test_an_unknown_module_is_guessed(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path, pack=PACK)

    def said(name: str) -> str:
        ended = command("modules", "disable", name, "--config", config)
        assert (ended.code, ended.out) == (3, "")
        return ended.err

    every = "demo/index, demo/search, demo/voice, demo/odd, demo/words, demo/dumb"
    assert said("demo/indx") == (
        "error: There is no module 'demo/indx'. Did you mean 'demo/index'?\n"
    )
    assert said("serch") == (
        "error: There is no module 'serch'. Did you mean 'demo/search'?\n"
    )
    assert said("x") == f"error: There is no module 'x'. There are: {every}.\n"


def test_packs_of_one_name_need_the_whole_name(
    tmp_path: Path, command: Command
) -> None:
    files = PACK.replace("demo/", "own/").replace('"demo"', '"own"')
    claims = (
        "from abilities_host import Declaration\n"
        "@hookimpl\n"
        "def declare_pack():\n"
        '    return Declaration(namespaces=("own",))\n'
    )
    blocked = str([name for name in IN_TREE if name != "files"])
    config = make_demo(tmp_path, pack=PACK, blocked=blocked.replace("'", '"'))
    more = tmp_path / "plugins" / "files.py"
    more.write_text(files + claims)
    (tmp_path / "content").mkdir()

    ended = command("modules", "disable", "files/search", "--config", config)

    names = "'abilities-host/files/search' or 'plugins_dir/files/search'"
    assert ended == (3, "", f"error: 'files/search' may be {names}.\n")


def test_a_choice_for_a_module_that_is_gone_is_kept_and_shown(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK)
    command("modules", "disable", "demo/words", "--config", config)
    pack = tmp_path / "plugins" / "demo.py"
    pack.write_text(PACK.replace('"words"', '"letters"'))

    listed = command("modules", "--config", config)
    pack.write_text(PACK)
    back = command("modules", "--json", "--config", config)

    [line] = [each for each in listed.out.splitlines() if "demo/words" in each]
    why = "no healthy pack has it now; the choice is kept"
    assert line.split() == ["demo/words", "gone", "-", *why.split()]
    states = {each["name"]: each["state"] for each in back.value["modules"]}
    assert (states["demo/words"], states["demo/letters"]) == ("off", "gone")


def test_a_host_without_modules_says_so(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path)

    assert command("modules", "--config", config) == (0, "No pack has modules.\n", "")
    shown = command("modules", "enable", "demo/x", "--config", config)
    nobody = "error: There is no module 'demo/x'. No pack has any.\n"
    assert shown == (3, "", nobody)


def test_options_before_the_command_are_refused(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK)

    ended = command("modules", "--config", config, "enable", "demo/index")

    assert (ended.code, ended.out) == (2, "")
    assert "options come after the command." in ended.err


def test_the_ledger_keeps_who_switched_a_module(tmp_path: Path) -> None:
    blocked = str([name for name in IN_TREE if name != "ledger"]).replace("'", '"')
    config = make_demo(tmp_path, pack=PACK, blocked=blocked)

    for word in ("enable", "disable"):
        ended = start(tmp_path, "modules", word, "demo/index", "--config", str(config))
        assert (ended.returncode, ended.stderr) == (0, "")

    with closing(sqlite3.connect(tmp_path / "abilities.db")) as db:
        noted = db.execute(_NOTED).fetchall()
    target = "module plugins_dir/demo/index"
    assert noted == [
        ("setting", "cli", target, "switched on"),
        ("setting", "cli", target, "switched off"),
    ]


_NOTED = """
    SELECT kind, actor, target, action FROM ledger_entry
    WHERE kind = 'setting' ORDER BY seq
"""


def test_doctor_names_what_is_wanted_and_not_there(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=PACK)
    command("modules", "enable", "demo/voice", "--force", "--config", config)

    with closing(sqlite3.connect(tmp_path / "abilities.db")) as db, db:
        db.execute(_GONE)

    ended = command("doctor", "--json", "--config", config)

    found = [
        (each["severity"], each["message"], each["fix"])
        for each in ended.value["findings"]
        if each["about"].startswith("module")
    ]
    waits = "Module 'demo/search' waits: it requires 'index', which is off."
    odd = "it requires 'nobody', which its pack does not declare"
    assert found == [
        ("warning", waits, "abilities modules enable demo/index"),
        (
            "warning",
            "Module 'demo/voice' is unavailable: no speaker.",
            "abilities modules disable demo/voice",
        ),
        ("error", f"Module 'demo/odd' was set aside: {odd}.", "mend the pack"),
        (
            "warning",
            "Module 'demo/dumb' is active, and no ability belongs to it.",
            "mend the pack",
        ),
        (
            "info",
            "It is kept that module dist/old/part is on; no healthy pack has it now.",
            "",
        ),
        ("ok", "2 of 6 modules are active.", ""),
    ]


_GONE = "INSERT INTO module_choice VALUES ('dist/old', 'part', 1, 1, 'ann', '')"
