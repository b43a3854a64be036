"""Chain: each entry's hash covers its exact stored bytes and the hash before it."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Final

import orjson

COLUMNS: Final = (
    "seq",
    "at",
    "listed",
    "kind",
    "call",
    "parent",
    "actor",
    "session",
    "ability",
    "domain",
    "target",
    "action",
    "result",
    "real",
    "partial",
    "about",
    "before",
    "after",
)
"""What entries are searched by; all of it stands in the body too, which is hashed."""

_ABOUT: Final = (int, type(None))


def first_hash(record: str) -> bytes:
    """Give what the first entry's hash starts from, so that no two records are alike.

    Args:
        record: the record's own id.

    Returns:
        32 bytes.
    """
    return sha256(b"abilities-host ledger\0" + record.encode()).digest()


def next_hash(previous: bytes, body: bytes) -> bytes:
    """Give the hash of an entry.

    Args:
        previous: hash of the entry before it, or where the chain starts.
        body: as it is stored.

    Returns:
        32 bytes.
    """
    return sha256(previous + body).digest()


def write_columns(values: Sequence[Any]) -> bytes:
    """Write the columns as they stand in a body.

    Args:
        values: of `COLUMNS`, in that order.

    Returns:
        JSON that no other columns could give, to the byte as SQLite writes it too, so
        that it can compare them itself.

    Raises:
        ValueError: when a value is of a kind that its column never has.
    """
    *said, before, after = values
    *_, about = said
    if type(about) not in _ABOUT:
        msg = "a number is none"
        raise ValueError(msg)
    try:
        return orjson.dumps([*said, _hex(before), _hex(after)])
    except TypeError as error:
        msg = "a text is none"
        raise ValueError(msg) from error


def _hex(digest: bytes | None) -> str:
    if digest is None:
        return ""
    if type(digest) is not bytes or not digest:  # it would read like another
        msg = "a digest is none"
        raise ValueError(msg)
    return digest.hex().upper()


def write_body(details: bytes, values: Sequence[Any]) -> bytes:
    """Write the bytes that stand for an entry.

    Args:
        details: JSON on one line.
        values: of `COLUMNS`, in that order.

    Returns:
        The details, a line end and the columns.
    """
    return b"\n".join((details, write_columns(values)))


def is_body_of(body: bytes, values: Sequence[Any]) -> bool:
    """Answer whether the columns of an entry say what its body says.

    Args:
        body: as it is stored.
        values: of `COLUMNS`, in that order.

    Returns:
        False also for values that no entry has.
    """
    try:
        return body[body.index(b"\n") + 1 :] == write_columns(values)
    except ValueError:
        return False


def read_details(body: bytes) -> bytes:
    """Give the details of a body, JSON on one line."""
    return body[: body.index(b"\n")]


def link(previous: bytes, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Chain new entries.

    Args:
        previous: hash of the newest entry, or where the chain starts.
        rows: column to value, each with its body.

    Returns:
        The same rows, each with its hash.
    """
    linked = []
    for row in rows:
        previous = row["hash"] = next_hash(previous, row["body"])
        linked.append(row)
    return linked
