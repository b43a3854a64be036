"""A decision on guidance needs the secret of a person at a terminal, one by one."""

from pathlib import Path

import pytest
from cli.at_terminal import MAIN, Desk, at_terminal
from cli.conftest import Command
from cli.memory_world import (
    RULE,
    SECRETS,
    change,
    editing,
    make_memory,
    memory,
    propose,
)
from cli.record_world import ANA, BEN, WARNING


def shown(command: Command, config: Path, id_: str) -> dict[str, object]:
    value = command("memory", "show", id_, "--json", "--config", config).value
    return {key: value[key] for key in ("status", "reviewed_by", "seal")}


def test_what_is_approved_is_shown_first_and_sealed(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana", "ben")
    propose(config, "Never touch text files.", rule=RULE)

    ended = memory(config, "approve", "gm-001", "--as", "ben", name="ben")
    again = at_terminal(config.parent, "memory", "approve", "gm-001")
    said = command("memory", "show", "gm-001", "--config", config).out
    seal = shown(command, config, "gm-001")["seal"]
    topics = command("memory", "topic", "list", "--config", config).out
    quiet = command("memory", "alarms", "--config", config)

    assert ended.code == 0
    text, _, rest = ended.screen.partition(WARNING)
    assert "gm-001  guardrail, pending" in text
    assert "  | Never touch text files.\n" in text
    assert '  |   "domain": "files",\n' in text
    assert rest == "Secret of ben: \ngm-001 is approved.\n"
    told = "'abilities memory show gm-001' says who decided.\n"
    problem = f"error: gm-001 is approved, so it cannot be approved. {told}"
    assert again == (3, problem)
    assert "\nSEAL\n  It is as ben, " in said
    assert isinstance(seal, dict)
    assert (seal["verifies"], seal["by"], seal["problem"]) == (True, "ben", None)
    assert topics.split()[-3:] == ["shop", "active", "no"]
    assert quiet.code == 0


def test_a_wrong_secret_approves_nothing(tmp_path: Path, command: Command) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")

    ended = memory(config, "approve", "gm-001", secret=BEN)

    assert ended.code == 3
    assert "error: No account has this name and this secret." in ended.screen
    assert shown(command, config, "gm-001")["status"] == "pending"


def test_an_approval_that_names_a_hash_takes_no_other(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")
    seen = command("memory", "show", "gm-001", "--json", "--config", config).value
    change(config, "UPDATE memory_guidance SET text = 'Two.'")

    swapped = at_terminal(
        config.parent, "memory", "approve", "gm-001", "--hash", seen["hash"]
    )
    now = command("memory", "show", "gm-001", "--json", "--config", config).value
    taken = memory(config, "approve", "gm-001", "--hash", now["hash"], "--json")

    assert swapped.code == 3
    stale = "error: guidance gm-001 is not what was shown any more, so the decision was"
    assert swapped.screen.startswith(stale)
    assert taken.code == 0
    assert taken.screen.endswith('"duplicate_of": ""\n}\n')


def test_what_is_swapped_while_a_person_types_is_not_approved(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")

    with Desk(
        config.parent, editing(tmp_path, ""), *("memory", "approve", "gm-001")
    ) as (desk):
        desk.wait_for(b"Secret of ana: ")
        change(config, "UPDATE memory_guidance SET text = 'Two.'")
        desk.type(f"{ANA}\n".encode())
        ended = desk.finish()

    assert ended.code == 3
    assert "gm-001 is not what was shown any more" in ended.screen
    assert shown(command, config, "gm-001")["status"] == "pending"


def test_several_are_rejected_with_one_secret(tmp_path: Path, command: Command) -> None:
    config = make_memory(tmp_path, "ana")
    for text in ("One.", "Two.", "Three."):
        propose(config, text)

    ended = memory(config, "reject", "gm-001", "gm-003", "gm-001")
    again = at_terminal(config.parent, "memory", "reject", "gm-002", "gm-001")

    assert ended.code == 0
    assert ended.screen.endswith("gm-001 is rejected.\ngm-003 is rejected.\n")
    assert "  | Three.\n" in ended.screen
    assert again.code == 3
    assert again.screen.startswith("error: gm-001 is rejected, so it cannot be reject")
    value = shown(command, config, "gm-003")
    assert (value["status"], value["reviewed_by"]) == ("rejected", "ana")
    assert shown(command, config, "gm-002")["status"] == "pending"


def test_a_rejection_that_comes_too_late_is_told_and_the_others_stand(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")
    propose(config, "Two.")

    with Desk(
        config.parent,
        editing(tmp_path, ""),
        *("memory", "reject", "gm-001", "gm-002", "--json"),
    ) as desk:
        desk.wait_for(b"Secret of ana: ")
        change(
            config, "UPDATE memory_guidance SET status = 'archived' WHERE number = 1"
        )
        desk.type(f"{ANA}\n".encode())
        ended = desk.finish()

    assert ended.code == 3
    assert "error: gm-001 is archived and cannot become rejected." in ended.screen
    assert shown(command, config, "gm-002")["status"] == "rejected"


def test_pending_guidance_is_set_aside_and_approved_is_withdrawn(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.", rule=RULE)
    propose(config, "Two.")
    memory(config, "approve", "gm-001")

    withdrawn = memory(config, "archive", "gm-001")
    aside = memory(config, "archive", "gm-002", "--json")
    again = at_terminal(config.parent, "memory", "archive", "gm-002")
    quiet = command("memory", "alarms", "--config", config)

    end = "\ngm-001 is archived, and has no effect any more.\n"
    assert (withdrawn.code, withdrawn.screen.endswith(end)) == (0, True)
    assert aside.code == 0
    assert '"status": "archived"' in aside.screen
    assert again.code == 3
    assert again.screen.startswith("error: gm-002 is archived, so it cannot be archiv")
    assert shown(command, config, "gm-001")["status"] == "archived"
    assert quiet.code == 0


def test_only_an_operator_forgets(tmp_path: Path, command: Command) -> None:
    config = make_memory(tmp_path, "ana", "ben")
    propose(config, "One secret.")
    propose(config, "Two.")
    memory(config, "approve", "gm-002", "--as", "ana")

    reviewer = at_terminal(config.parent, "memory", "forget", "gm-001", "--as", "ben")
    approved = at_terminal(config.parent, "memory", "forget", "gm-002")
    ended = memory(config, "forget", "gm-001", "--json")
    listed = command("memory", "list", "--config", config).out
    left = command("memory", "show", "gm-001", "--config", config).out

    assert reviewer.code == 3
    assert reviewer.screen.startswith("error: This needs the role operator, and 'ben' ")
    first = "Withdraw it first: abilities memory archive gm-002\n"
    assert approved == (3, f"error: gm-002 is approved. {first}")
    assert ended.code == 0
    assert "What it says goes for good" in ended.screen
    assert '"text": ""' in ended.screen
    assert "gm-001" not in listed
    assert "One secret." not in left
    assert "forgotten by ana" in left


def test_what_is_gone_alarms_until_a_person_gives_it_up(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.", rule=RULE)
    memory(config, "approve", "gm-001")
    change(config, "DELETE FROM memory_guidance")

    alarm = command("memory", "alarms", "--config", config)
    ended = memory(config, "acknowledge", "gm-001")
    again = at_terminal(config.parent, "memory", "acknowledge", "gm-001")
    quiet = command("memory", "alarms", "--config", config)

    gone = "guidance gm-001 was approved and is gone, and no person withdrew it."
    assert alarm[:2] == (1, f"{gone}\n")
    assert ended.code == 0
    assert "It is given up: what it stopped" in " ".join(ended.screen.split())
    assert ended.screen.endswith("Secret of ana: \ngm-001 is given up.\n")
    assert again.code == 3
    assert quiet.code == 0


def test_a_topic_is_changed_with_the_secret(tmp_path: Path, command: Command) -> None:
    config = make_memory(tmp_path, "ana")
    none = command("memory", "topic", "list", "--config", config)
    given = ("--state", "inactive", "--always-on", "--recall", "shoes", "--recall", "a")

    made = memory(config, "topic", "set", "Shop", *given)
    cleared = memory(
        config,
        *("topic", "set", "shop", "--recall", "", "--exclude", "b", "--json"),
    )
    said = command("memory", "topic", "show", "SHOP", "--config", config)
    value = command("memory", "topic", "show", "shop", "--json", "--config", config)
    listed = command("memory", "topic", "list", "--json", "--config", config).value

    assert none.out == "There is no topic yet. Approved guidance makes its own.\n"
    assert made.code == 0
    assert "\n- state      active\n+ state      inactive\n" in made.screen
    assert made.screen.endswith("\nThe topic shop is as you said.\n")
    assert cleared.code == 0
    assert "\n- recall     shoes, a\n+ recall     -\n" in cleared.screen
    assert said.out.startswith("topic shop\nstate      inactive\nalways on  yes\n")
    assert said.out.count(" changed by ana\n") == 2
    history = value.value.pop("history")
    assert [each["by"] for each in history] == ["ana", "ana"]
    topic = {"name": "shop", "state": "inactive", "always_on": True}
    assert listed == {"topics": [{**topic, "recall": [], "exclude": ["b"]}]}


# --- edit and add ---------------------------------------------------------------------


def edit(config: Path, code: str, *given: str, secret: bool = True) -> tuple[int, str]:
    """Edit a form in an editor that changes it as the code says."""
    with Desk(config.parent, editing(config.parent, code), "memory", *given) as desk:
        if secret:
            desk.wait_for(b"Secret of ana: ")
            desk.type(f"{SECRETS['ana']}\n".encode())
        ended = desk.finish()
    return ended.code, ended.screen


def test_a_new_version_of_what_waits_takes_its_place(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, 'One "odd" \\ text\nof two lines.', rule=RULE, recall=("a b",))

    code, screen = edit(config, "text = text.replace('two', 'three')", "edit", "gm-001")
    new = command("memory", "show", "gm-002", "--json", "--config", config).value
    old = shown(command, config, "gm-001")

    assert code == 0
    assert screen.endswith("\ngm-002 waits for a review: abilities memory review\n")
    assert new["text"] == 'One "odd" \\ text\nof three lines.'
    assert (new["rule"], new["recall"], new["supersedes"]) == (RULE, ["a b"], "")
    assert (new["source"], new["proposed_by"]) == ("manual", "ana")
    assert (old["status"], old["reviewed_by"]) == ("archived", "ana")


def test_a_new_version_of_what_is_approved_supersedes_it(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")
    memory(config, "approve", "gm-001")

    code, _ = edit(
        config, "text = text.replace('One', 'Two')", "edit", "gm-001", secret=False
    )
    waiting = shown(command, config, "gm-001")["status"]
    memory(config, "approve", "gm-002")
    value = command("memory", "show", "gm-002", "--json", "--config", config).value

    assert code == 0
    assert waiting == "approved"
    assert (value["text"], value["supersedes"]) == ("Two.", "gm-001")
    assert value["proposed_by"] == "cli"
    assert shown(command, config, "gm-001")["status"] == "archived"


def test_a_form_that_is_left_as_it_was_proposes_nothing(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path, "ana")
    propose(config, "One.")

    code, screen = edit(config, "", "edit", "gm-001")

    assert code == 0
    assert screen.endswith("Nothing was changed, so nothing was proposed.\n")
    assert shown(command, config, "gm-001")["status"] == "pending"


def test_what_is_wrong_in_a_form_can_be_mended(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path)
    mending = (
        "text = text.replace('topic = \"\"', 'topic = \"shop\"')\n"
        'text = text.replace(\'text = """\\n"\', \'text = """\\nOne."\')\n'
        'why = \'rationale = """\\n"\'\n'
        "if 'again' in text: text = text.replace(why, 'rationale = \"\"\"\\nTwo.\"')\n"
        "text += '# again\\n'\n"
    )

    with Desk(config.parent, editing(tmp_path, mending), "memory", "add") as desk:
        desk.wait_for(b"error: The form cannot be taken: 'rationale' is needed. ")
        desk.wait_for(b"or type 'q' to leave it: ")
        desk.type(b"\n")
        ended = desk.finish()
    value = command("memory", "show", "gm-001", "--json", "--config", config).value

    assert ended.code == 0
    assert (value["text"], value["rationale"]) == ("One.", "Two.")
    assert (value["type"], value["proposed_by"]) == ("convention", "cli")


def test_a_text_that_is_given_up_is_kept(tmp_path: Path) -> None:
    config = make_memory(tmp_path)

    with Desk(
        config.parent, editing(tmp_path, "text = 'odd ='"), "memory", "add"
    ) as desk:
        desk.wait_for(b"error: The form cannot be taken: it is not TOML at ")
        desk.wait_for(b"or type 'q' to leave it: ")
        desk.type(b"q\n")
        ended = desk.finish()

    [kept] = [
        Path(line.removeprefix("note: your text is kept in "))
        for line in ended.screen.splitlines()
        if line.startswith("note: ")
    ]
    assert ended.code == 3
    assert kept.read_text(encoding="utf-8") == "odd ="
    assert kept.parent.parent == tmp_path
    assert kept.parent.stat().st_mode & 0o777 == 0o700


def test_an_editor_that_is_interrupted_ends_the_command(
    tmp_path: Path, command: Command
) -> None:
    config = make_memory(tmp_path)
    waiting = "print('ready', flush=True); sys.stdin.read()"

    with Desk(config.parent, editing(tmp_path, waiting), "memory", "add") as desk:
        desk.wait_for(b"ready")
        desk.type(b"\x03")
        ended = desk.finish()
    listed = command("memory", "list", "--config", config)

    assert ended.code == 130
    assert ended.screen.endswith("error: interrupted.\n")
    assert listed.out == "Nothing was proposed yet.\n"


def test_an_editor_that_is_not_there_is_told(tmp_path: Path) -> None:
    config = make_memory(tmp_path)
    nothing = f"import os\nos.environ['EDITOR'] = '/nowhere/vi -x'\n{MAIN}"

    with Desk(config.parent, nothing, "memory", "add") as desk:
        ended = desk.finish()

    assert ended.code == 3
    said = "error: The editor '/nowhere/vi -x' cannot be started. Set VISUAL or EDITOR"
    assert ended.screen.startswith(said)


@pytest.mark.parametrize(
    ("code", "problem", "is_kept"),
    [
        ("sys.exit(3)", "ended with 3", False),
        ("import os; os.unlink(path); sys.exit()", "the editor left no ", False),
        ("open(path, 'wb').write(b'\\xff'); sys.exit()", "it is not UTF-8 text.", True),
        ("text = '#' * 300_000", "it is larger than 256 KiB.", True),
    ],
)
def test_an_editor_that_does_not_work_is_told(
    tmp_path: Path, command: Command, *, code: str, problem: str, is_kept: bool
) -> None:
    config = make_memory(tmp_path)

    with Desk(config.parent, editing(tmp_path, code), "memory", "add") as desk:
        desk.wait_for(problem.encode())
        if not problem.startswith("ended"):
            desk.wait_for(b"or type 'q' to leave it: ")
            desk.type(b"q\n")
        ended = desk.finish()
    listed = command("memory", "list", "--config", config)
    kept = [*tmp_path.glob("abilities-*/guidance.toml")]

    assert ended.code == 3
    assert listed.out == "Nothing was proposed yet.\n"
    assert (len(kept), "your text is kept in" in ended.screen) == (is_kept, is_kept)
