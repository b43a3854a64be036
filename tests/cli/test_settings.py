"""`set`, `unset` and `servers` change what running hosts do, or say what stops it."""

import os
from pathlib import Path

import pytest
from cli.conftest import Command, Ended
from cli.world import make_demo, start

TEAM = '[[servers]]\nid = "team"\nroute = "/team"\ntitle = "The team"\n'
SHOWN = """\
ID       ROUTE  STATE  COMPACT  PROFILE  TITLE      WHY
default  /mcp   on     off      auto     Abilities  -
team     /team  off    split    auto     The team   its enabled is false (store)
"""


def test_what_was_set_is_shown_and_forgotten_again(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)

    def row(key: str) -> object:
        shown = command("config", "--json", "--config", config).value["settings"]
        return next((r["value"], r["source"]) for r in shown if r["key"] == key)

    said = command("set", "limits.calls", "7", "--config", config)
    set_ = row("limits.calls")
    again = command("set", "limits.calls", "8", "--json", "--config", config)
    unset = command("unset", "limits.calls", "--config", config)
    twice = command("unset", "limits.calls", "--config", config)

    assert said == (0, "limits.calls is 7 now, from: store.\n", "")
    assert (set_, row("limits.calls")) == ((7, "store"), (64, "default"))
    assert (again.code, again.value) == (
        0,
        {
            "key": "limits.calls",
            "value": 8,
            "source": "store",
            "set": 8,
            "is_set": True,
        },
    )
    assert unset == (0, "limits.calls is 64 now, from: default.\n", "")
    assert twice == (3, "", "error: 'limits.calls' is not set in the store.\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("set", "limits.calls", "many"),
            "limits.calls: expected a whole number from 1 to 100000, but a text came.",
        ),
        (
            ("set", "limits.cals", "1"),
            "limits.cals: there is no such setting. Did you mean 'limits.calls'?",
        ),
        (
            ("set", "read_only", "no"),
            (
                "read_only: what is set may turn it on, never off. Change it in "
                "abilities.toml."
            ),
        ),
        (("set", "roles", "{}"), "roles: only the configuration file may say it."),
        (
            ("set", "store.path", "x"),
            (
                "store.path: takes effect at the next start; write it in the "
                "configuration file."
            ),
        ),
        (
            ("set", "route", "/x", "--server", "team"),
            (
                "servers.team.route: what may be set of a further server is compact, "
                "enabled, exclude, instructions, profile, title."
            ),
        ),
        (
            ("set", "server.route", "/team"),
            "server.route: two servers have the route '/team'; give each its own.",
        ),
    ],
)
def test_what_would_not_hold_is_refused_with_key_and_reason(
    tmp_path: Path, command: Command, words: tuple[str, ...], sentence: str
) -> None:
    config = make_demo(tmp_path, top="read_only = true", end=TEAM)

    ended = command(*words, "--config", config)
    listed = command("config", "--config", config)

    assert ended == (3, "", f"error: {sentence} Nothing was changed.\n")
    assert " store\n" not in listed.out


def test_a_server_that_there_is_not_is_guessed(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, end=TEAM)
    guess = "error: There is no server 'tean'. Did you mean 'team'?\n"

    for words in (
        ("set", "compact", "on", "--server", "tean"),
        ("servers", "disable", "tean"),
        ("servers", "enable", "tean"),
    ):
        assert command(*words, "--config", config) == (3, "", guess)


def test_servers_are_listed_switched_and_switched_back(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, end=TEAM)

    def ended(*words: str) -> Ended:
        return command(*words, "--config", config)

    compact = ended("set", "compact", "split", "--server", "team")
    off = ended("servers", "disable", "team")
    listed = ended("servers")
    on = ended("servers", "enable", "team", "--json")
    forgotten = ended("unset", "compact", "--server", "team")
    first = ended("servers", "disable", "default")
    both = ended("servers", "--json")

    assert compact == (0, 'servers.team.compact is "split" now, from: store.\n', "")
    assert off == (0, "Server team is off now.\n", "")
    assert listed == (0, SHOWN, "")
    assert (on.code, on.value["state"], on.value["why"]) == (0, "on", "")
    assert forgotten.code == 0
    assert first == (0, "Server default is off now.\n", "")
    assert [each["state"] for each in both.value["servers"]] == ["off", "on"]
    assert both.value["servers"][1] == {
        "id": "team",
        "route": "/team",
        "state": "on",
        "why": "",
        "compact": "off",
        "profile": "auto",
        "title": "The team",
    }


def test_what_the_file_switches_off_stays_off(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path, end=f"{TEAM}enabled = false\n")
    killed = make_demo(tmp_path / "killed", top="kill_switch = true", end=TEAM)

    stays = command("servers", "enable", "team", "--config", config)
    stopped = command("servers", "enable", "team", "--config", killed)

    why = "its enabled is false (file)"
    assert stays == (0, "", f"warning: server team stays off: {why}.\n")
    why = "kill_switch is true (file)"
    assert stopped == (0, "", f"warning: server team stays off: {why}.\n")


def test_what_a_variable_says_otherwise_is_told(tmp_path: Path) -> None:
    make_demo(tmp_path)

    ended = start(tmp_path, "set", "limits.calls", "7", ABILITIES_LIMITS__CALLS="9")

    said = "limits.calls is 9 now, from: ABILITIES_LIMITS__CALLS."
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr == f"warning: {said} What was set changes nothing here.\n"


def test_what_fits_no_more_can_still_be_forgotten(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, end=TEAM)
    command("set", "compact", "on", "--server", "team", "--config", config)
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace(TEAM, ""), encoding="utf-8")

    shown = command("config", "--config", config)
    unset = command(
        "unset", "compact", "--server", "team", "--json", "--config", config
    )
    clean = command("config", "--config", config)

    assert shown.err == (
        "warning: `abilities set servers.team.compact` has no effect: there is no "
        "server 'team'.\n"
    )
    assert (unset.code, unset.value["is_set"]) == (0, False)
    assert (clean.code, clean.err) == (0, "")


def test_servers_are_listed_before_there_is_a_store(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, end=TEAM)

    ended = command("servers", "--config", config)
    keys = [
        line.split()[0]
        for line in command("config", "--config", config).out.splitlines()
        if line.startswith("servers")
    ]

    assert (ended.code, ended.out.count(" on ")) == (0, 2)
    assert keys == [
        "servers",
        "servers.team.id",
        "servers.team.route",
        "servers.team.title",
    ]
    assert not (tmp_path / "abilities.db").exists()


def test_a_store_that_cannot_be_read_is_a_warning(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)
    command("set", "limits.calls", "7", "--config", config)
    os.truncate(tmp_path / "abilities.db", 100)

    ended = command("config", "--config", config)

    assert (ended.code, "limits.calls" in ended.out) == (0, True)
    assert ended.err.startswith("warning: what the store says is missing here: Store ")


def test_options_of_servers_come_after_its_commands(
    tmp_path: Path, command: Command
) -> None:
    ended = command("servers", "--json", "disable", "team")

    assert (ended.code, ended.out) == (2, "")
    assert "options come after the command." in ended.err
