"""`init` makes a host that starts, and loses nothing that is there."""

import json
import stat
import subprocess
from pathlib import Path

import pytest
from cli.at_terminal import at_terminal
from cli.conftest import Command
from cli.record_world import ANA, Scripted
from cli.world import environment, start

from abilities_host.accounts import InvalidAccountName
from abilities_host.cli.accounts import every
from abilities_host.cli.init import NAME_PROMPT, client_settings, offer_account
from abilities_host.cli.running import load
from abilities_host.cli.template import config_text
from abilities_host.config import load_config, settings_table

MADE = [
    "abilities.toml",
    "content/welcome.md",
    "content/notes/ideas.md",
    "content/data/fruit.csv",
    "plugins/hello.py.example",
]


def test_a_new_host_starts_at_once_and_its_sample_pack_too(tmp_path: Path) -> None:
    made = start(tmp_path, "init", "new/host", "--json")
    host = tmp_path / "new" / "host"
    example = host / "plugins" / "hello.py.example"
    example.rename(example.with_suffix(""))
    greeted = start(host, "call", "hello/greet", '{"name": "you"}')

    config = host / "abilities.toml"
    assert (made.returncode, made.stderr) == (0, "")
    assert json.loads(made.stdout) == {
        "config": str(config),
        "created": MADE,
        "client": client_settings(config),
    }
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert stat.S_IMODE(host.stat().st_mode) == 0o700
    assert (greeted.returncode, greeted.stdout, greeted.stderr) == (
        0,
        "Hello, you!\n",
        "",
    )


def test_the_client_starts_the_command_of_this_environment(tmp_path: Path) -> None:
    server = client_settings(tmp_path / "a.toml")["mcpServers"]["abilities"]

    words: list[str] = [server["command"], *server["args"]]
    *started, last, option, config = words
    shown = subprocess.run(
        [*started, "--version"],
        env=environment(tmp_path),
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert (last, option, config) == ("stdio", "--config", str(tmp_path / "a.toml"))
    assert Path(started[0]).is_absolute()
    assert shown.stdout == "0.1.0\n"


def test_the_file_explains_every_setting_and_says_only_what_is_needed(
    tmp_path: Path,
) -> None:
    config = tmp_path / "abilities.toml"
    config.write_text(config_text(), encoding="utf-8")
    config.chmod(0o600)

    loaded = load_config(config, environ={}, cwd=tmp_path)

    said = {key for key, source in loaded.sources.items() if source != "default"}
    assert said == {"plugins_dir", "packs"}
    assert loaded.warnings == ()
    assert max(map(len, config_text().split("\n"))) <= 80
    for setting in settings_table():
        assert setting.key == "packs" or setting.help.split()[0] in config_text()


def test_every_comment_of_the_file_is_a_setting_that_can_be_uncommented(
    tmp_path: Path,
) -> None:
    lines = [
        line.removeprefix("# ") if line.startswith("# ") and " = " in line else line
        for line in config_text().split("\n")
    ]
    config = tmp_path / "abilities.toml"
    config.write_text("\n".join(lines), encoding="utf-8")
    config.chmod(0o600)

    uncommented = load_config(config, environ={}, cwd=tmp_path)

    changed = {"plugins_dir": "plugins"}
    for setting in settings_table():
        if setting.key != "packs":
            section, _, name = setting.key.rpartition(".")
            value = uncommented.config
            for part in section.split(".") if section else []:
                value = getattr(value, part)
            expected = changed.get(setting.key, setting.default)
            assert getattr(value, name) == expected, setting.key


def test_a_second_time_changes_nothing_and_says_so(
    tmp_path: Path, command: Command
) -> None:
    config = tmp_path / "abilities.toml"
    config.write_text("mine")

    ended = command("init", tmp_path)

    problem = "is already there, so nothing was changed. Add --force to replace it."
    assert ended == (4, "", f"error: {config}: {problem}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["abilities.toml"]
    assert config.read_text() == "mine"


def test_force_keeps_the_old_configuration_and_all_other_files(
    tmp_path: Path, command: Command
) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "abilities.toml").write_text("mine")
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "welcome.md").write_text("my own")

    ended = command("init", tmp_path, "--force")

    names = "".join(f"  {name}\n" for name in MADE if "welcome" not in name)
    assert ended.code == 0
    assert ended.err == ""
    assert ended.out.startswith(f"Made in {tmp_path}:\n{names}\nThe configuration of")
    assert json.dumps(str(tmp_path / "abilities.toml")) in ended.out
    assert (tmp_path / "abilities.toml.old").read_text() == "mine"
    assert (tmp_path / "abilities.toml").read_text() == config_text()
    assert (tmp_path / "content" / "welcome.md").read_text() == "my own"


