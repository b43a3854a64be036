"""Steps: what a pack is asked once, in its time, and how its failure reads."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from abilities_host.deadline import until
from abilities_host.errors import PackError
from abilities_host.hooks.implementation import ends_the_task
from abilities_host.hooks.packs import Pack

log = logging.getLogger(__name__)

_TEXT_LIMIT: Final = 500


async def in_time(
    pack: Pack, stage: str, seconds: float, work: Callable[[], Awaitable[Any]]
) -> Any:
    """Run a step of loading a pack; whatever goes wrong becomes a PackError.

    Args:
        pack: whose step it is.
        stage: what is being done, for the sentence.
        seconds: limit.
        work: gives what is to be awaited.

    Returns:
        Its answer.

    Raises:
        PackError: when it raised, even SystemExit, or did not end in time.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    try:
        return await until(deadline, _await(work))
    except BaseException as error:
        if ends_the_task(error):
            raise
        log.info("pack %s failed at %s", pack.identity, stage, exc_info=True)
        if asyncio.get_running_loop().time() >= deadline:
            reason = f"it did not finish within {seconds:g} s."
            raise PackError(pack.identity, stage, reason) from None
        reason = f"it raised {type(error).__name__}: {shown(error, str)}"
        raise PackError(pack.identity, stage, reason) from error


def shown(value: object, write: Callable[[object], str] = repr) -> str:
    """Write a pack's object; one that cannot be written fails at nobody else.

    Args:
        value: any object of a pack.
        write: makes its text.

    Returns:
        At most 500 characters, or the name of its type.
    """
    try:
        text = write(value)
    except Exception:  # noqa: BLE001 - it is only for reading
        return f"<{type(value).__name__}>"
    return text if len(text) <= _TEXT_LIMIT else f"{text[:_TEXT_LIMIT]}…"


async def _await(work: Callable[[], Awaitable[Any]]) -> Any:
    return await work()
