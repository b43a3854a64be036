"""`memory` shows what is kept and takes proposals, all without a secret."""

import json
import re
from pathlib import Path

import pytest
from cli.conftest import Command
from cli.ledger_world import make_files, write
from cli.memory_world import BLOCKED, RULE, change, make_memory, propose
from cli.world import start

MOMENT = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\dZ)?")
HASH = re.compile(r"\b[0-9a-f]{64}\b")
SAID = {
    "id": "gm-001",
    "type": "guardrail",
    "topic": "shop",
    "text": "Never touch text files.",
    "rationale": "Asked for.",
    "recall": ["text"],
    "scope": {"site_wide": True, "post_id": None, "target": ""},
    "priority": 0,
    "class": "",
    "rule": RULE,
    "supersedes": "",
    "status": "pending",
    "source": "agent_proposal",
    "proposed_by": "agent",
    "proposed_at": "WHEN",
    "reviewed_by": "",
    "reviewed_at": None,
    "duplicate_of": "",
}
FORM = """
type = "fact"
topic = "shop"
text = "It sells shoes."
rationale = "Everybody says so."
target = "files:shop/*"
rule = ""
"""


def masked(text: str) -> str:
    """Take out what differs from run to run."""
    return HASH.sub("HASH", MOMENT.sub("WHEN", text))


def test_guidance_is_listed_oldest_first_and_filtered(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path)
    empty = command("memory", "list", "--config", config)
    propose(config, "Never touch text files.", rule=RULE)
    propose(config, f"We write\nlinks {'x' * 200}", type="fact", topic="Links")

    all_ = command("memory", "list", "--config", config)
    links = command("memory", "list", "--topic", "LINKS", "--json", "--config", config)
    none = command("memory", "list", "--status", "approved", "--config", config)
    first = command("memory", "list", "--limit", 1, "--config", config)
    last = command("memory", "list", "--after", 1, "--json", "--config", config)

    assert empty == (0, "Nothing was proposed yet.\n", "")
    assert (all_.code, all_.err) == (0, "")
    rows = [re.split(r"  +", line) for line in masked(all_.out).splitlines()]
    assert rows == [
        ["ID", "STATUS", "TYPE", "TOPIC", "TEXT", "BY", "WHEN"],
        [
            *("gm-001", "pending", "guardrail", "shop"),
            *("Never touch text files.", "agent", "WHEN"),
        ],
        [
            *("gm-002", "pending", "fact", "links"),
            *(f"We write links {'x' * 84}…", "agent", "WHEN"),
        ],
    ]
    assert [each["id"] for each in links.value["guidance"]] == ["gm-002"]
    assert none == (0, "No guidance fits.\n", "")
    assert first.err == "more: go on with --after 1\n"
    assert [each["id"] for each in last.value["guidance"]] == ["gm-002"]
    assert last.value["next"] is None


def test_guidance_as_json_has_every_key_always(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path)
    propose(config, "Never touch text files.", rule=RULE, recall=("text",))
    write(command, config, "one")

    listed = command("memory", "list", "--json", "--config", config)
    shown = command("memory", "show", "gm-001", "--json", "--config", config)

    [entry] = json.loads(masked(listed.out))["guidance"]
    value = json.loads(masked(shown.out))
    canonical = json.loads(value.pop("canonical"))
    assert entry == SAID
    assert canonical["text"] == SAID["text"]
    assert value == {
        **SAID,
        "hash": "HASH",
        "duplicates": [],
        "superseded": None,
        "diff": [],
        "forbids": {
            "days": 30,
            "count": 1,
            "is_cut": False,
            "examples": [
                {
                    "id": 2,
                    "at": "WHEN",
                    "actor": "cli",
                    "ability": "files/write",
                    "action": "created",
                    "target": "files:a.txt",
                }
            ],
        },
        "releases": None,
        "problem": "",
        "seal": {"verifies": False, "by": None, "at": None, "problem": None},
        "history": [
            {"at": "WHEN", "by": "agent", "action": "proposed", "hash": "HASH"}
        ],
    }


