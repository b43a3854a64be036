"""What every test has: the asyncio backend, and no blocking call on the loop."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import settings

# How long an example takes says nothing here: the machine is shared.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hosts of the tests, and of the processes they start, keep their anchors here."""
    folder = tmp_path_factory.mktemp("state")
    os.environ["XDG_STATE_HOME"] = str(folder)
    return folder


@pytest.fixture(autouse=True)
def no_blocking_on_the_loop() -> Iterator[None]:
    with blockbuster_ctx("abilities_host") as guard:
        # No call is admitted by anything older than the last commit of any process: ten
        # microseconds on the loop, where a thread would cost two hundred on each call.
        for name in (
            "os.stat",
            "sqlite3.Connection.execute",
            "sqlite3.Cursor.fetchall",
        ):
            guard.functions[name].can_block_in(
                "abilities_host/storage/sqlite.py", "generation"
            )
        yield
