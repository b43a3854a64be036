"""`list`, `describe`, `plugins` and `config` say what is true, in words and in JSON."""

import re
from pathlib import Path
from typing import Any

from cli.conftest import Command
from cli.world import IN_TREE, make_demo, start

ON = "on: nothing turns it off"
LACKS = "for clients only: [actors.cli] lacks 'demo:admin'"
EXCLUDED = "not for clients: server 'default' excludes 'demo/echo'"
DISABLED = "configuration: disabled has 'demo/f*'"


def row(name: str, label: str, kind: str = "read", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "tool": name.replace("/", "_"),
        "label": label,
        "category": "demo",
        "kind": kind,
        "requires": kind,
        "pack": "plugins_dir/demo",
        "active": True,
        "why": ON,
        "allowed": True,
        "exposed": True,
        "exposed_why": ON,
        **more,
    }


def test_the_list_is_what_can_be_called_here(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path, top='disabled = ["demo/f*"]')

    ended = command("list", "--config", config)

    shown = (
        "NAME           TOOL           KIND   LABEL\n"
        "demo/crash     demo_crash     read   Crash\n"
        "demo/echo      demo_echo      read   Echo \\u001b[1m\n"
        "demo/empty     demo_empty     write  Empty\n"
        "demo/put       demo_put       write  Put\n"
        "demo/question  demo_question  write  Question\n"
    )
    assert ended == (0, shown, "")


def test_all_of_it_says_what_is_off_and_why(tmp_path: Path, command: Command) -> None:
    server = '[server]\nexclude = ["demo/echo"]'
    config = make_demo(tmp_path, top='disabled = ["demo/f*"]', end=server)

    ended = command("list", "--all", "--config", config)

    assert (ended.code, ended.err) == (0, "")
    assert [re.split("  +", line) for line in ended.out.splitlines()] == [
        ["NAME", "KIND", "STATE", "WHY", "PACK"],
        ["demo/admin", "read", "there", LACKS, "plugins_dir/demo"],
        ["demo/crash", "read", "on", "by default", "plugins_dir/demo"],
        ["demo/echo", "read", "here", EXCLUDED, "plugins_dir/demo"],
        ["demo/empty", "write", "on", "by default", "plugins_dir/demo"],
        ["demo/fail", "read", "off", DISABLED, "plugins_dir/demo"],
        ["demo/put", "write", "on", "by default", "plugins_dir/demo"],
        ["demo/question", "write", "on", "by default", "plugins_dir/demo"],
    ]


def test_the_list_as_json_has_every_key_always(
    tmp_path: Path, command: Command
) -> None:
    server = '[server]\nexclude = ["demo/echo"]'
    top = 'disabled = ["demo/f*"]\nread_only = true'
    config = make_demo(tmp_path, top=top, end=server)

    visible = command("list", "--json", "--config", config)
    every = command("list", "--json", "--all", "--config", config)

    excluded = "server 'default' excludes 'demo/echo'"
    read_only = "configuration: read_only is true and this is a write"
    crash = row("demo/crash", "Crash")
    echo = row("demo/echo", "Echo \x1b[1m", exposed=False, exposed_why=excluded)

    def off(name: str, label: str, why: str, kind: str = "write") -> dict[str, Any]:
        shut = {"active": False, "exposed": False}
        return row(name, label, kind, **shut, why=why, exposed_why=why)

    assert (visible.code, every.code) == (0, 0)
    assert "\x1b" not in visible.out
    assert visible.value == {"abilities": [crash, echo]}
    assert every.value == {
        "abilities": [
            row("demo/admin", "Admin", requires="demo:admin", allowed=False),
            crash,
            echo,
            off("demo/empty", "Empty", read_only),
            off("demo/fail", "Fail", DISABLED, "read"),
            off("demo/put", "Put", read_only),
            off("demo/question", "Question", read_only),
        ]
    }


def test_an_empty_list_says_where_to_look(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path, pack="")

    ended = command("list", "--config", config)

    hint = "There is nothing to list. 'abilities doctor' shows what is missing.\n"
    assert ended == (0, hint, "")


def test_an_ability_is_described_by_its_tool_name_too(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, top='disabled = ["demo/put"]')

    ended = command("describe", "demo_put", "--config", config)

    why = "configuration: disabled has 'demo/put'"
    start, _, schemas = ended.out.partition("\nInput, as clients see it:\n")
    assert (ended.code, ended.err) == (0, "")
    assert start == (
        "demo/put: Put\n"
        "For the tests.\n"
        "\n"
        "tool        demo_put\n"
        "kind        write (not destructive)\n"
        "scope       write\n"
        "changes     shelf, reversible: the state is read before and after\n"
        "category    demo\n"
        "pack        plugins_dir/demo\n"
        "time limit  60 s\n"
        f"here        off: {why}\n"
        f"for clients off: {why}\n"
        "closed      /: an argument that is not named there is an error\n"
    )
    assert schemas.endswith("}\n\nOutput, as clients see it:\nanything\n")


def test_a_description_as_json_has_every_key_always(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)

    ended = command("describe", "demo/question", "--json", "--config", config)

    reason = "/: an object whose properties are not named"
    notes = {"readonly": False, "destructive": False, "idempotent": None}
    assert (ended.code, ended.err) == (0, "")
    assert ended.value == {
        **row("demo/question", "Question", "write"),
        "description": "For the tests.",
        "tool": "demo_question",
        "annotations": notes,
        "domain": None,
        "reversible": False,
        "time_limit": 60.0,
        "renamed_from": [],
        "exceptions": {
            "hidden_empty_strings": [],
            "read_as_closed": [],
            "strictable": False,
            "not_strictable": [reason],
        },
        "shown_input_schema": {"type": "object"},
        "shown_output_schema": None,
        "input_schema": {"type": "object"},
        "output_schema": None,
        "meta": {"annotations": notes, "show_in_rest": False},
    }