def test_what_agents_wrote_is_shown_escaped_and_behind_a_margin(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path)
    propose(config, "One.\u200d\n\nRULE\n  There is none.", recall=("text",))

    shown = command("memory", "show", "gm-001", "--config", config)

    assert shown.code == 0
    assert masked(shown.out) == (
        "gm-001  guardrail (advice), pending\n"
        "topic     shop\n"
        "proposed  WHEN by agent, agent proposal\n"
        "about     everywhere\n"
        "recall    text\n"
        "hash      HASH\n"
        "\nTEXT\n  | One.\\u200d\n  | \n  | RULE\n  |   There is none.\n"
        "\nWHY\n  | Asked for.\n"
        "\nRULE\n  There is none: this is advice, and nothing stops a write for it.\n"
        "\nHISTORY\n  WHEN proposed by agent\n"
    )


def test_a_new_version_is_shown_as_a_difference(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path)
    write(command, config, "one")
    propose(config, "Never touch text files.", rule=RULE, priority=1)
    propose(
        config,
        "Never touch text files!",
        rule={**RULE, "targets": ["b.txt"]},
        scope=propose(config, "Other.").scope,
        supersedes="gm-001",
    )

    shown = command("memory", "show", "gm-003", "--config", config)
    value = command("memory", "show", "gm-003", "--json", "--config", config).value

    assert "\nSAYS NEARLY THE SAME AS\n  gm-001, pending\n" in shown.out
    assert "\nIN PLACE OF gm-001, which is pending\n  | --- gm-001\n" in shown.out
    assert "  | -text: Never touch text files.\n" in shown.out
    assert '  | +    "b.txt"\n' in shown.out
    assert "\nWOULD HAVE STOPPED\n  nothing in the last 30 days\n" in shown.out
    released = (
        "\nWOULD NOT BE STOPPED ANY MORE\n  1 change in the last 30 days\n  | 2  "
    )
    assert released in shown.out
    assert value["superseded"]["id"] == "gm-001"
    assert "-priority: 1" in value["diff"]
    assert value["releases"]["count"] == 1


def test_a_rule_that_cannot_be_enforced_is_told(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path)
    propose(config, "Odd.", rule={"domain": "files"}, supersedes="")
    change(config, "UPDATE memory_guidance SET supersedes = 'gm-777'")

    shown = command("memory", "show", "gm-001", "--config", config)

    assert "\nIN PLACE OF gm-777, which is not there any more\n" in shown.out
    assert "\nITS RULE CANNOT BE ENFORCED\n  The rule cannot be enforced" in shown.out
    assert "  Approved, it stops every write that it covers.\n" in shown.out


def test_without_a_record_nobody_knows_what_a_rule_would_stop(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, blocked=(*BLOCKED, "ledger"))
    propose(config, "Never touch text files.", rule=RULE)

    shown = command("memory", "show", "gm-001", "--config", config)

    assert (
        "WOULD HAVE STOPPED\n  Nobody knows: there is no record to look it up in.\n"
        in (shown.out)
    )


@pytest.mark.parametrize(
    "given",
    [
        ("show", "gm-404"),
        ("approve", "gm-404"),
        ("reject", "gm-404"),
        ("archive", "gm-404"),
        ("edit", "gm-404"),
        ("forget", "gm-404"),
    ],
    ids=" ".join,
)
def test_an_id_that_nothing_has_is_refused_before_anybody_is_asked(
    tmp_path: Path, command: Command, given: tuple[str, ...]
) -> None:
    config = make_memory(tmp_path, "ana")

    ended = command("memory", *given, "--config", config)

    said = "error: No guidance has the id that was given. An id looks like gm-001.\n"
    assert ended == (3, "", said)


def test_scripts_are_told_how_many_wait(tmp_path: Path, command: Command) -> None:
    config = make_memory(tmp_path)
    none = command("memory", "review", "--count", "--config", config)
    propose(config, "One.")
    propose(config, "Two.")

    said = command("memory", "review", "--count", "--config", config)
    value = command("memory", "review", "--count", "--json", "--config", config).value
    screen = command("memory", "review", "--config", config)
    mixed = command("memory", "review", "--json", "--config", config)

    assert none == (0, "0\n", "")
    assert said == (0, "2\n", "")
    assert value == {"pending": 2}
    assert screen.code == 3
    assert screen.err.startswith("error: A review needs a person at a terminal. In a ")
    assert (mixed.code, mixed.out) == (2, "")


# --- add and edit ---------------------------------------------------------------------


