"""The table of the tokens, and every statement that touches it."""

from typing import Final

from abilities_host.storage.migrations import Migration

OWNER: Final = "tokens"
LIMIT: Final = 10_000
"""How many tokens are kept, those that have ended among them."""

MIGRATIONS: Final = (
    Migration(
        "0001-first",
        (
            """
            CREATE TABLE client_token (
                id TEXT PRIMARY KEY,
                digest BLOB NOT NULL,
                name TEXT NOT NULL,
                scopes TEXT NOT NULL,
                role TEXT NOT NULL,
                server TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                created_by TEXT NOT NULL,
                expires_at INTEGER,
                revoked_at INTEGER,
                revoked_by TEXT NOT NULL DEFAULT '',
                rotated_from TEXT NOT NULL DEFAULT '',
                rotated_to TEXT NOT NULL DEFAULT '',
                used_at INTEGER
            )
            """,
            "CREATE INDEX client_token_name ON client_token (name)",
        ),
    ),
)

COLUMNS: Final = (
    "id, name, scopes, role, server, created_at, created_by, expires_at, revoked_at, "
    "revoked_by, rotated_from, rotated_to, used_at"
)
LIST: Final = f"""
    SELECT {COLUMNS} FROM client_token ORDER BY name, created_at, id LIMIT {LIMIT}
"""  # noqa: S608 - both are written above
LOAD: Final = f"""
    SELECT digest, {COLUMNS} FROM client_token ORDER BY created_at DESC LIMIT {LIMIT}
"""  # noqa: S608 - same
BY_NAME: Final = f"""
    SELECT {COLUMNS} FROM client_token WHERE name = :name
    ORDER BY created_at, id LIMIT {LIMIT}
"""  # noqa: S608 - same
BY_ID: Final = f"SELECT {COLUMNS} FROM client_token WHERE id = :id"  # noqa: S608 - same
NAMES: Final = f"""
    SELECT DISTINCT name FROM client_token WHERE revoked_at IS NULL LIMIT {LIMIT}
"""  # noqa: S608 - same

ADD: Final = """
    INSERT INTO client_token (id, digest, name, scopes, role, server, created_at,
        created_by, expires_at, rotated_from)
    VALUES (:id, :digest, :name, :scopes, :role, :server, :created_at,
        :created_by, :expires_at, :rotated_from)
"""
REVOKE: Final = """
    UPDATE client_token SET revoked_at = :at, revoked_by = :by WHERE id = :id
"""
END: Final = "UPDATE client_token SET expires_at = :until WHERE id = :id"
REPLACE: Final = "UPDATE client_token SET rotated_to = :to WHERE id = :id"
USE: Final = """
    UPDATE client_token SET used_at = :at
    WHERE id = :id AND (used_at IS NULL OR used_at < :at)
"""

COUNT: Final = "SELECT count(*) FROM client_token"
# Whoever shows one that was removed is told what a stranger is told.
REMOVE_ENDED: Final = """
    DELETE FROM client_token WHERE id IN (
        SELECT id FROM client_token
        WHERE revoked_at IS NOT NULL OR expires_at <= :now
        ORDER BY coalesce(revoked_at, expires_at) LIMIT :count
    )
"""
