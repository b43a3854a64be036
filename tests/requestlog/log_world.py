"""What a test of the log of requests stands in: records, files and processes."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from abilities_host.requestlog.file import Kept, RequestFile
from abilities_host.requestlog.query import RequestQuery
from abilities_host.requestlog.reading import RequestReader
from abilities_host.requestlog.record import Record

NOW = 1_780_000_000_000_000
DAY = 86_400 * 1_000_000

A_RECORD = Record(
    at=NOW,
    surface="http",
    server="default",
    method="tools/call",
    ability="files/read",
    via="call-tool",
    actor="ci",
    client="Client",
    status="ok",
    code="",
    micros=1_500,
    bytes_in=20,
    bytes_out=30,
    request="7",
    era="2026-07-28",
    repaired=0,
    session="abc",
    trace="",
    call="c1",
)


def record(**changed: Any) -> Record:
    """Make a record that differs from the usual one."""
    return A_RECORD._replace(**changed)


def file_of(folder: Path, **limits: int) -> RequestFile:
    """Give the log of a folder."""
    limits = {"keep_days": 3_650, "keep_entries": 1_000_000, **limits}
    kept = Kept(limits["keep_days"], limits["keep_entries"])
    return RequestFile(folder / "requests.db", lambda: kept)


def records_of(folder: Path, **wanted: Any) -> list[Record]:
    """Read the log of a folder, oldest first."""
    reader = RequestReader(folder / "requests.db")
    return [kept.record for kept in reader.oldest_first(RequestQuery(**wanted))]


def run_sql(path: Path, *statements: str) -> None:
    """Change a file behind the back of whoever writes it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
