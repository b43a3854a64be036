"""Pipes: standard input and output, kept for the protocol alone."""

import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

from abilities_host.errors import StartRefused
from abilities_host.threads import run_in_thread

log = logging.getLogger(__name__)

_CHUNK: Final = 1 << 16


class Pipes:
    """The client's end of standard input and output, as the SDK reads and writes it.

    The SDK's own files know no longest line, cannot be stopped while they wait for a
    client, fail when it is gone, and give standard output back at the end, when
    what a pack has printed into a buffer would still come out.

    Args:
        source: descriptor of what the client sends.
        sink: descriptor of what the client reads.
        limit: longest line in bytes; a longer one is dropped.
    """

    def __init__(self, source: int, sink: int, limit: int) -> None:
        self._source: Final = source
        self._sink: Final = sink
        self._limit: Final = limit
        self._is_broken = False

    @classmethod
    def take(cls, limit: int) -> "Pipes":
        """Take standard input and output away from everybody else in this process.

        From here on standard input is empty and standard output goes to standard
        error, for packs and their children too. The process ends like that.

        Args:
            limit: longest line in bytes; a longer one is dropped.

        Returns:
            The pipes to the client.

        Raises:
            StartRefused: when there is no such pipe.
        """
        # A descriptor that was closed at the start belongs to something else by now.
        if sys.stdin is None or sys.stdout is None:
            raise StartRefused(
                "Standard input or output is closed. A client starts this command and "
                "speaks to it through them."
            )
        pipes = cls(os.dup(0), os.dup(1), limit)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.close(nothing)
        with suppress(OSError):  # a closed standard error leaves it at nothing
            os.dup2(2, 1)
        return pipes

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

    async def write(self, text: str) -> None:
        """Write to the client; once it is gone, nothing.

        Args:
            text: whole lines.
        """
        if self._is_broken:
            return
        data = text.encode()
        try:
            await run_in_thread(lambda: self._write(data))
        except OSError:
            self._is_broken = True
            log.info("the client reads no more")

    async def flush(self) -> None:
        """Do nothing; what is written is on its way already."""

    def _read(self) -> bytes:
        return os.read(self._source, _CHUNK)

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._sink, left) :]
