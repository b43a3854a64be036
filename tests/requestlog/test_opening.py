"""The log as a host opens it: what the configuration says, and the end."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from requestlog.log_world import record, records_of
from server.world import write_config

from abilities_host.config import LoadedConfig, protected_paths_of
from abilities_host.requestlog.exposition import metrics_text
from abilities_host.requestlog.opening import open_request_log
from abilities_host.requestlog.tracing import TracesMissing, open_tracing


def configured(folder: Path, requests: str = "") -> LoadedConfig:
    return write_config(folder, f"[requests]\n{requests}")


async def test_the_last_requests_are_written_at_the_end(tmp_path: Path) -> None:
    loaded = await asyncio.to_thread(configured, tmp_path, "keep_days = 3650")
    async with open_request_log(loaded) as log:
        log.note(record())
        log.refused(401)

    found = await asyncio.to_thread(records_of, tmp_path)
    assert [(each.method, each.code) for each in found] == [
        ("tools/call", ""),
        ("", "http_401"),
    ]
    assert loaded.requests_path == tmp_path / "requests.db"


async def test_they_are_written_when_whoever_serves_is_cancelled(
    tmp_path: Path,
) -> None:
    loaded = await asyncio.to_thread(configured, tmp_path, "keep_days = 3650")
    with anyio.CancelScope() as scope:
        async with open_request_log(loaded) as log:
            log.note(record())
            scope.cancel()
            await anyio.sleep_forever()

    assert await asyncio.to_thread(records_of, tmp_path) == [record()]


async def test_switched_off_it_counts_and_keeps_nothing(tmp_path: Path) -> None:
    loaded = await asyncio.to_thread(configured, tmp_path, "enabled = false")
    async with open_request_log(loaded) as log:
        log.note(record())
        log.refused(401)

    text = metrics_text(log.metrics)
    assert 'code="http_401"} 1\n' in text
    assert 'abilities_build_info{version="' in text
    assert not await asyncio.to_thread(loaded.requests_path.exists)


async def test_what_was_not_kept_is_in_the_metrics(tmp_path: Path) -> None:
    loaded = await asyncio.to_thread(configured, tmp_path)
    async with open_request_log(loaded) as log:
        for _ in range(10_005):
            log.note(record())

    assert "\nabilities_log_dropped_total 5\n" in metrics_text(log.metrics)


async def test_no_pack_may_touch_the_log(tmp_path: Path) -> None:
    loaded = await asyncio.to_thread(configured, tmp_path)

    protected = await asyncio.to_thread(protected_paths_of, loaded)

    names = {f"requests.db{end}" for end in ("", "-wal", "-shm", "-lock")}
    assert {tmp_path / name for name in names} <= set(protected.paths)


def find_nothing(name: str) -> None:
    raise ModuleNotFoundError(name)


@pytest.mark.parametrize("find", [find_nothing, lambda _: None])
def test_traces_that_cannot_be_sent_stop_the_start(find: Callable[[str], None]) -> None:
    with pytest.raises(TracesMissing, match=r"pip install 'abilities-host\[otel\]'"):
        open_tracing("1.0", find)
