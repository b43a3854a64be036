"""Reading: the log as somebody looks at it, with or without a running host."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from abilities_host.requestlog.errors import RequestLogUnusable, unusable
from abilities_host.requestlog.file import connect
from abilities_host.requestlog.query import RequestQuery
from abilities_host.requestlog.record import MICROSECONDS, Record

PAGE: Final = 1_000
_FIELDS: Final = ", ".join(Record._fields)


class Kept(NamedTuple):
    """A record and its number.

    Attributes:
        seq: grows; numbers of requests that were removed do not come again.
        record: what is kept.
    """

    seq: int
    record: Record

    def as_json(self) -> dict[str, Any]:
        """Give JSON values; the keys are always the same."""
        when = datetime.fromtimestamp(self.record.at / MICROSECONDS, UTC)
        shown = f"{when:%Y-%m-%dT%H:%M:%S.%f}Z"
        values = self.record._asdict()
        at = values.pop("at")
        return {"seq": self.seq, "at": shown, "at_us": at, **values}


class RequestReader:
    """Reads the log; every method blocks, and none keeps others from writing.

    The file is opened for each page, so that a new one in its place is seen.

    Args:
        path: the file; while there is none nothing was logged.
        page: requests that are read at once.
    """

    def __init__(self, path: Path, *, page: int = PAGE) -> None:
        self._path: Final = path
        self._page: Final = page

    def newest(self, query: RequestQuery, limit: int) -> list[Kept]:
        """Give the newest requests.

        Args:
            query: which.
            limit: how many at most.

        Returns:
            Newest first.

        Raises:
            RequestLogUnusable: when the file cannot be read.
        """
        return self._read(query, limit, "DESC")

    def oldest_first(self, query: RequestQuery) -> Iterator[Kept]:
        """Give all requests, page by page.

        Args:
            query: which.

        Yields:
            Oldest first; what is logged meanwhile too.

        Raises:
            RequestLogUnusable: when the file cannot be read.
        """
        while page := self._read(query, self._page, "ASC"):
            yield from page
            query = replace(query, after=page[-1].seq)

    def _read(self, query: RequestQuery, limit: int, order: str) -> list[Kept]:
        condition, values = query.condition()
        text = (
            f"SELECT seq, {_FIELDS} FROM request WHERE {condition} "  # noqa: S608 - names of our own
            f"ORDER BY seq {order} LIMIT :limit"
        )
        if not self._path.exists():
            return []
        try:
            with closing(connect(self._path, "ro")) as connection:
                rows = connection.execute(text, {**values, "limit": limit}).fetchall()
        except (sqlite3.Error, OSError, RequestLogUnusable) as error:
            raise unusable(self._path, error) from error
        return [Kept(seq, Record(*values)) for seq, *values in rows]
