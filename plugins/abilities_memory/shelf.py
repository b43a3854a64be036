"""Shelf: where guidance and topics are kept; nothing here can approve anything."""

import time
from collections.abc import Callable
from functools import partial
from typing import Final, Literal

from abilities_host.memory import (
    Guidance,
    GuidancePage,
    GuidanceQuery,
    Happening,
    Proposal,
    Source,
    Status,
    Topic,
)
from abilities_host.storage import Store, Transaction
from abilities_memory import chronicle, columns
from abilities_memory.chronicle import note
from abilities_memory.cleaning import cleaned
from abilities_memory.likeness import forget_words
from abilities_memory.proposing import propose
from abilities_memory.refusals import InvalidTransition, UnknownGuidance
from abilities_memory.searching import search
from abilities_memory.settling import FIND, find, settle
from abilities_memory.topics import TOPICS, cleaned_topic, put_topic

PAGE: Final = 500

_COUNT: Final = """
    SELECT status, count(*) FROM memory_guidance
    WHERE forgotten_at IS NULL GROUP BY status
"""
_FORGET: Final = """
    UPDATE memory_guidance SET text = '', rationale = '', recall = '[]', topic = '',
        target = '', post_id = NULL, rule = NULL, words = 0, forgotten_at = :at,
        status = CASE status WHEN 'pending' THEN 'archived' ELSE status END
    WHERE id = :id RETURNING number
"""
_FORGET_HASHES: Final = "UPDATE memory_history SET hash = '' WHERE about = :id"
_HISTORY: Final = f"""
    SELECT {chronicle.COLUMNS} FROM memory_history WHERE about = :about
    ORDER BY seq LIMIT :limit
"""  # noqa: S608 - names of columns only


def now_micros() -> int:
    """Give the time in microseconds since 1970."""
    return time.time_ns() // 1000


