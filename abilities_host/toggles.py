"""Toggles: what was switched on or off at run time, kept in the store."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from abilities_host.declaration import DefaultStep
from abilities_host.errors import InvalidName, listed
from abilities_host.names import ABILITY_NAME, namespace_of
from abilities_host.storage.base import Statement, Store
from abilities_host.storage.migrations import Migration

NAME_LIMIT: Final = 256
_PATTERN: Final = re.compile(r"\*|[a-z0-9*-]+/[a-z0-9*-]+")

_MIGRATIONS: Final = (
    Migration(
        "0001-first",
        (
            """
            CREATE TABLE toggle (
                name TEXT PRIMARY KEY,
                state INTEGER NOT NULL CHECK (state IN (0, 1)),
                chosen_by TEXT NOT NULL,
                chosen_at TEXT NOT NULL
            )
            """,
            """
            CREATE TABLE default_off (
                name TEXT PRIMARY KEY,
                pack TEXT NOT NULL,
                step INTEGER NOT NULL
            )
            """,
            """
            CREATE TABLE default_step (
                pack TEXT NOT NULL,
                number INTEGER NOT NULL,
                applied_at TEXT NOT NULL,
                PRIMARY KEY (pack, number)
            )
            """,
        ),
    ),
)

_LOAD: Final = (
    "SELECT name, state FROM toggle UNION ALL SELECT name, NULL FROM default_off"
)
_CHOOSE: Final = """
    INSERT INTO toggle (name, state, chosen_by, chosen_at)
    VALUES (:name, :state, :by, :at)
    ON CONFLICT (name) DO UPDATE SET
        state = excluded.state,
        chosen_by = excluded.chosen_by,
        chosen_at = excluded.chosen_at
"""
_FORGET: Final = "DELETE FROM toggle WHERE name = :name"
_CHOICES: Final = "SELECT name, state, chosen_by, chosen_at FROM toggle ORDER BY name"

# The condition is looked at again inside the transaction: two processes that start at
# once both find a step missing, and only one of them may take it.
_TURN_OFF: Final = """
    INSERT INTO default_off (name, pack, step) SELECT :name, :pack, :number
    WHERE NOT EXISTS (
        SELECT 1 FROM default_step WHERE pack = :pack AND number = :number
    )
    ON CONFLICT (name) DO NOTHING
"""
_DROP: Final = """
    DELETE FROM default_off WHERE name = :name AND NOT EXISTS (
        SELECT 1 FROM default_step WHERE pack = :pack AND number = :number
    )
"""
_TAKE: Final = """
    INSERT INTO default_step (pack, number, applied_at) VALUES (:pack, :number, :at)
    ON CONFLICT (pack, number) DO NOTHING
"""
_TAKEN: Final = "SELECT number FROM default_step WHERE pack = :pack"

_IS_KNOWN: Final = """
    SELECT 1 FROM toggle WHERE name = :old
    UNION ALL SELECT 1 FROM default_off WHERE name = :old
"""
_RENAME: Final = (
    """
    INSERT INTO toggle (name, state, chosen_by, chosen_at)
    SELECT :new, state, chosen_by, chosen_at FROM toggle WHERE name = :old
    ON CONFLICT (name) DO NOTHING
    """,
    "DELETE FROM toggle WHERE name = :old",
    """
    INSERT INTO default_off (name, pack, step)
    SELECT :new, pack, step FROM default_off WHERE name = :old
    ON CONFLICT (name) DO NOTHING
    """,
    "DELETE FROM default_off WHERE name = :old",
)


@dataclass(frozen=True, slots=True)
class ToggleState:
    """Everything that is switched, as it was at one commit.

    Attributes:
        toggles: ability name or pattern to what a person chose.
        defaults_off: names that are off unless a person chose otherwise.
        generation: at least as old as the rest; look again when the store's differs.
    """

    toggles: Mapping[str, bool]
    defaults_off: frozenset[str]
    generation: int


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person chose for one name, also for a name that nobody registers now.

    Attributes:
        name: ability name or pattern.
        state: on or off.
        by: id of who chose.
        at: when, ISO 8601 in UTC.
    """

    name: str
    state: bool
    by: str
    at: str


