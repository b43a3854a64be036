"""Adjustments: settings that were changed at run time, kept in the store."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from abilities_host.config import LoadedConfig, adopt, check_stored, with_stored
from abilities_host.errors import ConfigError
from abilities_host.storage.base import Statement, Store, Transaction
from abilities_host.storage.migrations import Migration

log = logging.getLogger(__name__)

KEYS: Final = 1_000
VALUE_BYTES: Final = 100_000

_MIGRATIONS: Final = (
    Migration(
        "0001-first",
        (
            """
            CREATE TABLE adjustment (
                key TEXT PRIMARY KEY,
                value TEXT NOT NULL,
                chosen_by TEXT NOT NULL,
                chosen_at TEXT NOT NULL
            )
            """,
        ),
    ),
)

_LOAD: Final = "SELECT key, value FROM adjustment ORDER BY key LIMIT :most"
_MOST: Final = {"most": KEYS + 1}
_SET: Final = """
    INSERT INTO adjustment (key, value, chosen_by, chosen_at)
    VALUES (:key, :value, :by, :at)
    ON CONFLICT (key) DO UPDATE SET
        value = excluded.value,
        chosen_by = excluded.chosen_by,
        chosen_at = excluded.chosen_at
"""
_UNSET: Final = "DELETE FROM adjustment WHERE key = :key"


class Adjustments:
    """The settings of one store; nothing is remembered here between two calls.

    Args:
        store: where they are kept; `migrate` comes first.
    """

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    async def migrate(self) -> None:
        """Make the table, or bring it up to date.

        Raises:
            StoreError: when that is not possible; nothing was changed.
        """
        await self._store.migrate("adjustments", _MIGRATIONS)

    async def load(self) -> Mapping[str, Any]:
        """Read what was set.

        Returns:
            Key to JSON value, for `config.with_stored`.

        Raises:
            StoreError: when it cannot be read; it is never taken for empty.
        """
        return _read(await self._store.read(_LOAD, _MOST))

    async def set(self, key: str, value: Any, *, by: str, loaded: LoadedConfig) -> None:
        """Keep one setting; every process sees it at its next look.

        What others set meanwhile is checked together with it: two changes that do not
        fit together are never both kept.

        Args:
            key: from `config.stored_key`.
            value: a JSON value of at most 100,000 bytes.
            by: id of who set it.
            loaded: the configuration that it must fit to.

        Raises:
            ConfigError: with key and what was expected; nothing was stored.
            StoreError: when it could not be stored.
        """
        text = orjson.dumps(value).decode()
        if len(text) > VALUE_BYTES:
            problem = f"the value is longer than {VALUE_BYTES} bytes."
            raise ConfigError("store", problem, key=key)
        values = {"key": key, "value": text, "by": by, "at": _now()}

        def keep(transaction: Transaction) -> None:
            stored = {**_read(transaction.execute(_LOAD, _MOST)), key: value}
            if len(stored) > KEYS:
                problem = f"{KEYS} settings are set, which is the most."
                raise ConfigError("store", problem, key=key)
            check_stored(loaded, stored, key)
            transaction.execute(_SET, values)

        await self._store.transact(keep, bump=True)

    async def unset(self, key: str) -> bool:
        """Forget one setting; what file, environment and flags say holds again.

        Args:
            key: as it was set.

        Returns:
            Whether it had been set.

        Raises:
            StoreError: when it could not be forgotten.
        """
        statement = Statement(_UNSET, {"key": key})
        [removed] = await self._store.write([statement], bump=True)
        return removed > 0


def adjusted(loaded: LoadedConfig, stored: Mapping[str, Any]) -> LoadedConfig:
    """Put what the store says now in force; the log tells what of it has no effect.

    Args:
        loaded: the configuration in force.
        stored: from `Adjustments.load`.

    Returns:
        The configuration in force from now on; the same where nothing was set since.
    """
    if stored == loaded.stored:
        return loaded
    changed = with_stored(loaded, stored)
    adopted = adopt(loaded, changed)
    for warning in changed.warnings:
        if warning not in loaded.warnings:
            log.warning("%s", warning)
    if adopted.refused:
        log.error("%s What was set has no effect.", adopted.refused)
    return adopted.loaded


def _read(rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    return {key: _value(text) for key, text in rows}


def _value(text: str) -> Any:
    try:
        return orjson.loads(text)
    except ValueError:
        return {}  # no setting of the store is a table: it is left out with a warning


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
