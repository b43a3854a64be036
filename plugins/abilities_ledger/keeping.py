"""Keeping: contents in the store, each of them once."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from abilities_host.storage import Transaction
from abilities_ledger.content import Content, columns_of

_COLUMNS: Final = ("digest", "size", "packed", "data", "last")
# What was too large, or was removed, may be kept from now on.
_FILL: Final = (
    "UPDATE ledger_content SET size = :size, packed = :packed, data = :data, "
    "last = :last WHERE digest = :digest"
)
_AGAIN: Final = "UPDATE ledger_content SET last = :last WHERE digest = :digest"
_COUNT: Final = (
    "UPDATE ledger_total SET contents = contents + :contents, bytes = bytes + :bytes"
)
_LENGTH: Final = (
    "SELECT length(data) FROM ledger_content "
    "WHERE digest = :digest AND data IS NOT NULL"
)
_REMOVE: Final = "UPDATE ledger_content SET data = NULL WHERE digest = :digest"
_SEEK: Final = (
    "SELECT digest, data IS NOT NULL FROM ledger_content WHERE digest IN ({})"
)
_AT_ONCE: Final = (1, 4, 16, 64)  # digests in one question


def keep_contents(
    db: Transaction, contents: Mapping[bytes, tuple[Content, int]]
) -> None:
    """Keep contents, and which entry was the last to need each.

    Args:
        db: the transaction.
        contents: digest to content and number of the newest entry that has it.
    """
    if not contents:
        return
    kept = _sought(db, [*contents])
    new, again, size = [], [], 0
    for digest, (content, last) in contents.items():
        is_kept = kept.get(digest)
        if is_kept is None:
            new.append((*columns_of(content), last))
        elif is_kept or content.data is None:
            again.append({"digest": digest, "last": last})
            continue
        else:
            names = dict(zip(_COLUMNS, (*columns_of(content), last), strict=True))
            db.execute(_FILL, names)
        size += len(content.data or b"")
    if new:
        db.insert("ledger_content", _COLUMNS, new)
    if again:
        db.execute_many(_AGAIN, again)
    if new or size:
        db.execute(_COUNT, {"contents": len(new), "bytes": size})


def _sought(db: Transaction, digests: Sequence[bytes]) -> dict[bytes, bool]:
    """Give the digests that are known, and whether their content is there."""
    found: dict[bytes, bool] = {}
    most = _AT_ONCE[-1]
    for first in range(0, len(digests), most):
        part = digests[first : first + most]
        # In few sizes, so that few statements must be kept ready.
        count = next(each for each in _AT_ONCE if each >= len(part))
        sql, names = _question(count)
        padded = [*part, *[part[-1]] * (count - len(part))]
        rows = db.execute(sql, dict(zip(names, padded, strict=True)))
        found.update((digest, bool(has_data)) for digest, has_data in rows)
    return found


@cache
def _question(count: int) -> tuple[str, list[str]]:
    names = [f"digest{number}" for number in range(count)]
    return _SEEK.format(", ".join(f":{name}" for name in names)), names


def remove_content(db: Transaction, digest: bytes) -> bool:
    """Remove a content; its digest and size stay.

    Args:
        db: the transaction.
        digest: of the content.

    Returns:
        Whether it was there.
    """
    rows = db.execute(_LENGTH, {"digest": digest})
    for (size,) in rows:
        db.execute(_REMOVE, {"digest": digest})
        db.execute(_COUNT, {"contents": 0, "bytes": -size})
    return bool(rows)
