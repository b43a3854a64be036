"""The tables of the memory pack, and what each is for."""

from typing import Final

from abilities_host.storage import Migration

OWNER: Final = "memory"

MIGRATIONS: Final = (
    Migration(
        "0001-guidance",
        (
            # The last number given; it never goes back, also when rows are forgotten.
            """
            CREATE TABLE memory_counter (
                name TEXT PRIMARY KEY,
                last INTEGER NOT NULL
            )
            """,
            "INSERT INTO memory_counter (name, last) VALUES ('guidance', 0)",
            """
            CREATE TABLE memory_guidance (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                type TEXT NOT NULL,
                topic TEXT NOT NULL,
                text TEXT NOT NULL,
                rationale TEXT NOT NULL,
                recall TEXT NOT NULL,
                site_wide INTEGER NOT NULL,
                post_id INTEGER,
                target TEXT NOT NULL,
                priority INTEGER NOT NULL,
                class TEXT NOT NULL,
                rule TEXT,
                supersedes TEXT NOT NULL,
                status TEXT NOT NULL,
                source TEXT NOT NULL,
                proposed_by TEXT NOT NULL,
                proposed_at INTEGER NOT NULL,
                reviewed_by TEXT NOT NULL,
                reviewed_at INTEGER,
                duplicate_of TEXT NOT NULL,
                words INTEGER NOT NULL,
                forgotten_at INTEGER
            )
            """,
            "CREATE INDEX memory_by_status ON memory_guidance (status, number)",
            """
            CREATE INDEX memory_by_actor ON memory_guidance (proposed_by)
            WHERE status = 'pending'
            """,
            # Folded words of each text: what says nearly the same shares most of them.
            """
            CREATE TABLE memory_word (
                word TEXT NOT NULL,
                number INTEGER NOT NULL,
                PRIMARY KEY (word, number)
            ) WITHOUT ROWID
            """,
            "CREATE INDEX memory_word_of ON memory_word (number)",
            # What happened to whom. It holds no text, so forgetting has nothing to do.
            """
            CREATE TABLE memory_history (
                seq INTEGER PRIMARY KEY,
                at INTEGER NOT NULL,
                by TEXT NOT NULL,
                action TEXT NOT NULL,
                about TEXT NOT NULL,
                hash TEXT NOT NULL
            )
            """,
            "CREATE INDEX memory_history_of ON memory_history (about, seq)",
            """
            CREATE TABLE memory_topic (
                name TEXT PRIMARY KEY,
                state TEXT NOT NULL,
                always_on INTEGER NOT NULL,
                recall TEXT NOT NULL,
                exclude TEXT NOT NULL
            )
            """,
        ),
    ),
)
