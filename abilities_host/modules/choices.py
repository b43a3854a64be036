"""Choices: which modules are on, kept in the store from when they are first seen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from abilities_host.module import Module
from abilities_host.storage.base import Statement, Store
from abilities_host.storage.migrations import Migration

OWNER: Final = "modules"

_MIGRATIONS: Final = (
    Migration(
        "0001-first",
        (
            """
            CREATE TABLE module_choice (
                pack TEXT NOT NULL,
                slug TEXT NOT NULL,
                is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
                turn INTEGER NOT NULL,
                chosen_by TEXT NOT NULL,
                chosen_at TEXT NOT NULL,
                PRIMARY KEY (pack, slug)
            )
            """,
        ),
    ),
)

_LOAD: Final = """
    SELECT pack, slug, is_on, turn, chosen_by, chosen_at FROM module_choice
    ORDER BY pack, slug LIMIT 10000
"""
# Another process may have seen the module first, and somebody may have chosen since.
_SEED: Final = """
    INSERT INTO module_choice (pack, slug, is_on, turn, chosen_by, chosen_at)
    VALUES (:pack, :slug, :is_on, 0, '', :at)
    ON CONFLICT (pack, slug) DO NOTHING
"""
_CHOOSE: Final = """
    INSERT INTO module_choice (pack, slug, is_on, turn, chosen_by, chosen_at)
    VALUES (:pack, :slug, :is_on, 1, :by, :at)
    ON CONFLICT (pack, slug) DO UPDATE SET
        is_on = excluded.is_on,
        turn = module_choice.turn + 1,
        chosen_by = excluded.chosen_by,
        chosen_at = excluded.chosen_at
"""


@dataclass(frozen=True, slots=True)
class ModuleChoice:
    """What holds for one module, also for one that no pack declares now.

    Attributes:
        pack: identity of the pack.
        slug: of the module.
        is_on: whether it shall be active.
        turn: grows with every choice of a person, also of the same.
        by: id of who chose, empty for the pack's own default.
        at: when, ISO 8601 in UTC.
    """

    pack: str
    slug: str
    is_on: bool
    turn: int
    by: str
    at: str

    @property
    def key(self) -> tuple[str, str]:
        """Pack and slug."""
        return self.pack, self.slug


class Choices:
    """The choices of one store; nothing is remembered here between two calls.

    Args:
        store: where they are kept; `migrate` comes first.
    """

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    async def migrate(self) -> None:
        """Make the table; raises StoreError when that is not possible."""
        await self._store.migrate(OWNER, _MIGRATIONS)

    async def load(self) -> Mapping[tuple[str, str], ModuleChoice]:
        """Read every choice.

        Returns:
            By pack and slug, as they were at one commit.

        Raises:
            StoreError: when they cannot be read.
        """
        rows = await self._store.read(_LOAD)
        found = (ModuleChoice(p, s, bool(on), *rest) for p, s, on, *rest in rows)
        return {choice.key: choice for choice in found}

    async def seed(self, modules: Iterable[tuple[str, Module]]) -> None:
        """Keep the default of each module that this store has never seen.

        Args:
            modules: each with the identity of its pack.

        Raises:
            StoreError: when they could not be kept.
        """
        known = await self.load()
        statements = [
            Statement(
                _SEED,
                {
                    "pack": pack,
                    "slug": module.slug,
                    "is_on": module.default_active,
                    "at": _now(),
                },
            )
            for pack, module in modules
            if (pack, module.slug) not in known
        ]
        if statements:
            await self._store.write(statements, bump=True)

    async def choose(self, pack: str, slug: str, *, is_on: bool, by: str) -> None:
        """Keep what a person chose; every process sees it before its next call.

        Args:
            pack: identity of the pack.
            slug: of the module.
            is_on: on or off.
            by: id of who chose.

        Raises:
            StoreError: when it could not be kept.
        """
        values = {"pack": pack, "slug": slug, "is_on": is_on, "by": by, "at": _now()}
        await self._store.write([Statement(_CHOOSE, values)], bump=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
