"""Threads for code that may block: one a call, daemon, its answer a future."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def run_in_thread(function: Callable[[], T]) -> "asyncio.Future[T]":
    """Run a function in a thread of its own.

    A thread cannot be stopped, only left alone; being a daemon it never holds up the
    end of the process. A pool would be used up by the first few that hang.

    Args:
        function: what to run; it sees the caller's context variables.

    Returns:
        A future on the running loop. If it is cancelled the function goes on and its
        answer is dropped.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            settle: Callable[[], None] = _result(future, context.run(function))
        except BaseException as error:  # noqa: BLE001 - it belongs to the one who waits
            settle = _error(future, error)
        _tell(loop, settle)

    threading.Thread(target=work, name="abilities-call", daemon=True).start()
    return future


def _result(future: "asyncio.Future[T]", answer: T) -> Callable[[], None]:
    return lambda: None if future.done() else future.set_result(answer)


def _error(future: "asyncio.Future[Any]", error: BaseException) -> Callable[[], None]:
    # A future refuses StopIteration, and it must not carry the loop's own signals.
    if isinstance(error, StopIteration | KeyboardInterrupt | SystemExit):
        error = RuntimeError(f"the function raised {type(error).__name__}")
    return lambda: None if future.done() else future.set_exception(error)


def _tell(loop: asyncio.AbstractEventLoop, settle: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:  # the loop has ended; nobody waits any more
        return
