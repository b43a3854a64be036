"""Looking: finds out what is sealed, and remembers for a while what was wrong."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from abilities_host.accounts import Accounts
from abilities_host.gate import tables
from abilities_host.gate.journal import Journal, Line
from abilities_host.gate.kind import Kind
from abilities_host.gate.seal import Seal, is_signed
from abilities_host.gate.survey import Alarm, Decided, Judge, Survey
from abilities_host.storage.base import Store
from abilities_host.threads import run_in_thread

log = logging.getLogger(__name__)

REMEMBERED: Final = 20_000
"""How many signatures are not verified anew."""

LATELY_SECONDS: Final = 90.0
_LOOKS: Final = 5


class _Found(NamedTuple):
    """What was wrong, when it was last looked.

    Attributes:
        generation: of the store.
        at: steady seconds.
        alarms: of one kind.
    """

    generation: int
    at: float
    alarms: tuple[Alarm, ...]


class _Looked(NamedTuple):
    """All that a survey is made of; equal ones have the same survey.

    Attributes:
        keys: name of an account to the public half of its key.
        journal: of the kind.
        rows: its seals.
        entries: that say they are approved.
    """

    keys: Mapping[str, bytes]
    journal: Mapping[str, Line]
    rows: Sequence[tuple[Any, ...]]
    entries: Sequence[tuple[str, bytes]]


class Looking:
    """Surveys the kinds of one store.

    Args:
        store: where seals are kept.
        accounts: of the same store; their keys judge the seals.
        journal: outside the store, of what was decided.
        steady: seconds since any moment.
    """

    def __init__(
        self,
        store: Store,
        accounts: Accounts,
        journal: Journal,
        *,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store: Final = store
        self._accounts: Final = accounts
        self._journal: Final = journal
        self._steady: Final = steady
        self._is_signed: Final = lru_cache(REMEMBERED)(is_signed)
        self._found: Final[dict[str, _Found]] = {}
        self._known: Final[dict[str, tuple[_Looked, Survey]]] = {}

    async def survey(self, kind: Kind) -> Survey:
        """Find out what of a kind is sealed; alarms are logged once.

        Args:
            kind: any.

        Returns:
            Every entry that counts, and every one that does not as it should.

        Raises:
            AccountError: when the public keys cannot be understood.
            StoreError: when the store cannot be read.
            OSError: when the public keys cannot be read.
        """
        keys, at = await self._accounts.public_keys(), self._steady()
        journal = await run_in_thread(lambda: self._journal.read(kind.name))
        for _ in range(_LOOKS):
            generation = self._store.generation()
            rows = await self._store.read(tables.LIST, {"kind": kind.name})
            entries = await kind.effective()
            if generation == self._store.generation():
                break  # else a decision came between the two
        looked = _Looked(keys, journal, rows, entries)
        survey = await run_in_thread(lambda: self._judged(kind, looked))
        self._tell(kind.name, _Found(generation, at, survey.alarms))
        return survey

    async def alarms(self, kind: Kind) -> tuple[Alarm, ...]:
        """Give what is wrong, as it was found less than 90 seconds ago.

        Args:
            kind: any.

        Returns:
            The alarms. A decision ends alarms and makes none, so that where there
            were some it is looked anew after each.

        Raises:
            AccountError: as `survey` does.
            StoreError: likewise.
            OSError: likewise.
        """
        found = self._found.get(kind.name)
        if found is not None and self._is_recent(found):
            return found.alarms
        return (await self.survey(kind)).alarms

    def _judged(self, kind: Kind, looked: _Looked) -> Survey:
        """Judge; every switch has everybody look again, also at what is as it was."""
        known = self._known.get(kind.name)
        if known is not None and known[0] == looked:
            return known[1]
        judge = Judge(looked.keys, self._is_signed, looked.journal, kind.binds)
        survey = judge.survey(kind.name, looked.entries, _decided(looked.rows))
        self._known[kind.name] = looked, survey
        return survey

    def _is_recent(self, found: _Found) -> bool:
        if self._steady() - found.at >= LATELY_SECONDS:
            return False
        return not found.alarms or found.generation == self._store.generation()

    def _tell(self, kind: str, found: _Found) -> None:
        known = self._found[kind].alarms if kind in self._found else ()
        self._found[kind] = found
        for alarm in found.alarms:
            if alarm not in known:
                log.error("%s", alarm.sentence)


def _decided(rows: Sequence[tuple[Any, ...]]) -> dict[str, Decided]:
    return {row[1]: _of_row(row) for row in rows}


def _of_row(row: tuple[Any, ...]) -> Decided:
    kind, id_, hash_, canonical, reviewer, at, signature, by, ended_at, end = row
    seal = Seal(kind, id_, hash_, reviewer, at, _bytes(signature))
    if end is None:
        return Decided(seal, None, _bytes(canonical))
    ended = Seal(kind, id_, hash_, by, ended_at, _bytes(end))
    return Decided(seal, ended, _bytes(canonical))


def _bytes(value: Any) -> bytes:
    # Somebody who changed the store may have left anything here.
    return value if isinstance(value, bytes) else b""
