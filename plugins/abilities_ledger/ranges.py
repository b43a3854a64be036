"""Ranges: parts of a record, checked one by one; also a program of its own.

What reads the database is somebody else: a check gives a query and is sent the rows. As
a program it needs nothing but Python itself, so that it starts at once.
"""

import json
import sqlite3
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from hashlib import sha256
from itertools import islice
from typing import Any, BinaryIO, Final, NamedTuple
from zlib import decompress
from zlib import error as ZlibError  # noqa: N812 - zlib calls it only 'error'

ROWS: Final = 2000  # entries read at once
CONTENTS: Final = 1000
CONTENTS_BYTES: Final = 16 << 20
KNOWN: Final = 50_000  # digests remembered, some megabytes
MAPPED: Final = 1 << 31  # bytes of the file that need not be copied

_DIGEST: Final = 32
_BATCH: Final = 100  # rows that stay in the cache of the processor
_NAMES_ARGUMENTS: Final = b'arguments":"'
_BEFORE: Final = (
    "SELECT CAST(hash AS BLOB) FROM ledger_entry WHERE seq = :seq AND hash IS NOT NULL"
)
# Many digests in one value: as many values would take twice as long.
_IS_KEPT: Final = f"""
    WITH RECURSIVE place (n) AS (
        VALUES (1)
        UNION ALL
        SELECT n + {_DIGEST} FROM place WHERE n + {_DIGEST} < length(:digests)
    )
    SELECT count(*) FROM place CROSS JOIN ledger_content
    WHERE digest = substr(:digests, n, {_DIGEST})
"""  # noqa: S608 - a constant
_IS_WHOLE: Final = f"{_IS_KEPT} AND data IS NOT NULL"
_ABOVE: Final = "FROM ledger_content WHERE digest > :after"
_SOME: Final = "ORDER BY digest LIMIT :limit"
_SIZES: Final = "SELECT coalesce(length(data), 0) "
_CONTENTS: Final = "SELECT digest, size, packed, CAST(data AS BLOB) "


class Query(NamedTuple):
    """What must be read before a check can go on."""

    sql: str
    values: dict[str, Any]


Rows = Iterable[Sequence[Any]]
Checking = Generator[Query, Rows, Any]
"""A check: gives queries, is sent the rows of each, and returns what it found."""


class Checked(NamedTuple):
    """How far a range is as it was written; whoever doubts the rest looks at it.

    Attributes:
        through: number of the last entry that is, or the one before the first.
        before: the hash that the first one starts from, hexadecimal.
        hash: of the last one that is.
        is_lost: whether a state that a change names may be gone.
    """

    through: int
    before: str
    hash: str
    is_lost: bool


class _Named(NamedTuple):
    """What the entries of a page name, to be looked for all at once.

    Attributes:
        states: digests of states that must be whole.
        intents: bodies that may name arguments.
    """

    states: set[bytes]
    intents: list[bytes]

    def add(self, bodies: Sequence[bytes], names: Sequence[Any]) -> None:
        """Add what entries name: 1 for an intent, two digests in one for a change."""
        pairs = zip(bodies, names, strict=True)
        self.intents.extend([body for body, name in pairs if name == 1])
        states = [name for name in names if name.__class__ is bytes]
        self.states.update([state[:_DIGEST] for state in states])
        self.states.update([state[_DIGEST:] for state in states])
        self.states.discard(b"")


