"""Migrator: brings the tables of each owner up to date, in one process only."""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from abilities_host.errors import StoreError
from abilities_host.storage.backups import make_backup
from abilities_host.storage.commits import Commits
from abilities_host.storage.faults import store_faults
from abilities_host.storage.group import transaction
from abilities_host.storage.identity import Identity
from abilities_host.storage.migrations import APPLIED, Migration, pending

SECONDS: Final = 60.0  # it waits for that long while another process migrates
_RECORD: Final = (
    "INSERT INTO migration (owner, position, name, applied_at) "
    "VALUES (:owner, (SELECT count(*) FROM migration WHERE owner = :owner), :name, :at)"
)


class Migrator:
    """What `Store.migrate` does in the writer's thread; everything here blocks.

    Args:
        path: the store, resolved.
        identity: which file it is.
        commits: keeps other processes away.
        is_new: this process made it just now: there is nothing to keep a copy of.
    """

    def __init__(
        self, path: Path, identity: Identity, commits: Commits, *, is_new: bool
    ) -> None:
        self._path = path
        self._identity = identity
        self._commits = commits
        self._is_new = is_new

    def migrate(
        self,
        owner: str,
        migrations: Sequence[Migration],
        connection: sqlite3.Connection,
    ) -> None:
        """Bring one owner's tables up to date; see `Store.migrate`.

        Args:
            owner: whose tables.
            migrations: all of them since the first, in their order.
            connection: the writer's.

        Raises:
            StoreNewer: when a later version of the owner was here.
            StoreError: when it could not be done; nothing was changed.
        """
        self._identity.check()
        if not self._pending(owner, migrations, connection):
            return
        with self._commits.alone(SECONDS):
            # Another process may have done it while this one waited.
            if not self._pending(owner, migrations, connection):
                return
            self._identity.check_writable()
            if not self._is_new:
                make_backup(connection, self._path)
            with transaction(connection, self._path):
                for migration in self._pending(owner, migrations, connection):
                    self._apply(owner, migration, connection)

    def _pending(
        self,
        owner: str,
        migrations: Sequence[Migration],
        connection: sqlite3.Connection,
    ) -> list[Migration]:
        rows = connection.execute(APPLIED, {"owner": owner}).fetchall()
        return pending(self._path, owner, [name for (name,) in rows], migrations)

    def _apply(
        self, owner: str, migration: Migration, connection: sqlite3.Connection
    ) -> None:
        try:
            with store_faults(self._path):
                for sql in migration.statements:
                    connection.execute(sql)
        except (sqlite3.Error, sqlite3.Warning) as error:
            problem = f"migration {migration.name!r} of {owner!r} failed: {error}."
            problem += " Nothing was changed."
            raise StoreError(self._path, problem) from error
        at = datetime.now(UTC).isoformat(timespec="seconds")
        connection.execute(_RECORD, {"owner": owner, "name": migration.name, "at": at})
