"""Summary list: the summaries of sessions as pages and other packs read them."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import orjson

from abilities_host import run_in_thread
from abilities_host.ledger import Digest
from abilities_host.memory import Summary, SummaryHead, SummaryPage
from abilities_host.storage import Store
from abilities_memory.summaries import Summaries, id_of

MOST: Final = 100
OPENING: Final = 200
# Where a page ended: the end of a session, which may be before 1970, and a number.
_MARK: Final = re.compile(r"(-?[0-9]{1,18})_([0-9]{1,18})")
_COLUMNS: Final = """
    number, session_start, session_end, actor, session, substr(narrative, 1, :opening),
    digest, divergences, is_divergent, is_partial
"""


class SummaryList:
    """The summaries of one store; a `SessionSummaries`.

    Args:
        store: in which they are.
        summaries: of the same store.
    """

    def __init__(self, store: Store, summaries: Summaries) -> None:
        self._store: Final = store
        self._summaries: Final = summaries

    async def recent(
        self,
        *,
        after: str | None = None,
        limit: int = 50,
        agent: str | None = None,
        session: str | None = None,
        only_divergent: bool = False,
    ) -> SummaryPage:
        """Give summaries, newest first; see `SessionSummaries.recent`."""
        limit = min(max(limit, 1), MOST)
        asked = {"actor": agent, "session": session}
        values = {name: value for name, value in asked.items() if value is not None}
        conditions = [f"{name} = :{name}" for name in values]
        bounds = {}
        if mark := _MARK.fullmatch(after or ""):
            bounds = {"end": int(mark[1]), "last": int(mark[2])}
            conditions.append("(session_end, number) < (:end, :last)")
        if only_divergent:
            conditions.append("is_divergent = 1")
        sizes = {"opening": OPENING, "limit": limit + 1}
        parameters = {**values, **bounds, **sizes}
        rows = await self._store.read(_select(conditions), parameters)
        heads = await run_in_thread(partial(_heads, rows[:limit]))
        return SummaryPage(heads, _mark(rows[limit - 1]) if len(rows) > limit else None)

    async def get(self, id_: str) -> Summary | None:
        """Give one summary; see `SessionSummaries.get`."""
        return await self._summaries.get(id_)


def _select(conditions: Sequence[str]) -> str:
    where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    return (
        f"SELECT {_COLUMNS} FROM memory_summary {where}"  # noqa: S608 - names of columns
        "ORDER BY session_end DESC, number DESC LIMIT :limit"
    )


def _mark(row: Sequence[Any]) -> str:
    number, _, end, *_ = row
    return f"{end}_{number}"


def _heads(rows: Sequence[Sequence[Any]]) -> tuple[SummaryHead, ...]:
    return tuple(map(_head, rows))


def _head(row: Sequence[Any]) -> SummaryHead:
    number, start, end, agent, session, opening, *said, is_divergent, is_partial = row
    digest: Digest = orjson.loads(said[0])
    return SummaryHead(
        id=id_of(number),
        start=start,
        end=end,
        agent=agent,
        session=session,
        opening=opening,
        changes=digest["entries_count"],
        targets=digest["targets_count"],
        divergences=len(orjson.loads(said[1])),
        misreported=digest["divergences"],
        is_divergent=bool(is_divergent),
        is_partial=bool(is_partial),
    )
