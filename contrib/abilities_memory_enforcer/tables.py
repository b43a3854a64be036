"""The table of tickets, and every statement that touches it."""

from typing import Final

from abilities_host.storage import Migration

OWNER: Final = "memory_enforcer"

MIGRATIONS: Final = (
    Migration(
        "0001-tickets",
        (
            # The last number given; it never goes back, also when rows are removed.
            """
            CREATE TABLE enforcer_counter (
                name TEXT PRIMARY KEY,
                last INTEGER NOT NULL
            )
            """,
            "INSERT INTO enforcer_counter (name, last) VALUES ('ticket', 0)",
            """
            CREATE TABLE enforcer_ticket (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                binding TEXT NOT NULL,
                actor TEXT NOT NULL,
                ability TEXT NOT NULL,
                arguments TEXT NOT NULL,
                arguments_digest TEXT NOT NULL,
                targets TEXT NOT NULL,
                targets_count INTEGER NOT NULL,
                states_digest TEXT NOT NULL,
                rules TEXT NOT NULL,
                asked_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                status TEXT NOT NULL,
                reviewed_by TEXT NOT NULL,
                reviewed_at INTEGER,
                used_at INTEGER,
                used_by TEXT NOT NULL
            )
            """,
            "CREATE INDEX enforcer_by_binding ON enforcer_ticket (binding, number)",
            "CREATE INDEX enforcer_by_status ON enforcer_ticket (status, number)",
            """
            CREATE INDEX enforcer_by_actor ON enforcer_ticket (actor)
            WHERE status = 'waiting'
            """,
        ),
    ),
)

CONTENT: Final = (
    "id, binding, actor, ability, arguments, arguments_digest, targets, "
    "targets_count, states_digest, rules, asked_at, expires_at"
)
COLUMNS: Final = f"{CONTENT}, status, used_at"

NEXT: Final = "UPDATE enforcer_counter SET last = last + 1 WHERE name = 'ticket'"
LAST: Final = "SELECT last FROM enforcer_counter WHERE name = 'ticket'"
ADD: Final = """
    INSERT INTO enforcer_ticket (
        number, id, binding, actor, ability, arguments, arguments_digest, targets,
        targets_count, states_digest, rules, asked_at, expires_at, status,
        reviewed_by, used_by
    ) VALUES (
        :number, :id, :binding, :actor, :ability, :arguments, :arguments_digest,
        :targets, :targets_count, :states_digest, :rules, :asked_at, :expires_at,
        'waiting', '', ''
    )
"""
GET: Final = f"SELECT {COLUMNS} FROM enforcer_ticket WHERE id = :id"  # noqa: S608 - names of columns only
FIND: Final = f"""
    SELECT {COLUMNS} FROM enforcer_ticket
    WHERE binding = :binding AND used_at IS NULL AND expires_at > :now
        AND status IN ('waiting', 'approved', 'rejected')
    ORDER BY number DESC LIMIT 1
"""  # noqa: S608 - same
COUNT: Final = """
    SELECT count(*) FROM enforcer_ticket
    WHERE status = 'waiting' AND actor = :actor AND expires_at > :now
"""
COUNT_ALL: Final = """
    SELECT count(*) FROM enforcer_ticket
    WHERE status = 'waiting' AND expires_at > :now
"""
# What was approved stays: a seal without its entry would be an alarm.
TIDY: Final = """
    DELETE FROM enforcer_ticket WHERE status <> 'approved' AND expires_at <= :now
"""
SETTLE: Final = """
    UPDATE enforcer_ticket SET status = :status, reviewed_by = :by, reviewed_at = :at
    WHERE id = :id
"""
TAKE: Final = """
    UPDATE enforcer_ticket SET used_at = :now, used_by = :call
    WHERE id = :id AND status = 'approved' AND used_at IS NULL AND expires_at > :now
"""
GIVE_BACK: Final = """
    UPDATE enforcer_ticket SET used_at = NULL, used_by = ''
    WHERE id = :id AND used_by = :call
"""
WAITING: Final = f"""
    SELECT {COLUMNS} FROM enforcer_ticket
    WHERE status = 'waiting' AND expires_at > :now ORDER BY number LIMIT 200
"""  # noqa: S608 - same
EFFECTIVE: Final = f"""
    SELECT {COLUMNS} FROM enforcer_ticket WHERE status = 'approved' ORDER BY number
"""  # noqa: S608 - same
