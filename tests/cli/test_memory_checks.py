"""`doctor` says what waits for a person, and what is not as one left it."""

from pathlib import Path

from cli.conftest import Command
from cli.memory_world import change, make_memory, propose


def test_what_waits_is_told_with_what_to_do(tmp_path: Path, command: Command) -> None:
    config = make_memory(tmp_path)
    before = command("doctor", "--json", "--config", config)
    propose(config, "Ask before you change a price.")
    after = command("doctor", "--json", "--config", config)

    found = [
        (each["severity"], each["message"], each["fix"])
        for ended in (before, after)
        for each in ended.value["findings"]
        if each["about"] == "memory"
    ]
    assert found == [
        ("ok", "Approved guidance: 0, waiting: 0.", ""),
        ("info", "Approved guidance: 0, waiting: 1.", "abilities memory review"),
    ]


def test_what_nobody_approved_is_an_error(tmp_path: Path, command: Command) -> None:
    config = make_memory(tmp_path)
    propose(config, "Ask before you change a price.")
    change(config, "UPDATE memory_guidance SET status = 'approved'")

    ended = command("doctor", "--json", "--config", config)

    alarm = "guidance gm-001 says it is approved, and no person did; it has no effect."
    errors = [each for each in ended.value["findings"] if each["about"] == "memory"]
    assert (ended.code, errors[0]["severity"], errors[0]["message"]) == (
        1,
        "error",
        alarm,
    )
