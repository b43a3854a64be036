"""The commands and files of README and tutorial, done in their order."""

import contextlib
import logging
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from docs.pages import ROOT, Block, blocks

from abilities_host.cli.app import run

Type = Callable[[str], str]


class Step(NamedTuple):
    """A line that is typed, and what the page shows below it."""

    line: str
    shown: str


@pytest.fixture
def type_line(capsys: pytest.CaptureFixture[str]) -> Iterator[Type]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level

    def type_line(line: str) -> str:
        word, *arguments = shlex.split(line)
        assert word in {"abilities", "cd", "python"}, line
        if word == "cd":
            os.chdir(arguments[0])
            return ""
        if word == "python":
            return run_python(arguments)
        run(arguments)
        printed = capsys.readouterr()
        return printed.out + printed.err

    yield type_line
    root.handlers = handlers
    root.setLevel(level)


def run_python(arguments: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=50,
    )
    return done.stdout + done.stderr


def steps(text: str) -> Iterator[Step]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        yield Step(*part.partition("\n")[::2])


def pattern_of(shown: str) -> str:
    """Let … stand for anything."""
    return ".*".join(map(re.escape, shown.strip().split("…")))


def write(block: Block) -> None:
    file = Path(block.mark.removeprefix("file: "))
    file.parent.mkdir(exist_ok=True)
    file.write_text(block.text, encoding="utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial/first-pack.md"])
def test_a_session_goes_as_the_page_shows_it(
    page: str, tmp_path: Path, type_line: Type
) -> None:
    tmp_path.chmod(0o700)
    count = 0
    with contextlib.chdir(tmp_path):
        for block in blocks((ROOT / page).read_text(encoding="utf-8")):
            if block.mark.startswith("file: "):
                write(block)
            elif block.language == "console":
                for line, shown in steps(block.text):
                    printed = type_line(line).strip()
                    assert re.fullmatch(pattern_of(shown), printed, re.DOTALL), printed
                    count += 1
    assert count >= 8
