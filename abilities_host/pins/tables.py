"""The tables of pins and of changes, and every statement that touches them."""

from typing import Final

from abilities_host.storage.migrations import Migration

OWNER: Final = "pins"
LIMIT: Final = 100_000
"""How many definitions are kept; see `Kept.pin`."""

MIGRATIONS: Final = (
    Migration(
        "0001-first",
        (
            """
            CREATE TABLE pin (
                pack TEXT NOT NULL,
                ability TEXT NOT NULL,
                version TEXT NOT NULL,
                hash TEXT NOT NULL,
                definition BLOB NOT NULL,
                at INTEGER NOT NULL,
                PRIMARY KEY (pack, ability)
            )
            """,
            """
            CREATE TABLE pin_change (
                id TEXT PRIMARY KEY,
                pack TEXT NOT NULL,
                title TEXT NOT NULL,
                canonical BLOB NOT NULL,
                status TEXT NOT NULL,
                found_at INTEGER NOT NULL,
                decided_by TEXT,
                decided_at INTEGER
            )
            """,
            "CREATE INDEX pin_change_status ON pin_change (status, found_at)",
        ),
    ),
)

PINS: Final = "SELECT pack, ability, hash, version FROM pin LIMIT 100000"
DEFINITIONS: Final = """
    SELECT ability, definition FROM pin WHERE pack = :pack LIMIT 100000
"""
COUNT: Final = "SELECT count(*) FROM pin"
KNOWN: Final = "SELECT 1 FROM pin WHERE pack = :pack LIMIT 1"

# Another process may have been first, with other definitions: then its are the pins.
PIN: Final = """
    INSERT INTO pin (pack, ability, version, hash, definition, at)
    VALUES (:pack, :ability, :version, :hash, :definition, :at)
    ON CONFLICT (pack, ability) DO NOTHING
"""

# What never was decided holds nothing, so it is dropped when it is out of date.
WAITING_OF: Final = """
    SELECT id FROM pin_change WHERE pack = :pack AND status = 'waiting' LIMIT 10000
"""
DROP: Final = "DELETE FROM pin_change WHERE id = :id AND status = 'waiting'"
# Of an id there is one text: another one was put there by somebody.
ADD: Final = """
    INSERT INTO pin_change (id, pack, title, canonical, status, found_at)
    VALUES (:id, :pack, :title, :canonical, 'waiting', :at)
    ON CONFLICT (id) DO UPDATE SET
        canonical = excluded.canonical,
        status = excluded.status
    WHERE pin_change.canonical <> excluded.canonical
"""
STATES: Final = """
    SELECT id, pack, status FROM pin_change
    ORDER BY status = 'waiting' DESC, found_at DESC LIMIT 10000
"""
GET: Final = "SELECT canonical, status FROM pin_change WHERE id = :id"
SETTLE: Final = """
    UPDATE pin_change SET status = :status, decided_by = :by, decided_at = :at
    WHERE id = :id
"""
WAITING: Final = """
    SELECT id, title, pack, found_at FROM pin_change
    WHERE status = 'waiting' ORDER BY found_at, id LIMIT 200
"""
EFFECTIVE: Final = """
    SELECT id, canonical FROM pin_change WHERE status = 'approved'
    ORDER BY decided_at, id LIMIT 10000
"""
