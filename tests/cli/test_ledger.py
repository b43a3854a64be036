"""`ledger` looks up what was written, and says whether the record is whole."""

import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import Command
from cli.ledger_world import PLAIN, make_files, write
from cli.record_world import make_host, note
from cli.world import environment, start

from abilities_host.cli.running import load

CHANGE = {
    "kind": "change",
    "parent": "",
    "actor": "cli",
    "session": "s",
    "ability": "files/write",
    "domain": "files",
    "target": "a.txt",
    "result": "ok",
    "result_real": "ok",
    "partial": "",
    "about": None,
    "reversible": True,
    "rolled_back": False,
}
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ")

JUDGE = """
from abilities_host import Evaluation, hookimpl

@hookimpl
def evaluate_write(write):
    return Evaluation("failed", "the customer says no")
"""


def masked(text: str) -> str:
    """Take out what differs from run to run."""
    return re.sub(r"\b[0-9a-f]{16}\b", "CALL", MOMENT.sub("WHEN", text))


def test_changes_are_listed_newest_first(tmp_path: Path, command: Command) -> None:
    config = make_files(tmp_path)
    empty = command("ledger", "list", "--config", config)
    write(command, config, "one")
    write(command, config, "two")

    ended = command("ledger", "list", "--config", config)

    assert empty == (0, "No change was recorded yet.\n", "")
    assert (ended.code, ended.err) == (0, "")
    assert masked(ended.out) == (
        "ID  WHEN                  ACTOR  ABILITY      TARGET       DONE     STATE\n"
        "5   WHEN  cli    files/write  files:a.txt  updated  in force\n"
        "2   WHEN  cli    files/write  files:a.txt  created  in force\n"
    )


def test_a_change_as_json_has_every_key_always(
    tmp_path: Path, command: Command
) -> None:
    config = make_files(tmp_path)
    write(command, config, "one")
    write(command, config, "two", session="t")

    page = command("ledger", "list", "--json", "--limit", 1, "--config", config)
    said = command("ledger", "list", "--limit", 1, "--config", config)
    last = command("ledger", "list", "--json", "--before", 5, "--config", config)
    shown = command("ledger", "show", 3, "--json", "--config", config).value

    [change] = page.value["changes"]
    [first] = last.value["changes"]
    assert page.value["next"] == 5
    assert said.err == "more: go on with --before 5\n"
    assert last.value["next"] is None
    assert len(change.pop("call")) == 16
    assert MOMENT.fullmatch(change.pop("at"))
    assert change == {
        **CHANGE,
        "id": 5,
        "session": "t",
        "action": "updated",
        "details": change["details"],
    }
    assert first["action"] == "created"
    assert shown.keys() == {*first.keys(), "diff"}
    assert (shown["kind"], shown["diff"]) == ("outcome", None)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (("--session", "t"), [5]),
        (("--session", "nobody"), []),
        (("--domain", "files", "--target", "./a.txt"), [2]),
        (("--domain", "files", "--target", "A-file-nobody-wrote"), []),
        (("--action", "created", "--ability", "files/write"), [5, 2]),
        (("--actor", "cli", "--result", "ok", "--in-force", "--reversible"), [5, 2]),
        (("--undone",), []),
        (("--irreversible",), []),
        (("--since", "2020-01-01", "--until", "2020-01-02T10:00+01:00"), []),
        (("--since", "2020-01-01"), [5, 2]),
    ],
    ids=str,
)
def test_filters_leave_what_fits(
    tmp_path: Path, command: Command, given: tuple[str, ...], found: list[int]
) -> None:
    config = make_files(tmp_path)
    write(command, config, "one")
    write(command, config, "one", path="b.txt", session="t")

    ended = command("ledger", "list", "--json", *given, "--config", config)
    said = command("ledger", "list", *given, "--config", config)

    assert [each["id"] for each in ended.value["changes"]] == found
    assert found or said == (0, "No change fits.\n", "")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("list", "--target", "a"), "A --target is one of a --domain: name that too."),
        (
            ("list", "--action", "made"),
            "'made' is none of created, updated, deleted, ran.",
        ),
        (
            ("list", "--result", "good"),
            "'good' is none of ok, failed, unknown, unchanged, changed.",
        ),
        (("list", "--since", "soon"), "'soon' is no time, such as 2026-11-30 or "),
        (("list", "--until", "0001-01-01"), "'0001-01-01' is no time, such as "),
        (("list", "--limit", "501"), "'--limit'"),
        (("list", "--before", "0"), "'--before'"),
        (("show", "first"), "'ID'"),
        (("show", "0"), "'ID'"),
        (("export", "--after", "-1"), "'--after'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_wrong_usage_is_one_line_before_a_host_starts(
    tmp_path: Path, command: Command, given: tuple[str, ...], problem: str
) -> None:
    ended = command("ledger", *given, "--config", tmp_path / "none.toml")

    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: Invalid value")
    assert problem in ended.err
    assert ended.err.endswith(f" See 'abilities ledger {given[0]} --help'.\n")
    assert ended.err.count("\n") == 1


