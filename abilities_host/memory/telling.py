"""Telling: approved guidance for a text that agents read, or nothing of it."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from abilities_host.memory.protocol import ProjectMemory

log = logging.getLogger(__name__)

SECONDS: Final = 2.0
LETTERS_PER_TOKEN: Final = 4


async def tell_guidance(
    find: Callable[[type[ProjectMemory]], ProjectMemory],
    tokens: int,
    *,
    seconds: float = SECONDS,
) -> str:
    """Give what people approved, to be told to an agent that did not ask for it.

    No client is kept from connecting by a memory that fails: whatever goes wrong is in
    the log.

    Args:
        find: gives a service by its protocol; raises LookupError without one.
        tokens: that the text may cost; 0 for nothing.
        seconds: that the memory may take.

    Returns:
        At most four characters for each token, cut at the end of a line only, so that
        half a sentence never stands for the whole; empty without a memory, or when it
        fails or takes longer.
    """
    if tokens <= 0:
        return ""
    try:
        memory = find(ProjectMemory)
    except LookupError:
        return ""
    try:
        text = await _asked(memory, tokens, seconds)
        return _whole_lines(text, tokens * LETTERS_PER_TOKEN)
    except Exception:
        log.exception("approved guidance could not be told to a client")
        return ""


async def _asked(memory: ProjectMemory, tokens: int, seconds: float) -> str:
    """Ask, but do not wait for one that ignores being stopped."""
    asking = asyncio.create_task(_ask(memory, tokens))
    asking.add_done_callback(_forget)
    try:
        done, _ = await asyncio.wait({asking}, timeout=seconds)
    finally:
        asking.cancel()
    if not done or asking.cancelled():
        msg = f"the project's memory gave no answer within {seconds:g} s"
        raise TimeoutError(msg)
    # A letter that cannot be sent would cost the client its connection.
    return asking.result().encode("utf-8", "replace").decode()


async def _ask(memory: ProjectMemory, tokens: int) -> str:
    return await memory.context(tokens)


def _forget(asked: "asyncio.Task[str]") -> None:
    """Look at how it ended, or the loop complains that nobody did."""
    if not asked.cancelled():
        asked.exception()


def _whole_lines(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    log.warning("approved guidance has %d characters; %d fit", len(text), limit)
    return text[: limit + 1].rpartition("\n")[0]