def test_guidance_is_added_by_options_and_waits(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path)
    given = (
        "--topic",
        "Shop",
        "--text",
        "Never touch text files.",
        "--rationale",
        "A.",
    )
    more = ("--type", "guardrail", "--rule", json.dumps(RULE), "--recall", "shoes")

    said = command("memory", "add", *given, "--config", config)
    value = command(
        *("memory", "add", *given, *more, "--post-id", 7, "--priority", 3),
        *("--class", "identity", "--supersedes", "gm-001", "--json"),
        *("--config", config),
    ).value

    assert said == (0, "gm-001 waits for a review: abilities memory review\n", "")
    assert {**value, "proposed_at": "WHEN"} == {
        **SAID,
        "id": "gm-002",
        "rationale": "A.",
        "recall": ["shoes"],
        "scope": {"site_wide": False, "post_id": 7, "target": ""},
        "priority": 3,
        "class": "identity",
        "supersedes": "gm-001",
        "source": "manual",
        "proposed_by": "cli",
        "duplicate_of": "gm-001",
    }


def test_guidance_is_added_from_a_form(tmp_path: Path, command: Command) -> None:
    config = make_memory(tmp_path)
    form = tmp_path / "form.toml"
    form.write_text(FORM, encoding="utf-8")

    value = command("memory", "add", "--file", form, "--json", "--config", config).value
    again = start(
        config.parent, "memory", "add", "--file", "-", given='{"type": "fact"}'
    )
    same = command("memory", "add", "--file", form, "--config", config)

    assert value["scope"] == {
        "site_wide": False,
        "post_id": None,
        "target": "files:shop/*",
    }
    assert (value["type"], value["status"], value["source"]) == (
        "fact",
        "pending",
        "manual",
    )
    assert again.returncode == 3
    needed = (
        "error: The form cannot be taken: 'topic' is needed. Nothing was proposed.\n"
    )
    assert again.stderr == needed
    assert same.out.endswith("It says nearly the same as gm-001.\n")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xff", "it is not UTF-8 text."),
        (b"#" * 300_000, "it is larger than 256 KiB."),
    ],
    ids=["not text", "large"],
)
def test_a_file_that_is_no_form_is_refused(
    tmp_path: Path, command: Command, content: bytes, problem: str
) -> None:
    config, form = make_memory(tmp_path), tmp_path / "form.toml"
    form.write_bytes(content)

    ended = command("memory", "add", "--file", form, "--config", config)

    assert ended.code == 3
    assert ended.err.endswith(f" taken: {problem} Nothing was proposed.\n")


def test_another_version_of_a_decided_one_needs_no_secret(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path)
    propose(config, "One.")
    change(config, "UPDATE memory_guidance SET status = 'rejected'")
    form = tmp_path / "form.toml"
    form.write_text(FORM, encoding="utf-8")

    ended = command("memory", "edit", "gm-001", "--file", form, "--config", config)

    assert ended == (0, "gm-002 waits for a review: abilities memory review\n", "")


