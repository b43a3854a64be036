"""`memory export`, `import` and `patterns` hand over what memory gives and takes."""

import json
from pathlib import Path

import pytest
from cli.conftest import Command
from cli.memory_world import RULE, make_memory, memory, propose

# Remembers nothing, and says what it was given.
CARRYING = """
from contextlib import asynccontextmanager

from abilities_host import hookimpl
from abilities_host.memory import Guidance, Imported, ProjectMemory


class Carrying:
    async def export(self):
        return {"guidance": [{"id": "gm-001", "text": "a\\u202eb"}], "seals": []}

    async def bring_in(self, document, *, by, human=None):
        return Imported(
            ids={"a": "gm-001", "b": "gm-002"},
            approved=("gm-001",) if human else (),
            topics=("shop",) if human else (),
            left_out=(f"{document!r} by {by}\\u202e",),
        )

    async def propose_patterns(self):
        return (
            Guidance(
                id="gm-003", type="guardrail", topic="a", text="b\\u202e", rationale="",
                proposed_by="host", proposed_at=0,
            ),
        )


@hookimpl
@asynccontextmanager
async def open_pack(site):
    site.offer(ProjectMemory, Carrying())
    yield
"""


def make_carrying(folder: Path, *names: str) -> Path:
    config = make_memory(folder, *names)
    pack = config.parent / "plugins" / "remembering.py"
    pack.write_text(CARRYING, encoding="utf-8")
    return config


def test_an_export_goes_to_output_or_to_a_new_file(
    tmp_path: Path, command: Command
) -> None:
    config, file = make_carrying(tmp_path), tmp_path / "memory.json"

    printed = command("memory", "export", "--config", config)
    written = command("memory", "export", file, "--config", config)
    again = command("memory", "export", file, "--config", config)
    nowhere = command("memory", "export", tmp_path / "a" / "b", "--config", config)

    document = {"guidance": [{"id": "gm-001", "text": "a\u202eb"}], "seals": []}
    assert (printed.code, printed.err, printed.value) == (0, "", document)
    assert printed.out.isascii()
    assert written == (0, f"Written: {file}, 1 entry.\n", "")
    assert json.loads(file.read_text(encoding="utf-8")) == document
    assert file.stat().st_mode & 0o777 == 0o600
    there = f"error: {file} is there already. Nothing was exported.\n"
    assert again == (3, "", there)
    assert nowhere.code == 3
    assert (
        "cannot be written: No such file or directory. Nothing was exp" in nowhere.err
    )


def test_a_document_is_taken_without_a_secret_and_waits(
    tmp_path: Path, command: Command
) -> None:
    config, file = make_carrying(tmp_path), tmp_path / "memory.json"
    file.write_text('{"guidance": [1]}', encoding="utf-8")

    said = command("memory", "import", file, "--config", config)
    value = command("memory", "import", file, "--json", "--config", config).value
    folder = command("memory", "import", tmp_path, "--json", "--config", config).value

    left_out = "{'guidance': [1]} by cli\u202e"
    assert said == (
        0,
        "2 wait for a review: abilities memory review\n",
        "left out: {'guidance': [1]} by cli\\u202e\n",
    )
    ids = {"a": "gm-001", "b": "gm-002"}
    assert value == {"ids": ids, "approved": [], "topics": [], "left_out": [left_out]}
    assert folder["left_out"] == [f"{tmp_path!r} by cli\u202e"]


def test_approvals_are_kept_with_the_secret_only(
    tmp_path: Path, command: Command
) -> None:
    config, file = make_carrying(tmp_path, "ana"), tmp_path / "memory.json"
    file.write_text("{}", encoding="utf-8")

    kept = memory(config, "import", str(file), "--keep-approvals")
    waiting = memory(config, "import", str(file), "--as", "ana")
    nobody = command("memory", "import", file, "--keep-approvals", "--config", config)

    assert kept.code == 0
    assert kept.screen.startswith("Entries whose seal verifies here are in force at on")
    assert kept.screen.endswith(
        "Secret of ana: \n1 wait for a review: abilities memory review\n"
        "1 stay approved.\nTopics: shop\nleft out: {} by ana\\u202e\n"
    )
    assert waiting.code == 0
    assert waiting.screen.startswith("Everything waits for a review, whatever it was")
    assert waiting.screen.endswith(
        "\n2 wait for a review: abilities memory review\nleft out: {} by ana\\u202e\n"
    )
    assert nobody.code == 3
    assert "This needs a person at a terminal" in nobody.err


def test_what_was_exported_comes_in_elsewhere(tmp_path: Path, command: Command) -> None:
    here, there = make_memory(tmp_path / "here"), make_memory(tmp_path / "there", "ana")
    propose(here, "Never touch text files.", rule=RULE, recall=("text",))
    file, folder = tmp_path / "memory.json", tmp_path / "empty"
    folder.mkdir()

    command("memory", "export", file, "--config", here)
    plain = command("memory", "import", file, "--json", "--config", there).value
    again = memory(there, "import", str(file), "--keep-approvals", "--json")
    broken = command("memory", "import", folder, "--config", there)
    listed = command("memory", "list", "--json", "--config", there).value["guidance"]

    assert plain["ids"] == {"gm-001": "gm-001"}
    assert again.code == 0
    assert '"gm-001": "gm-002"' in again.screen
    assert broken.code != 0
    assert broken.err.startswith("error: ")
    assert [(each["status"], each["rule"], each["proposed_by"]) for each in listed] == [
        ("pending", RULE, "cli"),
        ("pending", RULE, "ana"),
    ]


@pytest.mark.parametrize("as_json", [False, True])
def test_patterns_are_proposed_and_told(
    tmp_path: Path, command: Command, *, as_json: bool
) -> None:
    config = make_carrying(tmp_path)
    more = ("--json",) if as_json else ()

    ended = command("memory", "patterns", *more, "--config", config)

    assert (ended.code, ended.err) == (0, "")
    if as_json:
        assert [each["id"] for each in ended.value["proposed"]] == ["gm-003"]
    else:
        assert ended.out == "gm-003 waits for a review: b\\u202e\n"
