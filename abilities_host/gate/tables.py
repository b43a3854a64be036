"""The table of seals, and every statement that touches it."""

from typing import Final

from abilities_host.storage.migrations import Migration

OWNER: Final = "gate"

MIGRATIONS: Final = (
    Migration(
        "0001-first",
        (
            """
            CREATE TABLE gate_seal (
                kind TEXT NOT NULL,
                id TEXT NOT NULL,
                hash TEXT NOT NULL,
                canonical BLOB NOT NULL,
                reviewer TEXT NOT NULL,
                at INTEGER NOT NULL,
                signature BLOB NOT NULL,
                withdrawn_by TEXT,
                withdrawn_at INTEGER,
                withdrawal BLOB,
                PRIMARY KEY (kind, id)
            )
            """,
        ),
    ),
)

# Approved again after a withdrawal: the record of writes has the earlier decisions.
ADD: Final = """
    INSERT OR REPLACE INTO gate_seal
        (kind, id, hash, canonical, reviewer, at, signature)
    VALUES (:kind, :id, :hash, :canonical, :reviewer, :at, :signature)
"""
HASH: Final = "SELECT hash FROM gate_seal WHERE kind = :kind AND id = :id"
WITHDRAW: Final = """
    UPDATE gate_seal SET withdrawn_by = :reviewer, withdrawn_at = :at,
        withdrawal = :signature
    WHERE kind = :kind AND id = :id
"""
LIST: Final = """
    SELECT kind, id, hash, canonical, reviewer, at, signature,
        withdrawn_by, withdrawn_at, withdrawal
    FROM gate_seal WHERE kind = :kind ORDER BY id
"""
FORGET: Final = """
    UPDATE gate_seal SET canonical = x'' WHERE kind = :kind AND id = :id
"""
