"""A client over pipes: lines out, lines in, and a fixed number under way."""

from itertools import count as numbers
from typing import Any, BinaryIO, Final, cast

from benchmarks.process import Process, cpu_seconds
from benchmarks.wire import MODERN, call, initialize, initialized, request, result_of


class StdioClient:
    """Asks a server over its standard input.

    Args:
        process: with pipes.
        version: of the protocol; the first request decides the era.
    """

    def __init__(self, process: Process, version: str = MODERN) -> None:
        self.process: Final = process
        self._version: Final = version
        self._numbers: Final = numbers(1)
        self._requests: Final = cast("BinaryIO", process.stdin)
        self._answers: Final = cast("BinaryIO", process.stdout)

    def open(self) -> None:
        """Shake hands, where the era does."""
        if self._version != MODERN:
            self._send(initialize(next(self._numbers)))
            result_of(self._receive())
            self._send(initialized())

    def list_tools(self) -> bytes:
        """Ask for the listing and give the whole answer."""
        number = next(self._numbers)
        self._send(request(number, "tools/list", {}, self._version))
        return self._receive()

    def call(self, tool: str, arguments: Any) -> Any:
        """Call a tool and give its structured result."""
        self._send(call(next(self._numbers), tool, arguments, self._version))
        return result_of(self._receive())["structuredContent"]

    def flood(self, tool: str, arguments: Any, *, count: int, under_way: int) -> None:
        """Call a tool many times, some of them at once; each answer must be good.

        Args:
            tool: its exposed name.
            arguments: of every call.
            count: calls in all.
            under_way: calls not yet answered at most.
        """
        for sent in range(count + under_way):
            if sent >= under_way:
                result_of(self._receive())
            if sent < count:
                self._send(call(next(self._numbers), tool, arguments, self._version))

    def cpu(self) -> float:
        """Give the server's processor time in seconds."""
        return cpu_seconds(self.process.pid)

    def _send(self, line: bytes) -> None:
        self._requests.write(line + b"\n")
        self._requests.flush()

    def _receive(self) -> bytes:
        """Give the next answer; what the server tells unasked is passed over."""
        while True:
            line = self._answers.readline()
            if not line or b'"id":' in line[:40] or b'"id":' in line[-40:]:
                return line
