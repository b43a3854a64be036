"""Reading the log: filters, pages, and what it says when it cannot be read."""

from pathlib import Path

import pytest
from requestlog.log_world import NOW, file_of, record, records_of

from abilities_host.requestlog.errors import RequestLogUnusable
from abilities_host.requestlog.query import RequestQuery
from abilities_host.requestlog.reading import Kept, RequestReader

WORLD = {
    "1": record(request="1"),
    "2": record(request="2", ability="files/write", status="refused", code="x"),
    "3": record(request="3", server="ops", actor="root", client="Other"),
    "4": record(request="4", ability="", method="tools/list", at=NOW + 5),
    "5": record(request="5", ability="a[b]/c"),
}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, "12345"),
        ({"ability": "files/read"}, "13"),
        ({"ability": "files/*"}, "123"),
        ({"ability": "files/?ead"}, "13"),
        ({"ability": "a[b]/*"}, "5"),
        ({"ability": "[af]*"}, ""),
        ({"status": "refused"}, "2"),
        ({"code": "x"}, "2"),
        ({"server": "ops", "actor": "root", "client": "Other"}, "3"),
        ({"server": "ops", "actor": "ci"}, ""),
        ({"method": "tools/list"}, "4"),
        ({"since": NOW + 1}, "4"),
        ({"before": 3}, "12"),
        ({"after": 3}, "45"),
        ({"actor": "' OR 1 --"}, ""),
    ],
    ids=str,
)
def test_filters_leave_what_fits(
    tmp_path: Path, wanted: dict[str, str | int], found: str
) -> None:
    file = file_of(tmp_path)
    file.append(list(WORLD.values()))

    assert records_of(tmp_path, **wanted) == [WORLD[number] for number in found]
    file.close()


def test_pages_join_without_a_gap_and_the_newest_come_first(tmp_path: Path) -> None:
    file = file_of(tmp_path)
    records = [record(request=str(n)) for n in range(10)]
    file.append(records)
    reader = RequestReader(tmp_path / "requests.db", page=3)

    kept = [Kept(n, each) for n, each in enumerate(records, 1)]
    assert list(reader.oldest_first(RequestQuery())) == kept
    assert reader.newest(RequestQuery(), 4) == kept[:5:-1]
    file.close()


def test_without_a_file_nothing_was_logged(tmp_path: Path) -> None:
    assert records_of(tmp_path) == []
    assert not (tmp_path / "requests.db").exists()


def test_a_file_that_is_none_is_said(tmp_path: Path) -> None:
    path = tmp_path / "requests.db"
    path.write_text("no log at all, but long enough to be read as a database" * 20)

    with pytest.raises(RequestLogUnusable, match="Move it away"):
        records_of(tmp_path)


def test_a_record_is_told_to_programs_with_all_that_is_kept() -> None:
    told = Kept(3, record(at=1_780_000_000_000_123)).as_json()

    assert told == {
        "seq": 3,
        "at": "2026-05-28T20:26:40.000123Z",
        "at_us": 1_780_000_000_000_123,
        "surface": "http",
        "server": "default",
        "method": "tools/call",
        "ability": "files/read",
        "via": "call-tool",
        "actor": "ci",
        "client": "Client",
        "status": "ok",
        "code": "",
        "micros": 1_500,
        "bytes_in": 20,
        "bytes_out": 30,
        "request": "7",
        "era": "2026-07-28",
        "repaired": 0,
        "session": "abc",
        "trace": "",
        "call": "c1",
        "times": 1,
    }
