"""The tables of the accounts, and every statement that touches them."""

from typing import Final

from abilities_host.storage.migrations import Migration

OWNER: Final = "accounts"
ROLES: Final = "0003-role"
"""Since when accounts have roles."""

STRANGERS: Final = 1000
"""How many names that are no accounts are remembered for their failed tries."""

MIGRATIONS: Final = (
    Migration(
        "0001-first",
        (
            """
            CREATE TABLE account (
                name TEXT PRIMARY KEY,
                secret_hash TEXT NOT NULL,
                made_at TEXT NOT NULL,
                made_by TEXT,
                secret_at TEXT NOT NULL,
                disabled_at TEXT,
                disabled_by TEXT
            )
            """,
            """
            CREATE TABLE account_try (
                name TEXT PRIMARY KEY,
                failures INTEGER NOT NULL,
                until INTEGER NOT NULL
            )
            """,
        ),
    ),
    Migration(
        "0002-seal-key",
        (
            """
            CREATE TABLE account_seal_key (
                name TEXT PRIMARY KEY,
                public BLOB NOT NULL,
                private BLOB NOT NULL,
                salt BLOB NOT NULL,
                nonce BLOB NOT NULL,
                memory INTEGER NOT NULL,
                passes INTEGER NOT NULL,
                lanes INTEGER NOT NULL
            )
            """,
        ),
    ),
    Migration(
        ROLES,
        (
            "ALTER TABLE account ADD COLUMN role TEXT NOT NULL DEFAULT 'reviewer'",
            "ALTER TABLE account ADD COLUMN secret_from TEXT NOT NULL DEFAULT ''",
            # Until then there was one role, and it was enough for everything.
            "UPDATE account SET role = 'operator'",
        ),
    ),
)

LIST: Final = """
    SELECT account.name, role, made_at, made_by, secret_at, secret_from, disabled_at,
        disabled_by, coalesce(failures, 0)
    FROM account LEFT JOIN account_try ON account_try.name = account.name
    ORDER BY account.name
"""
LIST_WITHOUT_ROLES: Final = """
    SELECT account.name, 'operator', made_at, made_by, secret_at, '', disabled_at,
        disabled_by, coalesce(failures, 0)
    FROM account LEFT JOIN account_try ON account_try.name = account.name
    ORDER BY account.name
"""
"""The same in a copy from before `ROLES`, which nobody migrates."""

FIND: Final = "SELECT secret_hash, disabled_at, role FROM account WHERE name = :name"
FIND_HASH: Final = """
    SELECT secret_hash FROM account WHERE name = :name AND disabled_at IS NULL
"""

# Who agrees must still be one when the row is written, not only when it was asked.
ADD: Final = """
    INSERT INTO account
        (name, secret_hash, made_at, made_by, secret_at, role, secret_from)
    SELECT :name, :secret_hash, :at, :by, :at, :role, :origin
    WHERE (:by IS NULL AND NOT EXISTS (SELECT 1 FROM account))
        OR EXISTS (SELECT 1 FROM account
            WHERE name = :by AND disabled_at IS NULL AND role = 'operator')
    ON CONFLICT (name) DO NOTHING
"""
# A key that was made meanwhile would stay locked with the old secret.
CHANGE: Final = """
    UPDATE account
    SET secret_hash = :secret_hash, secret_at = :at, secret_from = :origin
    WHERE name = :name AND secret_hash = :old AND disabled_at IS NULL
        AND :public = coalesce(
            (SELECT public FROM account_seal_key WHERE name = :name), x'')
"""
RAISE_COST: Final = """
    UPDATE account SET secret_hash = :secret_hash
    WHERE name = :name AND secret_hash = :old
"""
# One operator must be left; whoever is none may still switch the own account off.
DISABLE: Final = """
    UPDATE account SET disabled_at = :at, disabled_by = :by
    WHERE name = :name AND disabled_at IS NULL
        AND (role <> 'operator' OR EXISTS (SELECT 1 FROM account
            WHERE name <> :name AND disabled_at IS NULL AND role = 'operator'))
        AND EXISTS (SELECT 1 FROM account WHERE name = :by AND disabled_at IS NULL
            AND (name = :name OR role = 'operator'))
"""
SET_ROLE: Final = """
    UPDATE account SET role = :role
    WHERE name = :name AND disabled_at IS NULL
        AND (:role = 'operator' OR EXISTS (SELECT 1 FROM account
            WHERE name <> :name AND disabled_at IS NULL AND role = 'operator'))
        AND EXISTS (SELECT 1 FROM account
            WHERE name = :by AND disabled_at IS NULL AND role = 'operator')
"""

TRIES: Final = "SELECT failures, until FROM account_try WHERE name = :name"
# Only one of several processes gets the try: the others see another number.
TAKE_TRY: Final = """
    INSERT INTO account_try (name, failures, until) VALUES (:name, 1, :until)
    ON CONFLICT (name) DO UPDATE SET failures = account_try.failures + 1, until = :until
    WHERE account_try.failures = :failures
"""
FORGIVE: Final = "DELETE FROM account_try WHERE name = :name"
FORGET_STRANGERS: Final = """
    DELETE FROM account_try
    WHERE NOT EXISTS (SELECT 1 FROM account WHERE account.name = account_try.name)
        AND until < (
            SELECT min(until) FROM (
                SELECT until FROM account_try
                WHERE NOT EXISTS
                    (SELECT 1 FROM account WHERE account.name = account_try.name)
                ORDER BY until DESC LIMIT :strangers
            ) AS newest
        )
"""

FIND_KEY: Final = """
    SELECT name, public, private, salt, nonce, memory, passes, lanes
    FROM account_seal_key WHERE name = :name
"""
PUBLIC: Final = "SELECT name, public FROM account_seal_key ORDER BY name"
# An account has one key for good, made by whoever was first.
ADD_KEY: Final = """
    INSERT INTO account_seal_key
        (name, public, private, salt, nonce, memory, passes, lanes)
    SELECT :name, :public, :private, :salt, :nonce, :memory, :passes, :lanes
    WHERE EXISTS
        (SELECT 1 FROM account WHERE name = :name AND secret_hash = :secret_hash)
    ON CONFLICT (name) DO NOTHING
"""
LOCK_KEY: Final = """
    UPDATE account_seal_key SET private = :private, salt = :salt, nonce = :nonce,
        memory = :memory, passes = :passes, lanes = :lanes
    WHERE name = :name AND public = :public AND EXISTS
        (SELECT 1 FROM account WHERE name = :name AND secret_hash = :secret_hash)
"""
IS_ON: Final = "SELECT 1 FROM account WHERE name = :name AND disabled_at IS NULL"
