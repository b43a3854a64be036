"""The tables of the pages for people, and every statement that touches them."""

from typing import Final

from abilities_host.storage.migrations import Migration

OWNER: Final = "admin"

MIGRATIONS: Final = (
    Migration(
        "0001-first",
        (
            """
            CREATE TABLE admin_session (
                digest TEXT PRIMARY KEY,
                account TEXT NOT NULL,
                secret_at TEXT NOT NULL,
                made_at INTEGER NOT NULL,
                seen_at INTEGER NOT NULL,
                address TEXT NOT NULL,
                browser TEXT NOT NULL
            )
            """,
            "CREATE INDEX admin_session_account ON admin_session (account, made_at)",
            """
            CREATE TABLE admin_link (
                digest TEXT PRIMARY KEY,
                until INTEGER NOT NULL
            )
            """,
        ),
    ),
)

# A session ends with the account, and with the secret that it was opened by.
_VALID: Final = """
    FROM admin_session JOIN account ON account.name = admin_session.account
        AND account.secret_at = admin_session.secret_at
        AND account.disabled_at IS NULL
    WHERE seen_at > :idle AND admin_session.made_at > :old
"""
_COLUMNS: Final = "digest, account, admin_session.made_at, seen_at, address, browser"
FIND: Final = f"SELECT {_COLUMNS} {_VALID} AND digest = :digest"
IS_GOOD: Final = f"SELECT 1 {_VALID} AND digest = :digest"
LIST: Final = f"""
    SELECT {_COLUMNS} {_VALID} ORDER BY admin_session.made_at DESC, digest LIMIT 1000
"""
ADD: Final = """
    INSERT INTO admin_session
        (digest, account, secret_at, made_at, seen_at, address, browser)
    SELECT :digest, name, secret_at, :now, :now, :address, :browser
    FROM account WHERE name = :account AND disabled_at IS NULL
"""
TOUCH: Final = """
    UPDATE admin_session SET seen_at = :now WHERE digest = :digest AND seen_at < :now
"""
END: Final = "DELETE FROM admin_session WHERE digest = :digest"
END_BY_ID: Final = """
    DELETE FROM admin_session WHERE substr(digest, 1, 16) = :id
"""
FORGET: Final = "DELETE FROM admin_session WHERE seen_at <= :idle OR made_at <= :old"
END_OLDEST: Final = """
    DELETE FROM admin_session WHERE account = :account AND digest NOT IN (
        SELECT digest FROM admin_session WHERE account = :account
        ORDER BY made_at DESC, digest LIMIT :kept
    )
"""

ADD_LINK: Final = "INSERT INTO admin_link (digest, until) VALUES (:digest, :until)"
FORGET_LINKS: Final = "DELETE FROM admin_link"
FIND_LINK: Final = """
    SELECT 1 FROM admin_link WHERE digest = :digest AND until > :now
"""
USE_LINK: Final = "DELETE FROM admin_link WHERE digest = :digest AND until > :now"
