"""Chain: each entry's hash covers its exact stored bytes and the hash before it."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Final

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


def write_columns(values: Sequence[Any]) -> str:
    """Write the columns as they stand in a body; a text begins with its length.

    Args:
        values: of `COLUMNS`, in that order.

    Returns:
        One text that no other columns could give.

    Raises:
        ValueError: when a value is of a kind that its column never has.
    """
    seq, at, listed, *texts, about, before, after = values
    if not (type(seq) is type(at) is type(listed) is int) or type(about) not in _ABOUT:
        msg = "a number is none"
        raise ValueError(msg)
    try:
        parts = [f"{len(text)}:{text}" for text in texts]
        states = f"{_hex(before)}|{_hex(after)}"
    except (TypeError, AttributeError) as error:
        msg = "a text or a digest is none"
        raise ValueError(msg) from error
    known = "" if about is None else about
    return f"{seq}|{at}|{listed}|{'|'.join(parts)}|{known}|{states}"


def _hex(digest: bytes | None) -> str:
    if digest is None:
        return ""
    if not digest:  # it would read like none
        msg = "a digest is empty"
        raise ValueError(msg)
    return digest.hex()


def write_body(details: bytes, values: Sequence[Any]) -> bytes:
    """Write the bytes that stand for an entry.

    Args:
        details: JSON on one line.
        values: of `COLUMNS`, in that order.

    Returns:
        The details, a line end and the columns.
    """
    return b"\n".join((details, write_columns(values).encode()))


def is_body_of(body: bytes, values: Sequence[Any]) -> bool:
    """Answer whether the columns of an entry say what its body says.

    Args:
        body: as it is stored.
        values: of `COLUMNS`, in that order.

    Returns:
        False also for values that no entry has.
    """
    try:
        return body[body.index(b"\n") + 1 :] == write_columns(values).encode()
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
