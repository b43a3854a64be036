"""RequestLog: the one place where every request of a process is told."""

import time
from typing import Final

from abilities_host.requestlog.metrics import Metrics
from abilities_host.requestlog.record import Counted, Record
from abilities_host.requestlog.tracing import Tracing
from abilities_host.requestlog.writer import Writer


class RequestLog:
    """Keeps, counts and traces requests; nothing here blocks or fails a request.

    Args:
        writer: keeps records, None for nobody.
        metrics: counts.
        tracing: makes spans, None for nobody.

    Attributes:
        metrics: counts.
        tracing: makes spans, None for nobody.
    """

    def __init__(
        self,
        writer: Writer | None = None,
        metrics: Metrics | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        self.metrics: Final = metrics or Metrics()
        self.tracing: Final = tracing
        self._writer: Final = writer
        if writer is not None:
            self.metrics.dropped = lambda: writer.dropped

    def note(self, record: Record) -> None:
        """Keep and count a request.

        Args:
            record: of a request that has ended.
        """
        self.metrics.note(record)
        if self._writer is not None:
            self._writer.note(record)

    def refused(self, status: int, *, server: str = "") -> None:
        """Count a request that was refused before the protocol.

        Args:
            status: of HTTP, such as 401.
            server: id, empty when none was reached.
        """
        code = f"http_{status}"
        self.metrics.note(Counted(int(time.time()), "http", server, code).record(1))
        if self._writer is not None:
            self._writer.count("http", server, code)

    def token_refused(self, reason: str) -> None:
        """Count a token that was shown and refused.

        Args:
            reason: one of a few words, such as ``expired``; never the token.
        """
        self.metrics.tokens_refused.add((reason,))
