"""`install systemd` writes a unit that systemd reads as it was meant."""

import shlex
import stat
from getpass import getuser
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import Command
from cli.world import make_demo
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.cli.init import command_words
from abilities_host.cli.unit import Service, unit_text
from abilities_host.errors import ConfigError

PROGRAM = "/opt/abilities/bin/abilities"
SERVICE = Service("abilities", (PROGRAM, "serve"), (Path("/srv/host"),))
SOMEBODY = "daemon" if getuser() == "root" else getuser()


def settings_of(text: str) -> dict[str, str]:
    """Read a unit as a table; a key is there once."""
    lines = [line for line in text.splitlines() if "=" in line and line[0] != "#"]
    pairs = [line.partition("=")[::2] for line in lines]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def words_of(value: str, *, is_command: bool = False) -> list[str]:
    """Take words apart as systemd does, without its variables and specifiers."""
    words = [word.replace("%%", "%") for word in shlex.split(value)]
    tail = [word.replace("$$", "$") for word in words[1:]]
    return [*words[:1], *tail] if is_command else words


def make_site(folder: Path, anchor: str) -> Path:
    config = make_demo(folder)
    before = config.read_text()
    assert "[ledger]\n" in before
    written = before.replace("[ledger]\n", f'[ledger]\nanchor = "{anchor}"\n')
    config.write_text(written)
    return config


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A configuration whose anchor is kept in a folder that there is."""
    (tmp_path / "elsewhere").mkdir()
    return make_site(tmp_path, "elsewhere/anchor")


def test_a_unit_runs_the_host_as_its_user_and_takes_the_rest_away() -> None:
    told = settings_of(unit_text(SERVICE))

    kept = {
        "Type": "exec",
        "User": "abilities",
        "ExecStart": f"{PROGRAM} serve",
        "UMask": "0077",
        "Restart": "on-failure",
        "RestartPreventExitStatus": "2 4",
        "SuccessExitStatus": "130 143",
        "KillMode": "mixed",
        "TimeoutStopSec": "10",
        "NoNewPrivileges": "yes",
        "PrivateTmp": "yes",
        "ProtectHome": "yes",
        "ProtectSystem": "strict",
        "ReadWritePaths": "/srv/host",
        "RequiresMountsFor": "/srv/host",
        "CapabilityBoundingSet": "",
        "AmbientCapabilities": "",
    }
    assert {key: told[key] for key in kept} == kept
    assert "StandardOutput" not in told  # the journal keeps and rotates what is said


@pytest.mark.parametrize(
    ("folders", "told"),
    [
        (("/srv/a", "/srv/a/b", "/srv/ab"), "/srv/a /srv/ab"),
        (("/srv/b", "/srv/b"), "/srv/b"),
        (("/srv/a b", "/srv/50%"), '"/srv/a b" /srv/50%%'),
    ],
)
def test_only_the_outermost_folders_are_named(
    folders: tuple[str, ...], told: str
) -> None:
    service = Service("x", (PROGRAM,), tuple(map(Path, folders)))

    assert settings_of(unit_text(service))["ReadWritePaths"] == told


@pytest.mark.parametrize(
    ("place", "told"),
    [("/home/ana/host", "read-only"), ("/root/x", "read-only"), ("/homes/x", "yes")],
)
def test_homes_are_hidden_unless_the_host_lives_in_one(place: str, told: str) -> None:
    path = Path(place)
    ways = [
        Service("x", (PROGRAM,), (path,)),
        Service("x", (PROGRAM,), (Path("/srv"),), readable=(path,)),
        Service("x", (place,), (Path("/srv"),)),
    ]

    hidden = {settings_of(unit_text(way))["ProtectHome"] for way in ways}

    assert hidden == {told}


@pytest.mark.parametrize(("port", "given"), [(0, ""), (1023, "CAP_NET_BIND_SERVICE")])
def test_a_reserved_port_needs_one_privilege(port: int, given: str) -> None:
    service = Service("x", (PROGRAM,), (Path("/srv"),), port=port)

    told = settings_of(unit_text(service))

    assert (told["CapabilityBoundingSet"], told["AmbientCapabilities"]) == (given,) * 2


printable = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.isprintable)


@given(printable, printable)
def test_systemd_reads_the_paths_that_were_meant(folder: str, argument: str) -> None:
    path = Path("/srv") / folder.replace("/", "_")
    service = Service("x", (PROGRAM, argument, "$HOME"), (path,))

    told = settings_of(unit_text(service))

    command = words_of(told["ExecStart"], is_command=True)
    assert command == [PROGRAM, argument, "$HOME"]
    assert words_of(told["ReadWritePaths"]) == [str(path)]
    assert words_of(told["RequiresMountsFor"]) == [str(path)]


@pytest.mark.parametrize("character", ["\n", "\r", "\t", "\0", "\x1b", "\u202e"])
def test_what_no_unit_can_hold_is_refused(character: str) -> None:
    folder = Path(f"/srv/a{character}ExecStart=b")

    with pytest.raises(ConfigError, match="no unit can hold"):
        unit_text(Service("x", (PROGRAM,), (folder,)))


@pytest.mark.parametrize("character", ['"', "'", "\\"])
def test_a_program_that_systemd_never_runs_is_refused(character: str) -> None:
    with pytest.raises(ConfigError, match="systemd never runs it"):
        unit_text(Service("x", (f"/srv/a{character}b",), (Path("/srv"),)))


def test_it_is_printed_with_all_that_this_host_needs(
    tmp_path: Path, site: Path, command: Command
) -> None:
    more = tmp_path.parent / f"{tmp_path.name}-more"
    more.mkdir()

    given = ("--user", SOMEBODY, "--writable", more)
    ended = command("install", "systemd", "--config", site, *given)

    told = settings_of(ended.out)
    assert ended.code == 0
    assert told["User"] == SOMEBODY
    assert words_of(told["ExecStart"], is_command=True) == [
        *command_words(),
        *("serve", "--config", str(site)),
    ]
    assert words_of(told["ReadWritePaths"]) == [str(tmp_path), str(more)]


def test_it_is_written_once_and_what_was_there_is_kept(
    tmp_path: Path, site: Path, command: Command
) -> None:
    file = tmp_path / "notes.service"
    given = ("--config", site, "--user", SOMEBODY, "--write", file)

    def told(*more: str) -> tuple[Any, ...]:
        ended = command("install", "systemd", *given, *more)
        assert ended.code == 0
        return ended.out, file.read_text()

    first = told()
    again = told()
    file.write_text("mine")
    third = told()

    kept = tmp_path / "notes.service.before-abilities"
    unit = command("install", "systemd", *given[:-2]).out
    after = (
        "Next, as root:\n  systemctl daemon-reload\n  systemctl enable --now notes\n"
    )
    assert first == (f"The unit was added in {file}.\n{after}", unit)
    assert again == (f"The unit is already in {file}; nothing was changed.\n", unit)
    was = f"The file as it was: {kept}\n"
    assert third == (f"The unit was replaced in {file}.\n{was}{after}", unit)
    assert kept.read_text() == "mine"
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


def test_in_a_folder_it_has_a_name_of_its_own(
    tmp_path: Path, site: Path, command: Command
) -> None:
    given = ("--config", site, "--user", SOMEBODY, "--json")
    printed = command("install", "systemd", *given).value
    written = command("install", "systemd", *given, "--write", tmp_path).value

    file = tmp_path / "abilities.service"
    nowhere = {"file": None, "change": None, "backup": None}
    assert printed == {"user": SOMEBODY, "unit": file.read_text(), **nowhere}
    assert written == {**printed, "file": str(file), "change": "added"}


@pytest.mark.parametrize(
    ("user", "problem"),
    [
        ("root", "A host as root could change everything on this machine."),
        ("no-such-user", "There is no user 'no-such-user' here. Make it first"),
        ("a\nExecStart=b", "There is no user"),
        ("", "A host as root") if getuser() == "root" else ("~", "There is no user"),
    ],
)
def test_only_a_user_that_there_is_may_run_it(
    site: Path, command: Command, user: str, problem: str
) -> None:
    ended = command("install", "systemd", "--config", site, "--user", user)

    assert (ended.code, ended.out) == (2, "")
    assert problem in ended.err
    assert len(ended.err.splitlines()) == 1


def test_the_place_of_the_record_is_looked_for_in_the_home_of_that_user(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)
    home = Path(f"~{SOMEBODY}").expanduser()

    ended = command("install", "systemd", "--config", config, "--user", SOMEBODY)

    first, *others = words_of(settings_of(ended.out)["ReadWritePaths"])
    assert first == str(tmp_path)
    assert all(Path(each).is_relative_to(home) for each in others)
    assert not any(Path(each).name == "/" for each in others)


def test_without_a_record_outside_only_the_folder_is_written_in(
    tmp_path: Path, command: Command
) -> None:
    config = make_site(tmp_path, "none")

    ended = command("install", "systemd", "--config", config, "--user", SOMEBODY)

    assert words_of(settings_of(ended.out)["ReadWritePaths"]) == [str(tmp_path)]


@pytest.mark.parametrize("option", ["--write", "--writable"])
def test_a_place_that_is_not_there_is_an_error_that_names_it(
    tmp_path: Path, site: Path, command: Command, option: str
) -> None:
    place = tmp_path / "no" / "where"
    given = ("--config", site, "--user", SOMEBODY, option, place)

    ended = command("install", "systemd", *given)

    assert (ended.code, ended.out) == (4, "")
    assert ended.err.startswith(f"error: {place}")
    assert not place.exists()


def test_who_could_not_read_the_configuration_is_warned_of(
    site: Path, command: Command
) -> None:
    ended = command("install", "systemd", "--config", site, "--user", "nobody")

    assert ended.code == 0
    assert f"nobody does not own {site}. Run, as root: chown nobody {site}" in ended.err
