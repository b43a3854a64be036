"""One command after another in this process, with what it printed."""

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from abilities_host.cli.app import run


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Ended]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Iterator[Command]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level

    def command(*arguments: object) -> Ended:
        code = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Ended(code, printed.out, printed.err)

    yield command
    root.handlers = handlers
    root.setLevel(level)
