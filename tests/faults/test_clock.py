"""A clock that was set back: numbers give the order, and nothing else depends on it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from faults.world import World, open_world

from abilities_host.storage import Transaction
from abilities_ledger.chain import COLUMNS, first_hash, link, read_details, write_body
from abilities_ledger.tables import RECORD

YEAR = timedelta(days=365)
_ROWS = f"SELECT {', '.join(COLUMNS)}, body FROM ledger_entry ORDER BY seq"  # noqa: S608 - names of columns
_MOVE = "UPDATE ledger_entry SET at = :at, body = :body, hash = :hash WHERE seq = :seq"


async def move_into_future(world: World, by: timedelta) -> None:
    """Give the record the times it would have if the clock had been ahead."""

    def work(db: Transaction) -> None:
        [(record,)] = db.execute(RECORD)
        rows = []
        for *values, body in db.execute(_ROWS):
            row = dict(zip(COLUMNS, values, strict=True))
            row["at"] += by // timedelta(microseconds=1)
            row["body"] = write_body(
                read_details(body), [row[name] for name in COLUMNS]
            )
            rows.append(row)
        for row in link(first_hash(record), rows):
            db.execute(
                _MOVE, {name: row[name] for name in ("at", "body", "hash", "seq")}
            )

    await world.store.transact(work)


async def put(world: World, slip: str) -> int:
    assert (await world.run("drawer/put", id="a", slip=slip)).is_ok
    return [e.seq for e in await world.entries() if e.kind == "change"][-1]


async def test_after_the_clock_was_set_back_all_goes_on_by_number(
    tmp_path: Path,
) -> None:
    config = 'anchor = "none"\n'
    async with open_world(tmp_path, config=config) as world:
        first = await put(world, "one")
        await move_into_future(world, YEAR)
        second = await put(world, "two")
        now = datetime.now(UTC)

        listed = await world.run("ledger/list-changes")
        early = await world.ledger.changes_in_window(now - YEAR / 2, now + YEAR / 2)
        late = await world.ledger.changes_in_window(now + YEAR / 2, now + 2 * YEAR)
        older = await world.undo(first)
        undone = [(await world.undo(seq)).code for seq in (second, first)]

        assert [each["id"] for each in listed.result["changes"]] == [second, first]
        assert [each.entry.seq for each in early.entries] == [second]
        assert [each.entry.seq for each in late.entries] == [first]
        assert older.code == "target_drifted"
        assert undone == ["", ""]
        assert await world.slips() == {}
        assert (await world.ledger.verify()).verdict in {
            "intact",
            "unanchored",
        }
