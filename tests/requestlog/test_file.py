"""The file of the log: made for its owner, shared by processes, kept small."""

import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from requestlog.log_world import DAY, NOW, file_of, record, records_of, run_sql

from abilities_host.cli.request_rows import line_of
from abilities_host.requestlog.cleaning import cleaned
from abilities_host.requestlog.errors import RequestLogUnusable
from abilities_host.requestlog.file import Kept, RequestFile
from abilities_host.requestlog.query import RequestQuery
from abilities_host.requestlog.reading import RequestReader
from abilities_host.requestlog.record import Counted

SECOND = NOW // 1_000_000

WRITE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from requestlog.log_world import file_of, record
file = file_of(Path(sys.argv[1]))
for n in range(100):
    file.append([record(request=str(n), actor=sys.argv[2])])
file.close()
"""


def test_what_was_added_is_read_back_and_only_its_owner_may(tmp_path: Path) -> None:
    file = file_of(tmp_path)
    records = [record(request="1"), record(request="2", ability="", trace="t")]

    file.append(records[:1])
    file.append(records[1:])

    assert records_of(tmp_path) == records
    modes = {
        each.name: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()
    }
    names = {f"requests.db{end}" for end in ("", "-wal", "-shm", "-lock")}
    assert modes == dict.fromkeys(names, 0o600)
    file.close()


def test_what_is_only_counted_is_one_row_a_second_for_each_code(tmp_path: Path) -> None:
    file = file_of(tmp_path)
    refused = Counted(SECOND, "http", "", "http_401")
    other = [refused._replace(second=SECOND + 1), refused._replace(code="http_421")]

    for _ in range(3):
        file.append([refused.record(5), record()])
    file.append([each.record(1) for each in other])

    counted = [each for each in records_of(tmp_path) if not each.method]
    assert counted == [refused.record(15), *(each.record(1) for each in other)]
    file.close()


def test_two_processes_write_one_file(tmp_path: Path) -> None:
    tests = str(Path(__file__).parent.parent)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITE, tmp_path, name, tests])
        for name in ("a", "b")
    ]

    assert [each.wait(50) for each in writers] == [0, 0]

    expected = [str(n) for n in range(100)]
    for name in ("a", "b"):
        assert [r.request for r in records_of(tmp_path, actor=name)] == expected
    assert len(records_of(tmp_path)) == 200


def test_old_requests_go_in_small_steps(tmp_path: Path) -> None:
    file = file_of(tmp_path, keep_days=7)
    file.append([record(at=NOW - 8 * DAY)] * 12_000 + [record(at=NOW - 6 * DAY)] * 3)

    steps = [file.prune(NOW), file.prune(NOW), file.prune(NOW)]

    assert steps == [True, False, False]
    assert records_of(tmp_path) == [record(at=NOW - 6 * DAY)] * 3
    file.close()


def test_of_too_many_requests_the_newest_stay(tmp_path: Path) -> None:
    file = file_of(tmp_path, keep_entries=1_000)
    file.append([record(request=str(n)) for n in range(1_700)])

    file.prune(NOW)

    assert [r.request for r in records_of(tmp_path)] == [*map(str, range(700, 1_700))]
    file.close()


def test_how_long_requests_are_kept_may_change_while_they_are_written(
    tmp_path: Path,
) -> None:
    now = [Kept(days=30, entries=1_000)]
    file = RequestFile(tmp_path / "requests.db", lambda: now[0])
    file.append([record(at=NOW - 8 * DAY), record(at=NOW - 6 * DAY)])

    counts = []
    for now[0] in (Kept(30, 1_000), Kept(7, 1_000), Kept(1, 1_000)):
        file.prune(NOW)
        counts.append(len(records_of(tmp_path)))

    assert counts == [2, 1, 0]
    file.close()


def test_an_empty_log_can_be_pruned(tmp_path: Path) -> None:
    file = file_of(tmp_path)

    assert file.prune(NOW) is False
    assert records_of(tmp_path) == []
    file.close()


def test_a_log_that_was_moved_away_is_begun_anew(tmp_path: Path) -> None:
    file, path = file_of(tmp_path), tmp_path / "requests.db"
    file.append([record(request="1")])
    path.rename(tmp_path / "old.db")

    file.append([record(request="2")])

    assert records_of(tmp_path) == [record(request="2")]
    file.close()


@given(st.lists(st.text(), max_size=8))
@settings(max_examples=50)
def test_whatever_a_client_calls_itself_can_be_kept_and_shown(names: list[str]) -> None:
    records = [record(client=cleaned(name, 128)) for name in names]
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = file_of(folder)
        file.append(records)
        found = RequestReader(folder / "requests.db").newest(RequestQuery(), 100)
        file.close()

    assert [kept.record for kept in reversed(found)] == records
    lines = [line_of(kept) for kept in found]
    assert all(line.isprintable() for line in lines)


def spoil_text(path: Path) -> None:
    path.write_text("my notes")


def spoil_empty(path: Path) -> None:
    path.touch()


def spoil_foreign(path: Path) -> None:
    run_sql(path, "CREATE TABLE mine (a)")


def begin(path: Path) -> None:
    file = file_of(path.parent)
    file.append([record()])
    file.close()


def spoil_newer(path: Path) -> None:
    begin(path)
    run_sql(path, "PRAGMA user_version=99")


def spoil_schema(path: Path) -> None:
    begin(path)
    run_sql(path, "DROP TABLE request")


def spoil_rights(path: Path) -> None:
    begin(path)
    path.chmod(0o666)


def spoil_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (spoil_text, "Move it away"),
        (spoil_empty, "Move it away"),
        (spoil_foreign, "Move it away"),
        (spoil_schema, "Move it away"),
        (spoil_folder, "Move it away"),
        (spoil_newer, "a newer version of the host made it"),
        (spoil_rights, "chmod go-w"),
    ],
    ids=["text", "empty", "foreign", "schema", "folder", "newer", "rights"],
)
def test_what_cannot_be_the_log_is_left_alone_and_said(
    tmp_path: Path, spoil: Callable[[Path], None], told: str
) -> None:
    path = tmp_path / "requests.db"
    spoil(path)
    before = path.read_bytes() if path.is_file() else b""
    file = file_of(tmp_path)

    with pytest.raises(RequestLogUnusable) as appended:
        file.append([record()])
    with pytest.raises(RequestLogUnusable, match=re.escape(str(path))):
        file.prune(NOW)

    assert told in str(appended.value)
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_without_a_folder_the_reason_is_said(tmp_path: Path) -> None:
    with pytest.raises(RequestLogUnusable, match="No such file"):
        file_of(tmp_path / "gone").append([record()])
