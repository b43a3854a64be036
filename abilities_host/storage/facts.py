"""BackupFacts: what a copy of a store is, found out before anybody relies on it."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from abilities_host.errors import StoreCorrupt, StoreForeign, StoreMissing
from abilities_host.frozen import FrozenDict
from abilities_host.storage.connection import check_kind, uri
from abilities_host.storage.faults import FOREIGN, store_faults
from abilities_host.storage.stillness import Stillness

_MISSING: Final = "there is no such copy. Correct the path."
_DAMAGED: Final = "this copy is damaged. Take another."
_FORMAT: Final = "PRAGMA user_version"
_GENERATION: Final = "SELECT value FROM generation"
_APPLIED: Final = "SELECT owner, name FROM migration ORDER BY owner, position"


@dataclass(frozen=True, slots=True)
class BackupFacts:
    """What was found in a copy that is whole.

    Attributes:
        path: the copy.
        size: of the file, in bytes.
        format: version of the store's own tables.
        generation: at the commit that was the last one when it was made.
        migrations: each owner to the names of what its tables have been through.
    """

    path: Path
    size: int
    format: int
    generation: int
    migrations: Mapping[str, tuple[str, ...]]


def check_backup(path: Path) -> BackupFacts:
    """Check that a copy is a whole store of this host; reads all of it, and blocks.

    Args:
        path: the copy; it may lie where nothing can be written.

    Returns:
        What is in it.

    Raises:
        StoreMissing: when there is none.
        StoreForeign: when it is something else.
        StoreNewer: when a newer version of the host made it.
        StoreCorrupt: when it is damaged.
        StoreUnsafe: when a log beside it holds what the file does not.
        StoreError: when it cannot be read.
    """
    path = path.resolve()
    with store_faults(path):
        stillness = check_kept(path)
        facts = read_facts(path, path)
        stillness.check()
    return facts


def check_kept(path: Path) -> Stillness:
    """Check that a copy is there, in one file.

    Args:
        path: the copy, resolved.

    Returns:
        What tells later whether it was changed meanwhile.

    Raises:
        StoreMissing: when there is none.
        StoreForeign: when it is no file, or empty.
        StoreUnsafe: when a log beside it holds what the file does not.
    """
    if not path.exists():
        raise StoreMissing(path, _MISSING)
    if not (path.is_file() and path.stat().st_size):
        raise StoreForeign(path, FOREIGN)
    return Stillness(path)


def read_facts(path: Path, named: Path) -> BackupFacts:
    """Read the facts of a copy that nobody changes meanwhile.

    Args:
        path: the file.
        named: the name of the copy, for facts and errors.

    Returns:
        What is in it.

    Raises:
        StoreError: when it is not a whole store of this host.
    """
    with (
        store_faults(named),
        closing(sqlite3.connect(uri(path, "immutable"), uri=True)) as connection,
    ):
        check_kind(connection, named)
        try:
            return _read(connection, path, named)
        except sqlite3.DatabaseError as error:
            raise StoreCorrupt(named, _DAMAGED) from error


def _read(connection: sqlite3.Connection, path: Path, named: Path) -> BackupFacts:
    def ask(sql: str) -> list[Any]:
        return connection.execute(sql).fetchall()

    if ask("PRAGMA quick_check(1)") != [("ok",)]:
        raise StoreCorrupt(named, _DAMAGED)
    names: dict[str, tuple[str, ...]] = {}
    for owner, name in ask(_APPLIED):
        names[owner] = (*names.get(owner, ()), name)
    [(version,)], [(generation,)] = ask(_FORMAT), ask(_GENERATION)
    return BackupFacts(
        named, path.stat().st_size, version, generation, FrozenDict(names)
    )