def test_a_change_is_shown_with_its_difference(
    tmp_path: Path, command: Command
) -> None:
    config = make_files(tmp_path)
    write(command, config, "one\n")
    write(command, config, "two \x1b[31m\n")

    shown = command("ledger", "show", 5, "--config", config)
    diff = command("ledger", "diff", 5, "--config", config)
    value = command("ledger", "diff", 5, "--json", "--config", config).value

    lines = "4 bytes -> 10 bytes\n@@ -1,1 +1,1 @@\n-one\n+two \\u001b[31m\n"
    assert diff == (0, lines, "")
    assert value == {
        "kind": "text",
        "text": "@@ -1,1 +1,1 @@\n-one\n+two \x1b[31m",
        "before_bytes": 4,
        "after_bytes": 10,
        "is_cut": False,
        "note": "",
    }
    assert masked(shown.out) == (
        "entry    5, change\nwhen     WHEN\nability  files/write\n"
        "target   files:a.txt\ndone     updated\nresult   ok\nstate    in force\n"
        f"actor    cli\nsession  s\ncall     CALL\n\n{lines}"
    )


def test_entries_of_every_kind_are_shown(tmp_path: Path, command: Command) -> None:
    config = make_files(tmp_path)
    write(command, config, "one")

    intent = command("ledger", "show", 1, "--config", config)
    outcome = command("ledger", "show", 3, "--config", config)

    head = "ability  files/write\ntarget   files:a.txt\nactor    cli\nsession  s\n"
    assert intent.code == outcome.code == 0
    assert masked(intent.out).startswith(f"entry    1, intent\nwhen     WHEN\n{head}")
    assert '"arguments": "' in intent.out
    assert masked(outcome.out).startswith("entry    3, outcome\nwhen     WHEN\n")


def test_an_entry_that_is_not_there_or_is_no_change_is_refused(
    tmp_path: Path, command: Command
) -> None:
    config = make_files(tmp_path)
    write(command, config, "one")

    unknown = [command("ledger", word, 99, "--config", config) for word in SHOWING]
    no_change = command("ledger", "diff", 3, "--config", config)

    missing = "error: There is no entry 99. List them with 'abilities ledger list'.\n"
    assert unknown == [(3, "", missing)] * len(SHOWING)
    shows = "'abilities ledger show 3' shows it."
    said = f"error: Entry 3 is no change of a target, but of kind 'outcome'. {shows}\n"
    assert no_change == (3, "", said)


SHOWING = ("show", "diff", "forget")


@pytest.mark.parametrize(
    "given",
    [
        ("list",),
        ("show", "1"),
        ("rollback", "1", "--yes", "--json"),
        ("verify",),
        ("evaluate",),
        ("export",),
        ("forget", "1"),
        ("prune",),
    ],
    ids=" ".join,
)
def test_without_a_ledger_every_command_says_so(
    tmp_path: Path, command: Command, given: tuple[str, ...]
) -> None:
    scopes = (*PLAIN, "ledger:undo")
    config = make_files(tmp_path, scopes=scopes, blocked=("ledger",))

    ended = command("ledger", *given, "--config", config)

    why = "'abilities plugins' says whether the ledger was set aside, and why."
    assert (ended.code, ended.out) == (4, "")
    assert ended.err.endswith(f"error: No pack keeps a record here. {why}\n")


def test_the_group_alone_shows_its_commands(command: Command) -> None:
    ended = command("ledger")

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Usage: abilities ledger [OPTIONS] COMMAND [ARGS]...\n")


# --- verify, evaluate, prune, export ------------------------------------------------