def test_a_link_in_the_place_of_the_file_is_not_followed(
    tmp_path: Path, command: Command
) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "abilities.toml").symlink_to(tmp_path / "elsewhere")

    refused = command("init", tmp_path)
    forced = command("init", tmp_path, "--force")

    assert (refused.code, forced.code) == (4, 0)
    assert not (tmp_path / "elsewhere").exists()
    assert (tmp_path / "abilities.toml.old").is_symlink()


def test_a_folder_that_cannot_be_made_is_an_error_that_names_it(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "file").write_text("")

    ended = command("init", tmp_path / "file" / "host")

    place = tmp_path / "file" / "host"
    assert ended == (4, "", f"error: {place}: cannot be written: Not a directory.\n")


def test_a_folder_that_others_may_write_is_said_with_the_fix(
    tmp_path: Path, command: Command
) -> None:
    tmp_path.chmod(0o775)

    ended = command("init", tmp_path, "--json")

    fix = f"Run: chmod go-w '{tmp_path}'"
    warning = f"warning: others may write {tmp_path}, so no host starts. {fix}\n"
    assert (ended.code, ended.err) == (0, warning)
    assert ended.value["created"] == MADE


# --- the first account ----------------------------------------------------------------

NONE = (
    "Until there is an account, nothing can be approved. Make the first at a terminal: "
    "abilities admin add NAME Next: 'abilities list' and 'abilities doctor' in that "
    "folder."
)


def test_at_a_terminal_the_first_account_is_made(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)

    ended = at_terminal(
        tmp_path,
        *("init", "host"),
        answers=[
            (b"now): ", b"9\n"),
            (b"now): ", b"Ana\n"),
            (b"characters: ", f"{ANA}\n".encode()),
            (b"again: ", f"{ANA}\n".encode()),
        ],
    )

    listed = json.loads(start(tmp_path / "host", "admin", "list", "--json").stdout)
    assert ended.code == 0
    assert "An account's name is 1 to 64 characters long" in ended.screen
    assert ended.screen.endswith(
        "The account ana is made, with the role operator.\n"
        "Nobody can look its secret up or reset it: keep it where no agent can read.\n"
        "Next: 'abilities list' and 'abilities doctor' in that folder.\n"
    )
    assert [(each["name"], each["role"]) for each in listed] == [("ana", "operator")]
    assert list(tmp_path.rglob("*.anchor.keys"))


@pytest.mark.parametrize("given", [["--no-account"], ["--json"]])
def test_nobody_is_asked_who_does_not_want_to_be(
    tmp_path: Path, given: list[str]
) -> None:
    ended = at_terminal(tmp_path, "init", "host", *given)

    assert ended.code == 0
    assert NAME_PROMPT not in ended.screen
    assert not (tmp_path / "host" / "abilities.db").exists()


def test_enter_makes_no_account_and_says_what_follows(tmp_path: Path) -> None:
    ended = at_terminal(tmp_path, "init", "host", answers=[(b"now): ", b"\n")])

    assert ended.code == 0
    assert " ".join(ended.screen.split()).endswith(NONE)


def test_in_a_pipe_nobody_is_asked_and_the_same_is_said(
    tmp_path: Path, command: Command
) -> None:
    ended = command("init", tmp_path / "host")

    assert (ended.code, ended.err) == (0, "")
    assert " ".join(ended.out.split()).endswith(NONE)


def test_a_host_that_has_an_account_asks_for_none(tmp_path: Path) -> None:
    start(tmp_path, "init", "host", "--json")
    config = tmp_path / "host" / "abilities.toml"
    ana, nobody = Scripted("ana", ANA, ANA), Scripted()

    made = offer_account(config, ana)
    found = offer_account(config, nobody)

    assert made == found
    assert (ana.asked[0], nobody.asked) == (NAME_PROMPT, [])


def test_three_names_that_cannot_be_one_are_enough(tmp_path: Path) -> None:
    start(tmp_path, "init", "host", "--json")
    config = tmp_path / "host" / "abilities.toml"
    person = Scripted("1", "2", "3")

    with pytest.raises(InvalidAccountName):
        offer_account(config, person)

    assert person.asked == [NAME_PROMPT] * 3
    assert every(load(config)) == ()
