"""Migration: a named step that changes an owner's tables, once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from abilities_host.errors import StoreError, StoreNewer, listed

# Names of what one owner's tables have been through, in their order.
APPLIED: Final = "SELECT name FROM migration WHERE owner = :owner ORDER BY position"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step; once released it is never edited, a later one is appended.

    Attributes:
        name: unique within its owner, such as ``0001-first``.
        statements: single SQL statements, run in one transaction.
    """

    name: str
    statements: tuple[str, ...]


def pending(
    path: Path, owner: str, applied: Sequence[str], migrations: Sequence[Migration]
) -> list[Migration]:
    """Say which migrations a store still needs.

    Args:
        path: the store, for the sentence.
        owner: whose migrations they are.
        applied: names in the store, in the order they were applied.
        migrations: what the owner declares, in order.

    Returns:
        Those after the applied ones.

    Raises:
        StoreNewer: when the store has names that the owner does not declare.
        StoreError: when the owner declares a name twice or changed their order.
    """
    names = [migration.name for migration in migrations]
    if len(set(names)) < len(names):
        raise StoreError(path, f"{owner!r} declares one migration name twice.")
    if unknown := [name for name in applied if name not in names]:
        raise StoreNewer(
            path,
            f"a newer version of {owner!r} wrote it (migrations {listed(unknown)}). "
            f"Upgrade {owner!r}, or go back to the copy in backups/ beside it.",
        )
    if list(applied) != names[: len(applied)]:
        raise StoreError(
            path,
            f"{owner!r} changed the order of its migrations; a new one goes to the "
            f"end, after {applied[-1]!r}.",
        )
    return list(migrations[len(applied) :])
