"""`queue` shows and decides whatever waits for a person, of every kind."""

import json
from pathlib import Path

import pytest
from cli.at_terminal import Ended, at_terminal
from cli.conftest import Command
from cli.memory_world import change, make_memory, plain, propose
from cli.record_world import ANA

# A pack with a kind of its own, whose entries are no JSON.
NOTES = """
from contextlib import asynccontextmanager

from abilities_host import hookimpl
from abilities_host.errors import CallError
from abilities_host.gate import Gate, Waiting
from abilities_host.storage import Migration, Statement

TABLE = Migration("0001", (
    "CREATE TABLE demo_note (id TEXT PRIMARY KEY, text TEXT, state TEXT)",
    "INSERT INTO demo_note VALUES ('n:1', 'Buy\\u202e milk', 'draft')",
))
READ = "SELECT id, text FROM demo_note WHERE state = "
FIND = "SELECT text, state FROM demo_note WHERE id = :i"


class Notes:
    name = "note"

    def __init__(self, store):
        self.store = store

    def canonical(self, changing, id_):
        return self._find(changing, id_)[0].encode()

    def approve(self, changing, id_, *, by, at):
        self._set(changing, id_, "draft", "on")
        return ()

    def withdraw(self, changing, id_, *, by, at):
        self._set(changing, id_, "on", "off")

    def reject(self, changing, id_, *, by, at):
        self._set(changing, id_, "draft", "off")

    def binds(self, canonical):
        return False

    async def waiting(self):
        rows = await self.store.read(READ + "'draft'")
        return [Waiting(id_, text, "agent", 0) for id_, text in rows]

    async def effective(self):
        rows = await self.store.read(READ + "'on'")
        return [(id_, text.encode()) for id_, text in rows]

    def _find(self, changing, id_):
        rows = changing.execute(FIND, {"i": id_})
        if not rows:
            raise CallError("There is no such note.")
        return rows[0]

    def _set(self, changing, id_, needed, state):
        if self._find(changing, id_)[1] != needed:
            raise CallError("The note is not " + needed + ".")
        changing.execute(
            "UPDATE demo_note SET state = :s WHERE id = :i", {"s": state, "i": id_}
        )


@hookimpl
@asynccontextmanager
async def open_pack(site):
    gate = site.find(Gate)
    await gate.migrate()
    await site.store.migrate("demo", (TABLE,))
    gate.register_kind(Notes(site.store))
    yield
"""


def make_notes(folder: Path, *names: str) -> Path:
    config = make_memory(folder, *names)
    (config.parent / "plugins" / "notes.py").write_text(NOTES, encoding="utf-8")
    return config


def queue(config: Path, *given: str) -> Ended:
    answers = [(b"Secret of ana: ", f"{ANA}\n".encode())]
    ended = at_terminal(config.parent, "queue", *given, answers=answers)
    return Ended(ended.code, plain(ended.screen))


def test_all_that_waits_is_listed_and_shown(tmp_path: Path, command: Command) -> None:
    empty = command("queue", "list", "--config", make_memory(tmp_path / "empty"))
    config = make_notes(tmp_path / "notes")
    propose(config, "One.")

    said = command("queue", "list", "--config", config)
    value = command("queue", "list", "--json", "--config", config).value
    note = command("queue", "show", "note:n:1", "--config", config)
    guidance = command("queue", "show", "guidance:gm-001", "--json", "--config", config)

    assert empty == (0, "Nothing waits for a person.\n", "")
    words = [line.split("  ")[0] for line in said.out.splitlines()]
    assert sorted(words) == ["ENTRY", "guidance:gm-001", "note:n:1"]
    assert "Buy\\u202e milk" in said.out
    assert {"kind": "note", "id": "n:1", "title": "Buy\u202e milk", "by": "agent"} in [
        {key: each[key] for key in ("kind", "id", "title", "by")}
        for each in value["waiting"]
    ]
    lines = note.out.splitlines()
    assert (lines[0], lines[2:]) == ("note:n:1", ["  | Buy\\u202e milk"])
    shown = guidance.value
    assert (shown["kind"], shown["id"], len(shown["hash"])) == (
        "guidance",
        "gm-001",
        64,
    )
    assert json.loads(shown["canonical"])["text"] == "One."


def test_an_entry_of_any_kind_is_approved_and_withdrawn(
    tmp_path: Path, command: Command
) -> None:
    config = make_notes(tmp_path, "ana")

    approved = queue(config, "approve", "note:n:1")
    again = queue(config, "approve", "note:n:1")
    withdrawn = queue(config, "withdraw", "note:n:1", "--json")
    left = command("queue", "list", "--config", config)

    assert approved.code == 0
    assert approved.screen.startswith("note:n:1\nhash ")
    assert "  | Buy\\u202e milk\n" in approved.screen
    assert approved.screen.endswith("Secret of ana: \nnote:n:1 is approved.\n")
    assert again.code != 0
    assert again.screen.endswith("error: The note is not draft.\n")
    assert withdrawn.code == 0
    done = '{\n  "kind": "note",\n  "id": "n:1",\n  "done": "withdrawn"\n}\n'
    assert withdrawn.screen.endswith(done)
    assert left.out == "Nothing waits for a person.\n"


def test_an_entry_is_rejected_with_the_secret(tmp_path: Path, command: Command) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")

    ended = queue(config, "reject", "guidance:gm-001")
    shown = command("memory", "show", "gm-001", "--json", "--config", config).value

    assert ended.code == 0
    assert ended.screen.endswith("Secret of ana: \nguidance:gm-001 is rejected.\n")
    assert (shown["status"], shown["reviewed_by"]) == ("rejected", "ana")


def test_an_entry_that_is_another_by_now_is_not_approved(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")
    given = ("queue", "show", "guidance:gm-001", "--json", "--config", config)
    seen = command(*given).value["hash"]
    change(config, "UPDATE memory_guidance SET text = 'Two.'")

    approve = ("queue", "approve", "guidance:gm-001", "--hash", seen)
    ended = at_terminal(config.parent, *approve)

    assert ended.code == 3
    assert ended.screen.startswith("error: guidance gm-001 is not what was shown any m")


@pytest.mark.parametrize("word", ["show", "approve", "reject", "withdraw"])
@pytest.mark.parametrize(
    ("entry", "code", "problem"),
    [
        ("gm-001", 2, "'gm-001' is no entry, such as 'guidance:gm-001'."),
        ("guidance:", 2, "'guidance:' is no entry"),
        ("gidance:gm-001", 3, "There is no kind 'gidance'. Did you mean 'guidance'?"),
        ("guidance:gm-404", 3, "No guidance has the id that was given."),
    ],
)
def test_what_is_no_entry_is_refused(
    tmp_path: Path, command: Command, *, word: str, entry: str, code: int, problem: str
) -> None:
    config = make_memory(tmp_path)

    ended = command("queue", word, entry, "--config", config)

    assert (ended.code, ended.out) == (code, "")
    assert problem in ended.err


def test_without_a_person_nothing_is_decided(tmp_path: Path, command: Command) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")

    ended = command("queue", "approve", "guidance:gm-001", "--config", config)

    assert ended.code == 3
    assert "This needs a person at a terminal" in ended.err
