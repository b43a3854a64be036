"""Tables of the record, and what each is for."""

from typing import Final

from abilities_host.storage import Migration

OWNER: Final = "ledger"
RECORD: Final = "SELECT id FROM ledger_total"
"""Gives the record's own id."""

IS_MARK: Final = "kind IN ('prune', 'restore', 'review', 'setting', 'access')"
"""Must stand in a query by these kinds, or the index of the few is not used."""

MIGRATIONS: Final = (
    Migration(
        "0001-first",
        (
            # The chain. Every column but the hash goes into it; see chain.py.
            """
            CREATE TABLE ledger_entry (
                seq INTEGER PRIMARY KEY,
                at INTEGER NOT NULL,
                kind TEXT NOT NULL,
                listed INTEGER NOT NULL,
                call TEXT NOT NULL,
                parent TEXT NOT NULL,
                actor TEXT NOT NULL,
                session TEXT NOT NULL,
                ability TEXT NOT NULL,
                domain TEXT NOT NULL,
                target TEXT NOT NULL,
                action TEXT NOT NULL,
                result TEXT NOT NULL,
                real TEXT NOT NULL,
                partial TEXT NOT NULL,
                about INTEGER,
                before BLOB,
                after BLOB,
                body BLOB NOT NULL,
                hash BLOB NOT NULL
            )
            """,
            "CREATE INDEX ledger_by_call ON ledger_entry (call, seq)",
            # What is listed is a part of all rows: the others cost these nothing.
            "CREATE INDEX ledger_listed ON ledger_entry (seq) WHERE listed = 1",
            "CREATE INDEX ledger_by_time ON ledger_entry (at, seq) WHERE listed = 1",
            *(
                f"CREATE INDEX ledger_by_{name} ON ledger_entry ({columns}, seq) "
                "WHERE listed = 1"
                for name, columns in (
                    ("target", "domain, target"),
                    ("domain", "domain"),
                    ("actor", "actor"),
                    ("session", "session"),
                    ("ability", "ability"),
                )
            ),
            """
            CREATE INDEX ledger_by_about ON ledger_entry (about, seq)
            WHERE about IS NOT NULL
            """,
            # Removals and restored stores are few, and asked for by name.
            f"CREATE INDEX ledger_marks ON ledger_entry (kind, seq) WHERE {IS_MARK}",
            # States and arguments, by digest. `last` is the newest entry that has one:
            # what is older than the oldest entry kept can go.
            """
            CREATE TABLE ledger_content (
                digest BLOB PRIMARY KEY,
                size INTEGER NOT NULL,
                packed INTEGER NOT NULL,
                data BLOB,
                last INTEGER NOT NULL
            )
            """,
            "CREATE INDEX ledger_content_last ON ledger_content (last)",
            # What follows is derived, so that nobody has to search for it.
            # Runs whose end is not recorded: lease is the host that has them.
            """
            CREATE TABLE ledger_open (
                call TEXT PRIMARY KEY,
                seq INTEGER NOT NULL,
                lease TEXT NOT NULL,
                phase TEXT NOT NULL
            )
            """,
            # Changes that were undone, and whose undo was not undone.
            """
            CREATE TABLE ledger_undone (
                seq INTEGER PRIMARY KEY,
                by INTEGER NOT NULL
            )
            """,
            # The last evaluation of a run.
            """
            CREATE TABLE ledger_verdict (
                call TEXT PRIMARY KEY,
                real TEXT NOT NULL,
                seq INTEGER NOT NULL
            )
            """,
            # One row: who this record is, and running totals.
            """
            CREATE TABLE ledger_total (
                id TEXT NOT NULL,
                contents INTEGER NOT NULL,
                bytes INTEGER NOT NULL,
                evaluated INTEGER NOT NULL
            )
            """,
            """
            INSERT INTO ledger_total (id, contents, bytes, evaluated)
            VALUES (lower(hex(randomblob(16))), 0, 0, 0)
            """,
        ),
    ),
)
