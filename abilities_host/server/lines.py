"""Lines: the client's messages from standard input, one a line and bounded."""

import logging
import os
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Final, Self

from abilities_host.threads import run_in_thread

log = logging.getLogger(__name__)

_CHUNK: Final = 1 << 16


class Lines:
    """Standard input as lines of text.

    While it is entered, standard input itself is empty, so that neither an ability nor
    a child process takes a message away. The SDK's own reader knows no longest line,
    and it cannot be stopped while it waits for the client.

    Args:
        limit: longest line in bytes; a longer one is dropped.
    """

    def __init__(self, limit: int) -> None:
        self._limit: Final = limit
        self._source = -1

    def __enter__(self) -> Self:
        self._source = os.dup(0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Not closed: a thread may still wait in it, and its number must not be reused.
        os.dup2(self._source, 0)

    async def __aiter__(self) -> AsyncIterator[str]:
        rest, is_too_long = b"", False
        while chunk := await run_in_thread(self._read):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if not is_too_long:
                    yield line.decode(errors="replace")
                is_too_long = False
            if len(rest) > self._limit:
                log.warning("a message of over %d bytes was dropped", self._limit)
                rest, is_too_long = b"", True
        if rest and not is_too_long:
            yield rest.decode(errors="replace")

    def _read(self) -> bytes:
        return os.read(self._source, _CHUNK)
