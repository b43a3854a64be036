"""Kept open: a host that goes on in a thread while a person reads and thinks."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, TypeVar

from abilities_host.cli.exits import Interrupted

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host

log = logging.getLogger(__name__)

T = TypeVar("T")

STOP_SECONDS: Final = 10.0


class KeptOpen:
    """A running host, used from another thread than its own.

    The terminal belongs to the main thread: only there does Ctrl+C end a question.

    Args:
        host: started.
        loop: on which it runs.
        end: stops it.
    """

    def __init__(
        self, host: "Host", loop: asyncio.AbstractEventLoop, end: asyncio.Event
    ) -> None:
        self._host: Final = host
        self._loop: Final = loop
        self._end: Final = end

    def run(self, work: "Callable[[Host], Coroutine[Any, Any, T]]") -> T:
        """Have the host do something, and wait for it.

        Args:
            work: what is done.

        Returns:
            What `work` returned.

        Raises:
            AbilitiesError: from `work`, or after Ctrl+C.
        """
        asked = asyncio.run_coroutine_threadsafe(work(self._host), self._loop)
        try:
            return asked.result()
        except KeyboardInterrupt:
            asked.cancel()
            raise Interrupted from None

    def stop(self) -> None:
        """Have the host stop soon."""
        with suppress(RuntimeError):  # it has stopped already
            self._loop.call_soon_threadsafe(self._end.set)


@contextmanager
def kept_open(loaded: "LoadedConfig") -> Iterator[KeptOpen]:
    """Start a host in a thread, and stop it at the end.

    Args:
        loaded: the configuration.

    Yields:
        The running host.

    Raises:
        AbilitiesError: when it cannot start, or after Ctrl+C.
    """
    ready: Future[KeptOpen] = Future()
    thread = Thread(target=_live, args=(loaded, ready), name="abilities-host")
    thread.daemon = True
    thread.start()
    try:
        running = ready.result()
    except KeyboardInterrupt:
        raise Interrupted from None
    try:
        yield running
    finally:
        running.stop()
        thread.join(STOP_SECONDS)


def _live(loaded: "LoadedConfig", ready: "Future[KeptOpen]") -> None:
    try:
        asyncio.run(_run(loaded, ready))
    except Exception as error:
        if ready.done():
            log.exception("the host did not end well")
        else:
            ready.set_exception(error)


async def _run(loaded: "LoadedConfig", ready: "Future[KeptOpen]") -> None:
    from abilities_host.opening import open_host  # noqa: PLC0415 - a slow import

    end = asyncio.Event()
    async with open_host(loaded) as host:
        ready.set_result(KeptOpen(host, asyncio.get_running_loop(), end))
        await end.wait()
