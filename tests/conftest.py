"""What every test has: the asyncio backend, and no blocking call on the loop."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from blockbuster import blockbuster_ctx
from browser import needed
from hypothesis import settings
from operating.programs import told

# How long an example takes says nothing here: the machine is shared. `make soak` asks
# for the other profile.
settings.register_profile("ci", deadline=None, max_examples=50)
settings.register_profile("soak", deadline=None, max_examples=1_000)
settings.load_profile("ci")

TESTS: Final = Path(__file__).parent
# A process that is measured takes about twice as long, so only those are that run what
# no test runs in its own process: the start and end of a server.
MEASURED: Final = ("acceptance/test_stdio_process.py", "packs")
MEASURING: Final = "COVERAGE_PROCESS_CONFIG"


def pytest_report_header() -> list[str]:
    return [*told(), *needed.told()]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hosts of the tests, and of the processes they start, keep their anchors here."""
    folder = tmp_path_factory.mktemp("state")
    os.environ["XDG_STATE_HOME"] = str(folder)
    return folder


@pytest.fixture(scope="module", autouse=True)
def processes_are_measured_where_it_tells(
    request: pytest.FixtureRequest,
) -> Iterator[None]:
    here = request.path.relative_to(TESTS)
    if any(here.is_relative_to(place) for place in MEASURED):
        yield
        return
    kept = os.environ.pop(MEASURING, None)
    yield
    if kept is not None:
        os.environ[MEASURING] = kept


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
        # A loop in a thread of the pool is a test's own, such as of a command. What
        # measures coverage was given this very function there, for a lock of its own.
        guard.functions["threading.Lock.acquire"].can_block_in(
            "concurrent/futures/thread.py", "run"
        )
        yield