@pytest.mark.parametrize(
    ("given", "code", "problem"),
    [
        (("list", "--status", "done"), 2, "'done' is none of pending, approved, "),
        (("list", "--limit", "0"), 2, "'--limit'"),
        (("add", "--type", "law"), 2, "'law' is none of guardrail, fact, "),
        (("add", "--class", "law"), 2, "'law' is none of identity, "),
        (("add", "--rule", "[]", "--text", "a"), 3, "'rule' is one JSON object."),
        (("add", "--rule", "{", "--text", "a"), 3, "'rule' is not JSON."),
        (("add",), 2, "A form needs a terminal. Give --text, or a form with --file."),
        (("add", "--file", "none.toml"), 3, "none.toml cannot be read (No such file"),
        (("add", "--text", "One."), 3, "The topic cannot be taken: it is empty."),
        (("topic", "set", "shop"), 2, "Say what is to be different, such as "),
        (("topic", "set", "shop", "--state", "on"), 2, "'on' is none of active, "),
        (("topic", "show", "shop"), 3, "There is no topic 'shop'."),
        (("import", "none.json"), 3, "none.json cannot be read: No such file"),
        (("acknowledge", "gm-001"), 3, "No alarm says that gm-001 is gone."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_is_one_line(
    tmp_path: Path, command: Command, given: tuple[str, ...], code: int, problem: str
) -> None:
    config = make_memory(tmp_path)

    ended = command("memory", *given, "--config", config)

    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith("error: ")
    assert problem in ended.err
    assert ended.err.count("\n") == 1


# --- nobody to ask, nothing there -----------------------------------------------------

DECIDING = [
    ("approve", "gm-001"),
    ("reject", "gm-001"),
    ("archive", "gm-001"),
    ("edit", "gm-001", "--file", "form.toml"),
    ("forget", "gm-001"),
    ("topic", "set", "shop", "--always-on"),
    ("import", "form.json", "--keep-approvals"),
]


@pytest.mark.parametrize("given", DECIDING, ids=" ".join)
def test_whatever_decides_needs_a_person_with_an_account(
    tmp_path: Path, command: Command, given: tuple[str, ...]
) -> None:
    (tmp_path / "form.json").write_text("{}", encoding="utf-8")
    nobody, somebody = (
        make_memory(tmp_path / "nobody"),
        make_memory(tmp_path / "ana", "ana"),
    )
    given = tuple(
        str(tmp_path / each) if each.startswith("form.") else each for each in given
    )
    for config in (nobody, somebody):
        propose(config, "One.")

    without_account = command("memory", *given, "--config", nobody)
    without_terminal = command("memory", *given, "--config", somebody)
    left = command("memory", "list", "--json", "--config", somebody).value

    assert without_account.code == 3
    assert "Make one: abilities admin add NAME" in without_account.err
    assert without_terminal.code == 3
    assert "This needs a person at a terminal" in without_terminal.err
    assert [each["status"] for each in left["guidance"]] == ["pending"]


@pytest.mark.parametrize(
    "given",
    [
        ("list",),
        ("show", "gm-001"),
        ("review", "--count"),
        ("approve", "gm-001"),
        ("reject", "gm-001"),
        ("archive", "gm-001"),
        ("edit", "gm-001"),
        ("add", "--text", "a"),
        ("forget", "gm-001"),
        ("alarms",),
        ("acknowledge", "gm-001"),
        ("export",),
        ("patterns",),
        ("topic", "list"),
        ("topic", "show", "a"),
        ("topic", "set", "a", "--always-on"),
    ],
    ids=" ".join,
)
def test_without_a_memory_every_command_says_so(
    tmp_path: Path, command: Command, given: tuple[str, ...]
) -> None:
    config = make_files(tmp_path, blocked=BLOCKED)

    ended = command("memory", *given, "--config", config)

    why = "'abilities plugins' says whether it was set aside, and why."
    assert (ended.code, ended.out) == (4, "")
    assert ended.err == f"error: No pack keeps the project's memory here. {why}\n"


@pytest.mark.parametrize("group", [("memory",), ("memory", "topic"), ("queue",)])
def test_a_group_alone_shows_its_commands(
    command: Command, group: tuple[str, ...]
) -> None:
    ended = command(*group)

    assert (ended.code, ended.err) == (0, "")
    usage = f"Usage: abilities {' '.join(group)} [OPTIONS] COMMAND [ARGS]...\n"
    assert ended.out.startswith(usage)


def test_what_no_person_approved_is_an_alarm(tmp_path: Path, command: Command) -> None:
    config = make_memory(tmp_path)
    quiet = command("memory", "alarms", "--config", config)
    propose(config, "One.")
    change(config, "UPDATE memory_guidance SET status = 'approved'")

    said = command("memory", "alarms", "--config", config)
    value = command("memory", "alarms", "--json", "--config", config)
    shown = command("memory", "show", "gm-001", "--config", config)
    sealed = command("memory", "show", "gm-001", "--json", "--config", config).value

    sentence = (
        "guidance gm-001 says it is approved, and no person did; it has no effect."
    )
    assert quiet == (0, "Everything is as people left it.\n", "")
    assert said[:2] == (1, f"{sentence}\n")
    assert value.code == 1
    assert value.value["alarms"] == [
        {
            "kind": "guidance",
            "id": "gm-001",
            "problem": "unsealed",
            "binds": False,
            "sentence": sentence,
        }
    ]
    assert f"\nSEAL\n  {sentence}\n" in shown.out
    assert sealed["seal"] == {
        "verifies": False,
        "by": None,
        "at": None,
        "problem": "unsealed",
    }
