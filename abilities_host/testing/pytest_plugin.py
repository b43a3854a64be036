"""The pytest plugin: a fixture that starts hosts in the folder of the test."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from abilities_host.host import Host


@pytest.fixture
def ability_host(
    tmp_path: Path,
) -> "Callable[..., AbstractAsyncContextManager[Host]]":
    """Start hosts, each in a folder of its own, whatever runs the async tests.

    Args:
        tmp_path: of the test.

    Returns:
        A function that takes what `build_host` takes after the folder; use it as
        ``async with ability_host(packs=[("notes", notes)]) as host``.
    """
    from abilities_host.testing.build import build_host  # noqa: PLC0415 - see __getattr__

    numbers = count(1)

    def start(**arguments: Any) -> "AbstractAsyncContextManager[Host]":
        return build_host(tmp_path / f"host-{next(numbers)}", **arguments)

    return start