class Ranges:
    """Checks of one record; what one has seen to be kept the next takes for granted.

    Args:
        columns: names of what stands in a body, in that order.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self._page: Final = _page_sql(columns)
        self._states: Final[set[bytes]] = set()
        self._arguments: Final[set[bytes]] = set()

    def start(self, name: str, *asked: Any) -> Checking:
        """Begin a check by its name: ``entries`` or ``contents``."""
        every: dict[str, Callable[..., Checking]] = {
            "entries": self.entries,
            "contents": self.contents,
        }
        return every[name](*asked)

    def entries(self, first: int, last: int, before: str | None) -> Checking:
        """Check entries, their columns, and whether what they name is kept.

        Args:
            first: number of the first one.
            last: number of the last one.
            before: hash that the first one starts from, hexadecimal; None to read it.

        Returns:
            A `Checked`; it stops short at the first doubt.
        """
        if before is None:
            hashes = yield Query(_BEFORE, {"seq": first - 1})
            before = "".join(hash_.hex() for (hash_,) in hashes)
        through, previous, is_lost = first - 1, bytes.fromhex(before), False
        while through < last:
            end = min(last, through + ROWS)
            rows = yield Query(self._page, {"first": through + 1, "last": end})
            named = _Named(set(), [])
            found = _hash_through(rows, end - through, previous, named)
            if found is None or not (yield from self._has_arguments(named.intents)):
                break
            is_lost |= not (yield from self._has_states(named.states))
            through, previous = end, found
        return Checked(through, before, previous.hex(), is_lost)

    def _has_arguments(self, intents: list[bytes]) -> Generator[Query, Rows, bool]:
        parts = b"".join(intents).split(_NAMES_ARGUMENTS)[1:]
        named = {part[:64] for part in parts if part[64:65] == b'"'} - self._arguments
        digests = {digest for digest in map(_unhex, named) if digest}
        if not (yield from _are_there(_IS_KEPT, digests)):
            return False
        _remember(self._arguments, named)
        return True

    def _has_states(self, states: set[bytes]) -> Generator[Query, Rows, bool]:
        named = states - self._states
        if not (yield from _are_there(_IS_WHOLE, named)):
            return False
        _remember(self._states, named)
        return True

    def contents(self, after: str, until: str | None) -> Checking:
        """Check that what is kept has the digest by which it is found.

        Args:
            after: hexadecimal; where to begin, without it.
            until: where to end, with it; None for the end of all.

        Returns:
            Digests by which the first altered one may be named; none for none.
        """
        within = f"{_ABOVE}{' AND digest <= :until' if until else ''} {_SOME}"
        values: dict[str, Any] = {"after": bytes.fromhex(after), "limit": CONTENTS}
        if until:
            values["until"] = bytes.fromhex(until)
        while limit := _fitting((yield Query(_SIZES + within, dict(values)))):
            rows = list((yield Query(_CONTENTS + within, {**values, "limit": limit})))
            if names := _altered(rows):
                return names
            if not rows:
                break  # what was left was pruned meanwhile
            values["after"] = rows[-1][0]
        return []


def _page_sql(columns: Sequence[str]) -> str:
    """Have SQLite write the columns: to fetch them and write them here costs twice."""
    *said, before, after = columns
    written = f"json_array({', '.join(said)}, hex({before}), hex({after}))"
    # Compared by their kind: numbers come before texts, and texts before bytes.
    are_bytes = " AND ".join(
        ("body >= x''", *(f"({n} IS NULL OR {n} > x'')" for n in (before, after)))
    )
    are_known = " AND ".join(
        f"ifnull(length({name}), {_DIGEST}) = {_DIGEST}" for name in (before, after)
    )
    states = f"CAST(ifnull({before}, '') || ifnull({after}, '') AS BLOB)"
    return f"""
        SELECT CAST(body AS BLOB), hash,
            CASE WHEN {are_bytes} THEN CAST({written} AS BLOB) END,
            CASE WHEN kind = 'intent' THEN 1 WHEN kind = 'change' AND partial = ''
                THEN CASE WHEN {are_known} THEN {states} ELSE x'00' END END
        FROM ledger_entry WHERE seq BETWEEN :first AND :last ORDER BY seq
    """  # noqa: S608 - names of columns


def _hash_through(rows: Rows, count: int, start: bytes, named: _Named) -> bytes | None:
    """Give the hash of the last entry; None where anything is not as it should be."""
    left, hash_ = iter(rows), start
    while batch := list(islice(left, _BATCH)):
        bodies, stored, columns, names = zip(*batch, strict=True)
        hashes = [hash_ := sha256(hash_ + body).digest() for body in bodies]
        said = [body[body.find(b"\n") + 1 :] for body in bodies]
        if hashes != list(stored) or said != list(columns):
            return None
        count -= len(batch)
        named.add(bodies, names)
    return None if count else hash_


def _are_there(sql: str, digests: Iterable[bytes]) -> Generator[Query, Rows, bool]:
    every = sorted(digests)  # neighbours lie side by side
    if not every:
        return True
    if any(len(digest) != _DIGEST for digest in every):
        return False
    [[count]] = yield Query(sql, {"digests": b"".join(every)})
    return bool(count == len(every))


def _unhex(written: bytes) -> bytes | None:
    try:
        return bytes.fromhex(written.decode())
    except ValueError:  # it only looks like a digest
        return None


def _remember(known: set[bytes], digests: set[bytes]) -> None:
    if len(known) > KNOWN:
        known.clear()
    known |= digests


def _fitting(sizes: Rows) -> int:
    """Say how many of the first together are small enough; at least one, if any."""
    total = count = 0
    for (size,) in sizes:
        total += size
        if count and total > CONTENTS_BYTES:
            break
        count += 1
    return count


def _altered(rows: Rows) -> list[str]:
    """Give the digests by which the first altered content may be named."""
    for digest, size, packed, data in rows:
        if data is None:
            continue
        try:
            written = decompress(data) if packed else data
        except ZlibError:
            return [digest.hex()]
        if (now := sha256(written).digest()) != digest:
            return [now.hex(), digest.hex()]
        if size != len(written) - 1:
            return [digest.hex()]
    return []


def run(checking: Checking, read: Callable[[Query], Rows]) -> Any:
    """Run a check to its end.

    Args:
        checking: from `Ranges`.
        read: gives the rows of a query.

    Returns:
        What it found.
    """
    try:
        query = next(checking)
        while True:
            query = checking.send(read(query))
    except StopIteration as ended:
        return ended.value


def serve(asked: BinaryIO, answers: BinaryIO) -> None:
    """Check one range for each line until there are no more; all lines are JSON.

    Args:
        asked: the database and the columns; then a name and its arguments each.
        answers: what was found, in the same order; null where it cannot be read.
    """
    uri, columns = json.loads(asked.readline())
    ranges = Ranges(columns)
    with closing(sqlite3.connect(uri, uri=True)) as db:
        db.execute("PRAGMA trusted_schema=OFF")
        db.execute("PRAGMA query_only=ON")
        db.execute(f"PRAGMA mmap_size={MAPPED}")
        for line in asked:
            checking = ranges.start(*json.loads(line))
            try:
                found = run(checking, lambda query: db.execute(*query))
            except sqlite3.Error:
                found = None
            answers.write(json.dumps(found).encode() + b"\n")
            answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
