from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
from plugins.ledger.shelf import change, content_of, open_shelf, other, outcome

from abilities_ledger.chain import COLUMNS, first_hash, next_hash, write_body
from abilities_ledger.export import export, iso
from abilities_ledger.tables import RECORD

NAMES = (
    "seq at kind listed call parent actor session ability domain target action result "
    "real partial about before after hash at_us details"
)


async def collected(exported: Any) -> list[Mapping[str, Any]]:
    return [each async for each in exported]


async def test_every_entry_is_exported_oldest_first(tmp_path: Path) -> None:
    new = content_of("new")
    async with open_shelf(tmp_path) as shelf:
        details = {"via": "call-tool"}
        drafts = [other("intent", details=details), change(after=new.digest), outcome()]
        await shelf.book.append(drafts, [new])
        await shelf.set_time(2, 1_772_366_400_000_001)
        lines = await collected(export(shelf.book))
        head = await shelf.book.head()

    assert [line["seq"] for line in lines] == [1, 2, 3]
    assert [sorted(line) for line in lines] == [sorted(NAMES.split())] * 3
    assert lines[0]["details"] == details
    assert lines[1] == {
        **lines[1],
        "at": "2026-03-01T12:00:00.000001Z",
        "at_us": 1_772_366_400_000_001,
        "listed": True,
        "before": None,
        "after": new.digest.hex(),
    }
    assert lines[2]["hash"] == head.hash.hex()
    assert orjson.loads(orjson.dumps(lines)) == lines


async def test_an_export_is_read_in_pages_and_goes_on_after_a_number(
    tmp_path: Path,
) -> None:
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append([change() for _ in range(6)])
        found = [
            [line["seq"] for line in await collected(export(shelf.book, at_once=n))]
            for n in (1, 3, 4, 100)
        ]
        rest = await collected(export(shelf.book, 4))
        none = await collected(export(shelf.book, 99))
    assert found == [[1, 2, 3, 4, 5, 6]] * 4
    assert ([line["seq"] for line in rest], none) == ([5, 6], [])


async def test_the_chain_can_be_checked_with_an_export_alone(tmp_path: Path) -> None:
    new = content_of("new")
    async with open_shelf(tmp_path) as shelf:
        drafts = [
            other("intent", details={"b": [1.5, "é"], "a": None}),
            change(after=new.digest),
            outcome(about=1),
        ]
        await shelf.book.append(drafts, [new])
        [(record,)] = await shelf.store.read(RECORD)
        lines = await collected(export(shelf.book))

    previous = first_hash(record)
    for line in lines:
        previous = next_hash(previous, body_of(line))
        assert previous.hex() == line["hash"]


def body_of(line: Mapping[str, Any]) -> bytes:
    details = orjson.dumps(line["details"], option=orjson.OPT_SORT_KEYS)
    digests = {
        name: bytes.fromhex(line[name]) if line[name] else None
        for name in ("before", "after")
    }
    row = {**line, **digests, "at": line["at_us"], "listed": int(line["listed"])}
    return write_body(details, [row[name] for name in COLUMNS])


def test_a_moment_is_written_to_the_microsecond() -> None:
    assert iso(0) == "1970-01-01T00:00:00.000000Z"
    assert iso(1_772_366_400_000_001) == "2026-03-01T12:00:00.000001Z"
