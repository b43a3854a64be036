"""SessionSummaries: what agents told of their sessions, with the facts beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from abilities_host.ledger import Digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One session, told by its agent and counted by the host; nobody reviewed it.

    Attributes:
        id: such as ``ss-0001``, never given twice.
        saved_at: microseconds since 1970.
        start: likewise; the summary is of what was done from there on.
        end: up to there and not further.
        narrative: what the agent says.
        digest: what the record says; `divergence` when the two differ.
        divergences: where they do, each with ``kind``, ``action``, ``target``, and
            ``sentence`` and ``entry`` where there is one.
        is_partial: not all of the session was compared.
        agent: id of the actor.
        session: of the call.
    """

    id: str
    saved_at: int
    start: int
    end: int
    narrative: str
    digest: Digest
    divergences: Sequence[Mapping[str, Any]]
    is_partial: bool
    agent: str
    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryHead:
    """What a list says of a summary.

    Attributes:
        id: of the summary.
        start: microseconds since 1970.
        end: likewise.
        agent: id of the actor.
        session: of the call.
        opening: the first 200 characters of the narrative.
        changes: how many the record has.
        targets: how many things were changed.
        divergences: in how many places narrative and record differ.
        misreported: how many runs ended otherwise than they said.
        is_divergent: whether there is any of both.
        is_partial: not all of the session was compared.
    """

    id: str
    start: int
    end: int
    agent: str
    session: str
    opening: str
    changes: int
    targets: int
    divergences: int
    misreported: int
    is_divergent: bool
    is_partial: bool


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """Some summaries, in order.

    Attributes:
        entries: at most as many as were asked for.
        next: give it as `after` for the next page, None at the end.
    """

    entries: tuple[SummaryHead, ...]
    next: str | None


class SessionSummaries(Protocol):
    """Summaries of sessions; found with ``services.find(SessionSummaries)``."""

    async def recent(
        self,
        *,
        after: str | None = None,
        limit: int = 50,
        agent: str | None = None,
        session: str | None = None,
        only_divergent: bool = False,
    ) -> SummaryPage:
        """Give summaries, those whose sessions ended last first.

        Args:
            after: `next` of the page before; what is none starts at the newest.
            limit: how many, 1 to 100.
            agent: whose; None for everybody's.
            session: of the calls; None for any.
            only_divergent: leave out those that are told as the record has it.

        Returns:
            A page; of two that ended together the later id comes first.
        """
        ...

    async def get(self, id_: str) -> Summary | None:
        """Give one summary, None when there is none of this id."""
        ...