SHOWN = """
from abilities_host import hookimpl

@hookimpl
def register_categories(registry):
    registry.register_category("demo", label="Demo", description="Demo.")

@hookimpl
def register_abilities(registry):
    for name, more in {
        "demo/write": {},
        "demo/read": {"meta": {"annotations": {"readonly": True}}},
    }.items():
        registry.register_ability(
            name, label="One", description="One", category="demo",
            input_schema={"type": "object", "properties": {"x": {"enum": ["", "y"]}}},
            execute_callback=lambda arguments: 1, permission_callback=lambda: True,
            **more)
    registry.register_ability("demo/BAD", label="Bad", description="Bad")
"""


def test_what_an_ability_changes_is_said_in_words(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=SHOWN, blocked='["core", "files"]')

    route, write, read = (
        command("describe", name, "--config", config).out.splitlines()
        for name in ("dispatcher/call-tool", "demo/write", "demo/read")
    )

    assert "kind        route" in route
    assert "changes     nothing itself, it leads to other abilities" in route
    assert "changes     unknown, so not reversible" in write
    assert "changes     nothing" in read
    hidden = "/properties/x: an empty string is accepted and not shown"
    assert f"hidden      {hidden}" in read


def test_an_unknown_ability_is_guessed(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path)

    ended = command("describe", "demo/ecco", "--config", config)

    guess = "error: There is no ability 'demo/ecco'. Did you mean 'demo/echo'?\n"
    assert ended == (3, "", guess)


def pack_row(name: str, state: str, reason: str = "", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "version": "0.1.0" if name.startswith("abilities-host/") else "",
        "policy": False,
        "state": state,
        "reason": reason,
        "namespaces": [],
        "quarantined": [],
        **more,
    }


def test_packs_are_listed_with_what_became_of_them(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=SHOWN)

    shown = command("plugins", "--config", config)
    ended = command("plugins", "--json", "--config", config)

    blocked = [
        pack_row(
            f"abilities-host/{name}",
            "blocked",
            "[plugins] blocked names it",
            policy=name == "memory_enforcer",
        )
        for name in IN_TREE
    ]
    *in_tree, demo = ended.value["plugins"]
    (quarantined,) = demo["quarantined"]
    more: dict[str, Any] = {"namespaces": ["demo"], "quarantined": [quarantined]}
    assert (ended.code, ended.err, in_tree) == (0, "", blocked)
    assert demo == pack_row("plugins_dir/demo", "healthy", **more)
    assert "demo/BAD" in quarantined
    assert "plugins_dir/demo                -        healthy  demo\n" in shown.out
    assert shown.err == f"quarantined: {quarantined}\n"


def test_a_broken_pack_is_listed_with_its_reason(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack="raise RuntimeError('no \\x1b luck')")

    ended = command("plugins", "--json", "--config", config)

    reason = "import: it raised RuntimeError: no \x1b luck"
    demo = ended.value["plugins"][-1]
    assert (ended.code, ended.err) == (0, "")
    assert "\x1b" not in ended.out
    assert demo == pack_row("plugins_dir/demo", "set aside", reason)


def test_settings_are_shown_with_their_sources_and_without_secrets(
    tmp_path: Path, command: Command
) -> None:
    end = (
        '[packs.demo]\ntoken = "s3cret"\nroot = "here"\n[packs.demo.auth]\nuser = "me"'
    )
    required = '["core"]\nrequired = ["a/b>=1"]'
    config = make_demo(tmp_path, top='title = ""', end=end, blocked=required)

    shown = command("config", "--config", config)
    ended = command("config", "--json", "--config", config)

    rows = {row["key"]: row for row in ended.value["settings"]}
    assert (ended.code, ended.err) == (0, "")
    assert list(ended.value) == ["file", "settings", "warnings"]
    assert ended.value["file"] == str(config)
    for key, value, source in (
        ("summary", "", "default"),
        ("title", "", "file"),
        ("plugins.required", ["a/b>=1"], "file"),
        ("ledger.required", False, "file"),
        ("server.include", [["*"]], "default"),
        ("plugins.namespaces", {}, "default"),
        ("packs.demo.token", "(hidden)", "file"),
        ("packs.demo.auth", "(hidden)", "file"),
        ("packs.demo.root", "here", "file"),
    ):
        assert rows[key] == {"key": key, "value": value, "source": source}
    assert "s3cret" not in ended.out + shown.out
    assert ["plugins.blocked", '["core"]', "file"] in [
        line.split() for line in shown.out.splitlines()
    ]


def test_a_variable_that_is_no_setting_is_said(tmp_path: Path) -> None:
    make_demo(tmp_path)

    shown = start(tmp_path, "config", ABILITIES_RED_ONLY="1")
    ended = start(tmp_path, "doctor", ABILITIES_RED_ONLY="1")

    sentence = (
        "ABILITIES_RED_ONLY is not a setting. Did you mean 'ABILITIES_READ_ONLY'?"
    )
    words = " ".join(ended.stdout.split())
    assert (shown.returncode, shown.stderr) == (0, f"warning: {sentence}\n")
    assert f"warning configuration {sentence}" in words