def test_a_record_that_is_whole_is_intact(tmp_path: Path, command: Command) -> None:
    config = make_files(tmp_path)
    write(command, config, "one")

    said = command("ledger", "verify", "--config", config)
    value = command("ledger", "verify", "--json", "--config", config).value

    sentence = "Intact, as far as the anchor goes."
    assert said == (0, f"intact: 3 entries read\n{sentence}\n", "")
    assert value == {
        "verdict": "intact",
        "at": None,
        "entries": 3,
        "first": 1,
        "head": 3,
        "sentence": sentence,
        "notes": [],
    }


def test_a_record_that_was_changed_is_broken(tmp_path: Path, command: Command) -> None:
    config = make_files(tmp_path)
    write(command, config, "one")
    with sqlite3.connect(load(config).store_path) as database:
        database.execute("UPDATE ledger_entry SET actor = 'ana' WHERE seq = 2")
    database.close()

    said = command("ledger", "verify", "--config", config)
    value = command("ledger", "verify", "--json", "--config", config)

    sentence = "The columns of entry 2 do not say what was written."
    assert said == (1, f"broken at 2\n{sentence}\n", "")
    assert (value.code, value.value["verdict"], value.value["at"]) == (1, "broken", 2)


def test_writes_are_judged_once(tmp_path: Path, command: Command) -> None:
    config = make_files(tmp_path)
    write(command, config, "one")
    nobody = command("ledger", "evaluate", "--config", config)
    judge = config.parent / "plugins" / "judge.py"
    judge.write_text(JUDGE, encoding="utf-8")

    first = command("ledger", "evaluate", "--json", "--config", config).value
    again = command("ledger", "evaluate", "--config", config)
    listed = command("ledger", "list", "--config", config).out

    assert nobody == (0, "No pack judged a write that nobody had judged.\n", "")
    assert {word: count for word, count in first.items() if count} == {
        "failed": 1,
        "divergences": 1,
    }
    assert "failed 0" in " ".join(again.out.split())
    assert listed.endswith("created  failed (said ok), in force\n")


def test_pruning_is_said_first_and_needs_nobody(
    tmp_path: Path, command: Command
) -> None:
    config = make_files(tmp_path, ledger="keep_entries = 500")
    nothing = command("ledger", "prune", "--config", config)
    note(load(config), times=600)

    tried = command("ledger", "prune", "--config", config)
    by_nobody = command("ledger", "prune", "--yes", "--config", config)
    said = command("ledger", "prune", "--json", "--config", config).value

    assert nothing == (0, "Nothing is over the limits.\n", "")
    assert (by_nobody.code, by_nobody.out) == (3, "")
    assert by_nobody.err.endswith("Make one: abilities admin add NAME\n")
    would = "With --yes this would remove 100 entries up to 100, and 0 bytes of states."
    assert tried == (0, f"{would}\n", "")
    assert said == {"entries": 100, "through": 100, "bytes": 0, "dry_run": True}


def test_an_export_is_a_line_for_each_entry(tmp_path: Path, command: Command) -> None:
    config = make_files(tmp_path)
    write(command, config, "one\u202e")

    whole = command("ledger", "export", "--config", config)
    rest = command("ledger", "export", "--after", 2, "--config", config)

    entries: list[dict[str, Any]] = [
        json.loads(line) for line in whole.out.split("\n") if line
    ]
    assert [(each["seq"], each["kind"]) for each in entries] == [
        (1, "intent"),
        (2, "change"),
        (3, "outcome"),
    ]
    assert whole.out.isascii()
    assert rest.out == whole.out.split("\n")[2] + "\n"


def test_who_has_read_enough_of_an_export_may_go(tmp_path: Path) -> None:
    note(make_host(tmp_path / "host"), times=3000)

    with subprocess.Popen(
        [sys.executable, "-m", "abilities_host", "ledger", "export"],
        cwd=tmp_path / "host",
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()

    assert json.loads(line)["seq"] == 1
    assert (process.returncode, said) == (0, "")


def test_a_long_export_is_not_kept_in_memory(tmp_path: Path) -> None:
    note(make_host(tmp_path / "host"), times=100_000)

    ended = start(tmp_path, "ledger", "export", "--config", "host/abilities.toml")

    lines = ended.stdout.splitlines()
    assert (ended.returncode, ended.stderr, len(lines)) == (0, "", 100_000)
    assert json.loads(lines[-1])["seq"] == 100_000