class Toggles:
    """The switches of one store; nothing is remembered here between two calls.

    Args:
        store: where they are kept; `migrate` comes first.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def migrate(self) -> None:
        """Make the tables, or bring them up to date.

        Raises:
            StoreError: when that is not possible; nothing was changed.
        """
        await self._store.migrate("toggles", _MIGRATIONS)

    async def load(self) -> ToggleState:
        """Read every switch.

        Returns:
            The state of one commit.

        Raises:
            StoreError: when it cannot be read; it is never taken for empty.
        """
        # Asked first: a commit in between makes it too old, which only costs a second
        # look. Asked last it could make old rows look new.
        generation = self._store.generation()
        rows = await self._store.read(_LOAD)
        return ToggleState(
            MappingProxyType({name: bool(on) for name, on in rows if on is not None}),
            frozenset(name for name, on in rows if on is None),
            generation,
        )

    async def set(self, name: str, state: bool | None, *, by: str) -> None:  # noqa: FBT001 - the state is the subject
        """Keep what a person chose; every process sees it before its next call.

        Args:
            name: an ability name, registered or not, or a pattern such as ``files/*``;
                at most 256 characters.
            state: on, off, or None to go back to the default.
            by: id of who chose.

        Raises:
            InvalidName: when it is neither a name nor a pattern.
            StoreError: when it could not be stored.
        """
        if len(name) > NAME_LIMIT or not _PATTERN.fullmatch(name):
            raise InvalidName(name[:NAME_LIMIT])
        values = {"name": name, "state": state, "by": by, "at": _now()}
        sql = _FORGET if state is None else _CHOOSE
        await self._store.write([Statement(sql, values)], bump=True)

    async def list_choices(self) -> list[Choice]:
        """Read what people chose.

        Returns:
            Every choice by name, also those for names that nobody registers now.

        Raises:
            StoreError: when it cannot be read.
        """
        rows = await self._store.read(_CHOICES)
        return [Choice(name, bool(state), by, at) for name, state, by, at in rows]

    async def apply_steps(
        self, pack: str, steps: Sequence[DefaultStep], owned: frozenset[str]
    ) -> list[str]:
        """Take the steps of a pack that this store has not taken yet, in order.

        A step with a refused name takes the others and is tried again at the next
        start, so that a name is not on by mistake once it does belong to the pack.

        Args:
            pack: the pack's identity.
            steps: all of them since the first release, in any order.
            owned: the pack's namespaces, or names of its abilities; a namespace has
                one owner, so every name in it is the pack's.

        Returns:
            One sentence for each name or number that was refused.

        Raises:
            StoreError: when they could not be stored; none was taken.
        """
        taken = {row[0] for row in await self._store.read(_TAKEN, {"pack": pack})}
        statements: list[Statement] = []
        problems: list[str] = []
        for step in sorted(steps, key=lambda each: each.number):
            refused = _refused(pack, step, owned)
            if step.number not in taken:
                statements += _take(pack, step, refused)
            problems += refused.values()
        problems += _repeated(pack, steps)
        if statements:
            await self._store.write(statements, bump=True)
        return problems

    async def rename(self, old: str, new: str) -> None:
        """Carry the choice and the default of a name over to its new name.

        What a person has chosen for the new name already stays. Call it after
        `apply_steps`, which may still speak of the old name, and before anything is
        exposed; a second time nothing happens.

        Args:
            old: the ability's former name.
            new: its name now.

        Raises:
            StoreError: when it could not be stored.
        """
        names = {"old": old, "new": new}
        if old == new or not await self._store.read(_IS_KNOWN, names):
            return
        await self._store.write([Statement(sql, names) for sql in _RENAME], bump=True)


def _refused(pack: str, step: DefaultStep, owned: frozenset[str]) -> dict[str, str]:
    """Give each name that the step may not speak of, with the sentence that says so."""
    spaces = sorted({namespace_of(each) for each in owned})
    return {
        name: f"Step {step.number} of pack {pack!r} names {name!r}, which is not an "
        f"ability name in a namespace of that pack ({listed(spaces)})."
        for name in (*step.off, *step.gone)
        if not (ABILITY_NAME.fullmatch(name) and namespace_of(name) in spaces)
    }


def _repeated(pack: str, steps: Sequence[DefaultStep]) -> list[str]:
    counts = Counter(step.number for step in steps)
    return [
        f"Pack {pack!r} has {count} steps numbered {number}; give each its own."
        for number, count in counts.items()
        if count > 1
    ]


def _take(
    pack: str, step: DefaultStep, refused: Collection[str]
) -> Iterator[Statement]:
    values = {"pack": pack, "number": step.number, "at": _now()}
    for sql, names in ((_TURN_OFF, step.off), (_DROP, step.gone)):
        for name in names:
            if name not in refused:
                yield Statement(sql, {**values, "name": name})
    if not refused:
        yield Statement(_TAKE, values)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
