"""Opening: the log of requests for as long as a process serves."""

import asyncio
import logging
import platform
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from typing import Final

import anyio

from abilities_host.config import HostConfig, LoadedConfig
from abilities_host.requestlog.file import Kept, RequestFile
from abilities_host.requestlog.log import RequestLog
from abilities_host.requestlog.metrics import Metrics
from abilities_host.requestlog.tracing import Tracing, open_tracing
from abilities_host.requestlog.writer import END_SECONDS, Writer
from abilities_host.threads import run_in_thread

log = logging.getLogger(__name__)

_DISTRIBUTION: Final = "abilities-host"


@asynccontextmanager
async def open_request_log(
    loaded: LoadedConfig, now: Callable[[], HostConfig] | None = None
) -> AsyncIterator[RequestLog]:
    """Log requests as the configuration says, and write the last ones at the end.

    Args:
        loaded: the configuration; ``[requests]`` is read.
        now: gives what it says later, for how long requests are kept.

    Yields:
        The log of this process, for all of its servers.

    Raises:
        TracesMissing: when traces are wanted and cannot be sent.
    """
    settings = loaded.config.requests
    build = await run_in_thread(_build)
    tracing = None
    if settings.traces:
        tracing = await run_in_thread(partial(open_tracing, build["version"]))
    config = now or (lambda: loaded.config)
    writer = _writer(loaded, config) if settings.enabled else None
    running = asyncio.create_task(writer.run()) if writer else None
    try:
        yield RequestLog(writer, Metrics(build), tracing)
    finally:
        # However it ends, what was done last is worth a moment.
        with anyio.CancelScope(shield=True):
            if writer is not None and running is not None:
                writer.stop()
                await _within_a_moment(running)
            if tracing is not None:
                await _close(tracing)


def _writer(loaded: LoadedConfig, now: Callable[[], HostConfig]) -> Writer:
    def kept() -> Kept:
        settings = now().requests
        return Kept(settings.keep_days, settings.keep_entries)

    return Writer(RequestFile(loaded.requests_path, kept))


async def _close(tracing: Tracing) -> None:
    await _within_a_moment(run_in_thread(tracing.close))


async def _within_a_moment(work: "asyncio.Future[object] | asyncio.Task[None]") -> None:
    done, _ = await asyncio.wait([work], timeout=END_SECONDS)
    if not done:
        work.cancel()
        log.warning("the log of requests could not be written to its end in time")
    elif error := work.exception():
        log.error("the log of requests failed", exc_info=error)


def _build() -> dict[str, str]:
    return {
        "version": version(_DISTRIBUTION),
        "mcp": version("mcp"),
        "python": platform.python_version(),
    }