class Shelf:
    """All guidance of one store, whatever its status.

    Args:
        store: with the tables of this pack.
        clock: microseconds since 1970.
    """

    def __init__(self, store: Store, *, clock: Callable[[], int] = now_micros) -> None:
        self._store: Final = store
        self._clock: Final = clock

    async def propose(
        self, proposal: Proposal, *, by: str, source: Source = "agent_proposal"
    ) -> Guidance:
        """Keep a proposal, always as a new one, for a human to review.

        Args:
            proposal: what it says.
            by: id of the actor, or name of the account.
            source: where it came from; the caller of an ability does not choose it.

        Returns:
            What is kept, with an id that was never given before; `duplicate_of` names
            an earlier one that says nearly the same.

        Raises:
            UnsuitableWording: when a part of it cannot be taken.
            TooManyPending: when 200 of the actor wait.
            UnknownGuidance: when there is none that it could supersede.
            StoreError: when nothing could be stored.
        """
        kept = cleaned(proposal)
        at = self._clock()
        work = partial(propose, proposal=kept, by=by, source=source, at=at)
        return await self._store.transact(work)

    async def get(self, id_: str) -> Guidance:
        """Give guidance of any status; one that was forgotten has no text.

        Args:
            id_: such as ``gm-001``.

        Returns:
            What is kept.

        Raises:
            UnknownGuidance: when there is none of this id.
            StoreError: when it cannot be read.
        """
        found = await self._store.read(FIND, {"id": id_})
        if not found:
            raise UnknownGuidance
        return columns.guidance_of(found[0])

    async def list(
        self,
        status: Status | None = None,
        *,
        topic: str | None = None,
        after: int = 0,
        limit: int = 50,
    ) -> GuidancePage:
        """Give guidance, oldest first, without what was forgotten.

        Args:
            status: None for any.
            topic: in its kept spelling; None for any.
            after: `GuidancePage.next` of the page before.
            limit: how many, 1 to 500.

        Returns:
            One page.

        Raises:
            StoreError: when it cannot be read.
        """
        query = GuidanceQuery(status=status, topic=topic)
        return await self.search(query, after=after, limit=limit)

    async def search(
        self, query: GuidanceQuery, *, after: int = 0, limit: int = 50
    ) -> GuidancePage:
        """Give guidance that is looked for, oldest first, without what was forgotten.

        Args:
            query: which.
            after: `GuidancePage.next` of the page before.
            limit: how many, 1 to 500.

        Returns:
            One page; see `search`.

        Raises:
            StoreError: when it cannot be read.
        """
        limit = max(1, min(limit, PAGE))
        return await search(self._store, query, after=after, limit=limit)

    async def counts(self) -> dict[Status, int]:
        """Count guidance by status, without what was forgotten.

        Returns:
            Every status with its number.

        Raises:
            StoreError: when it cannot be read.
        """
        counts: dict[Status, int] = dict.fromkeys(
            ("pending", "approved", "rejected", "archived"), 0
        )
        return {**counts, **dict(await self._store.read(_COUNT))}

    async def reject(self, id_: str, *, by: str) -> Guidance:
        """Say no to what is pending; it is kept.

        Args:
            id_: of the guidance.
            by: name of the account.

        Returns:
            What is kept.

        Raises:
            UnknownGuidance: when there is none of this id.
            InvalidTransition: when it is not pending.
            StoreError: when nothing could be stored.
        """
        return await self._settle(id_, "rejected", by)

    async def archive(self, id_: str, *, by: str) -> Guidance:
        """Set aside what is pending; approved guidance is withdrawn through the gate.

        Args:
            id_: of the guidance.
            by: name of the account.

        Returns:
            What is kept.

        Raises:
            UnknownGuidance: when there is none of this id.
            InvalidTransition: when it is not pending.
            StoreError: when nothing could be stored.
        """
        return await self._settle(id_, "archived", by)

    async def forget(self, id_: str, *, by: str) -> Guidance:
        """Remove for good what guidance says; its id and who did what to it stay.

        Args:
            id_: of guidance that is not approved; pending becomes archived.
            by: name of the account.

        Returns:
            What is left.

        Raises:
            UnknownGuidance: when there is none of this id.
            InvalidTransition: when it is approved; withdraw it first.
            StoreError: when nothing could be removed.
        """
        at = self._clock()

        def work(changing: Transaction) -> Guidance:
            if find(changing, id_).status == "approved":
                raise InvalidTransition(id_, "approved", "forgotten", ("archived",))
            [(number,)] = changing.execute(_FORGET, {"id": id_, "at": at})
            forget_words(changing, number)
            # Who has the hash of a short text can find the text.
            changing.execute(_FORGET_HASHES, {"id": id_})
            note(changing, Happening(at=at, by=by, action="forgotten", about=id_))
            return find(changing, id_)

        return await self._store.transact(work)

    async def history(self, about: str, *, limit: int = 100) -> tuple[Happening, ...]:
        """Give what was done to guidance or a topic, oldest first.

        Args:
            about: an id, or ``topic:`` and a name.
            limit: how many, 1 to 500.

        Returns:
            The first of them.

        Raises:
            StoreError: when it cannot be read.
        """
        values = {"about": about, "limit": max(1, min(limit, PAGE))}
        names = chronicle.COLUMNS.split(", ")
        return tuple(
            Happening(**dict(zip(names, row, strict=True)))
            for row in await self._store.read(_HISTORY, values)
        )

    async def topics(self) -> tuple[Topic, ...]:
        """Give every topic by name.

        Returns:
            All of them.

        Raises:
            StoreError: when they cannot be read.
        """
        return tuple(map(columns.topic_of, await self._store.read(TOPICS)))

    async def put_topic(self, topic: Topic, *, by: str) -> Topic:
        """Make or change a topic; whoever asks has shown a secret before.

        Args:
            topic: all of it.
            by: name of the account.

        Returns:
            What is kept.

        Raises:
            UnsuitableWording: when its name or a word cannot be taken.
            StoreError: when nothing could be stored.
        """
        kept = cleaned_topic(topic)
        work = partial(put_topic, topic=kept, by=by, at=self._clock())
        await self._store.transact(work, bump=True)
        return kept

    async def _settle(
        self, id_: str, status: Literal["rejected", "archived"], by: str
    ) -> Guidance:
        at = self._clock()

        def work(changing: Transaction) -> Guidance:
            old = find(changing, id_)
            if old.status == "approved":  # only the gate may, with a secret
                raise InvalidTransition(id_, "approved", status, ())
            settle(changing, old, status, status, by=by, at=at)
            return find(changing, id_)

        return await self._store.transact(work)
