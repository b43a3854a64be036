"""Tables of session summaries, and what each is for."""

from typing import Final

from abilities_host.storage import Migration

OWNER: Final = "memory-summaries"

MIGRATIONS: Final = (
    Migration(
        "0001-first",
        (
            """
            CREATE TABLE memory_summary (
                number INTEGER PRIMARY KEY,
                saved_at INTEGER NOT NULL,
                session_start INTEGER NOT NULL,
                session_end INTEGER NOT NULL,
                actor TEXT NOT NULL,
                session TEXT NOT NULL,
                narrative TEXT NOT NULL,
                digest TEXT NOT NULL,
                divergences TEXT NOT NULL,
                is_partial INTEGER NOT NULL,
                last_entry INTEGER
            )
            """,
            """
            CREATE INDEX memory_summary_by_actor
            ON memory_summary (actor, session_end, number)
            """,
            """
            CREATE INDEX memory_summary_by_session
            ON memory_summary (actor, session, last_entry)
            """,
            """
            CREATE INDEX memory_summary_by_end
            ON memory_summary (session_end, number)
            """,
            "CREATE INDEX memory_summary_by_time ON memory_summary (saved_at)",
            # The number of a summary that was removed is never given again.
            "CREATE TABLE memory_summary_last (number INTEGER NOT NULL)",
            "INSERT INTO memory_summary_last (number) VALUES (0)",
        ),
    ),
    Migration(
        "0002-lists",
        (
            """
            ALTER TABLE memory_summary
            ADD COLUMN is_divergent INTEGER NOT NULL DEFAULT 0
            """,
            # A quote inside of a value has a backslash, so this is the key itself.
            """
            UPDATE memory_summary SET is_divergent = 1
            WHERE digest LIKE '%"divergence":true%'
            """,
            """
            CREATE INDEX memory_summary_divergent
            ON memory_summary (session_end, number) WHERE is_divergent = 1
            """,
            """
            CREATE INDEX memory_summary_of_session
            ON memory_summary (session, session_end, number)
            """,
        ),
    ),
)

COLUMNS: Final = (
    "number",
    "saved_at",
    "session_start",
    "session_end",
    "actor",
    "session",
    "narrative",
    "digest",
    "divergences",
    "is_partial",
    "last_entry",
    "is_divergent",
)
_NAMES: Final = ", ".join(COLUMNS)

TAKE_NUMBER: Final = "UPDATE memory_summary_last SET number = number + 1"
NUMBER: Final = "SELECT number FROM memory_summary_last"
INSERT: Final = (
    f"INSERT INTO memory_summary ({_NAMES}) "  # noqa: S608 - column names
    f"VALUES ({', '.join(f':{name}' for name in COLUMNS)})"
)
FIND: Final = f"SELECT {_NAMES} FROM memory_summary WHERE number = :number"  # noqa: S608 - names
RECENT: Final = (
    f"SELECT {_NAMES} FROM memory_summary "  # noqa: S608 - column names
    "ORDER BY session_end DESC, number DESC LIMIT :limit"
)
RECENT_OF: Final = (
    f"SELECT {_NAMES} FROM memory_summary WHERE actor = :actor "  # noqa: S608 - names
    "ORDER BY session_end DESC, number DESC LIMIT :limit"
)
AFTER: Final = (
    f"SELECT {_NAMES} FROM memory_summary WHERE number > :after "  # noqa: S608 - names
    "ORDER BY number LIMIT :limit"
)
PREVIOUS: Final = """
    SELECT
        (SELECT max(session_end) FROM memory_summary WHERE actor = :actor),
        (SELECT max(last_entry) FROM memory_summary
            WHERE actor = :actor AND session = :session)
"""
"""Gives up to when, and up to which entry of a session, an actor has told."""

COUNT: Final = "SELECT count(*) FROM memory_summary"
COUNT_OF: Final = "SELECT count(*) FROM memory_summary WHERE actor = :actor"
OLD: Final = """
    SELECT count(*) FROM memory_summary WHERE saved_at < :until
"""
PRUNE: Final = """
    DELETE FROM memory_summary WHERE number IN (
        SELECT number FROM memory_summary WHERE saved_at < :until
        ORDER BY saved_at LIMIT :limit
    )
"""
