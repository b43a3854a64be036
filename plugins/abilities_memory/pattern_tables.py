"""Tables of what was seen in the record, and of what was proposed for it."""

from typing import Final

from abilities_host.storage import Migration

OWNER: Final = "memory-patterns"

MIGRATIONS: Final = (
    Migration(
        "0001-first",
        (
            # One row: up to which entry the record was read.
            "CREATE TABLE memory_pattern_read (last INTEGER NOT NULL)",
            "INSERT INTO memory_pattern_read (last) VALUES (0)",
            # What went wrong; names of targets only as far as their kind keeps them.
            """
            CREATE TABLE memory_pattern_seen (
                entry INTEGER NOT NULL,
                happened TEXT NOT NULL,
                domain TEXT NOT NULL,
                action TEXT NOT NULL,
                kind TEXT NOT NULL,
                session TEXT NOT NULL,
                at INTEGER NOT NULL,
                count INTEGER NOT NULL,
                pattern TEXT NOT NULL,
                PRIMARY KEY (entry, happened, pattern)
            )
            """,
            """
            CREATE INDEX memory_pattern_of
            ON memory_pattern_seen (pattern, session)
            """,
            "CREATE INDEX memory_pattern_at ON memory_pattern_seen (at)",
            # Which guidance was proposed for a pattern, and of how many sessions.
            """
            CREATE TABLE memory_pattern (
                pattern TEXT PRIMARY KEY,
                guidance TEXT NOT NULL,
                sessions INTEGER NOT NULL
            )
            """,
        ),
    ),
)

LAST: Final = "SELECT last FROM memory_pattern_read"
READ: Final = "UPDATE memory_pattern_read SET last = :last"

SEEN: Final = ("entry", "at", "session", "domain", "action", "kind", "happened")
_SEEN: Final = ", ".join((*SEEN, "count"))

TAKE_BACK: Final = (
    "DELETE FROM memory_pattern_seen WHERE entry = :entry AND happened = :happened"
)
KEEP: Final = f"""
    INSERT INTO memory_pattern_seen ({_SEEN}, pattern)
    SELECT :{_SEEN.replace(", ", ", :")}, :pattern
    WHERE :most > (
        SELECT count(*) FROM memory_pattern_seen
        WHERE pattern = :pattern AND session = :session
    )
"""  # noqa: S608 - names of columns only
FORGET_OLD: Final = "DELETE FROM memory_pattern_seen WHERE at < :until"
COUNT: Final = "SELECT count(*) FROM memory_pattern_seen"
FORGET_FIRST: Final = """
    DELETE FROM memory_pattern_seen WHERE (entry, happened, pattern) IN (
        SELECT entry, happened, pattern FROM memory_pattern_seen
        ORDER BY entry, happened, pattern LIMIT :over
    )
"""
_IS_DUE_AGAIN: Final = """
    guidance.status = 'archived' AND guidance.forgotten_at IS NULL
    AND {sessions} >= :growth * told.sessions
"""
OFTEN: Final = f"""
    WITH often AS (
        SELECT pattern, count(DISTINCT session) AS sessions FROM memory_pattern_seen
        GROUP BY pattern HAVING count(DISTINCT session) >= :least
    )
    SELECT {", ".join(f"seen.{name}" for name in (*SEEN, "count"))}
    FROM often
    JOIN memory_pattern_seen AS seen ON seen.pattern = often.pattern
    LEFT JOIN memory_pattern AS told ON told.pattern = often.pattern
    LEFT JOIN memory_guidance AS guidance ON guidance.id = told.guidance
    WHERE told.pattern IS NULL OR ({_IS_DUE_AGAIN.format(sessions="often.sessions")})
    ORDER BY seen.entry LIMIT :most
"""  # noqa: S608 - names of columns only
"""Gives what was seen of each pattern that may have to be proposed."""

TOLD: Final = f"""
    SELECT told.guidance, coalesce({_IS_DUE_AGAIN.format(sessions=":sessions")}, 0)
    FROM memory_pattern AS told
    LEFT JOIN memory_guidance AS guidance ON guidance.id = told.guidance
    WHERE told.pattern = :pattern
"""  # noqa: S608 - a constant of this file
"""Gives what was proposed for a pattern, and whether it is to be proposed again."""

TELL: Final = """
    INSERT INTO memory_pattern (pattern, guidance, sessions)
    VALUES (:pattern, :guidance, :sessions)
    ON CONFLICT (pattern) DO UPDATE SET
        guidance = excluded.guidance, sessions = excluded.sessions
"""
