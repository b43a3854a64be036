"""systemd itself reads the unit, and finds nothing to say."""

import subprocess
from getpass import getuser
from pathlib import Path

import pytest
from operating.programs import program

from abilities_host.cli.unit import Service, unit_text


def judged(folder: Path, text: str) -> tuple[int, str]:
    """Have systemd read a unit; give its verdict, and what it says of that unit."""
    unit = folder / "abilities.service"
    unit.write_text(text)
    found = program("systemd-analyze")
    assert found is not None
    done = subprocess.run(
        [found, "verify", "--man=no", str(unit)],
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=50,
    )
    lines = (done.stdout + done.stderr).splitlines()
    return done.returncode, "\n".join(line for line in lines if unit.name in line)


def service(folder: Path, *, port: int = 8765, own: str = "bin 100%") -> Service:
    folder.mkdir()
    command = folder.parent / own / "abilities"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    config = str(folder / "abilities.toml")
    words = (str(command), "serve", "--config", config)
    return Service(getuser(), words, writable=(folder,), port=port)


@pytest.mark.parametrize("port", [443, 8765])
@pytest.mark.parametrize(
    "name",
    ["host", "a host", "50% off", '"quoted"', "it's", "back\\slash", "%n", "ä;#"],
)
def test_whatever_the_folder_is_called_the_unit_is_right(
    tmp_path: Path, name: str, port: int
) -> None:
    text = unit_text(service(tmp_path / name, port=port))

    assert judged(tmp_path, text) == (0, "")


def test_a_unit_that_is_wrong_is_found_wrong(tmp_path: Path) -> None:
    text = unit_text(service(tmp_path / "a host")).replace('"', "")

    code, said = judged(tmp_path, text)

    assert code != 0
    assert "is not executable" in said


def test_every_line_means_something_to_systemd(tmp_path: Path) -> None:
    text = unit_text(service(tmp_path / "host")).replace("UMask=", "Umsak=")

    assert "'Umsak'" in judged(tmp_path, text)[1]
