"""Service: project memory as commands, pages and our abilities use it."""

from dataclasses import replace
from typing import Any, Final

from abilities_host import Site, StoreError, Target
from abilities_host.accounts import Role, Unlocked, check_role
from abilities_host.gate import Alarm, Gate
from abilities_host.ledger import Ledger
from abilities_host.memory import (
    Covering,
    Guidance,
    GuidancePage,
    GuidanceQuery,
    Happening,
    Imported,
    Proposal,
    Review,
    Scope,
    Source,
    Status,
    Topic,
)
from abilities_memory.answer import instructions
from abilities_memory.approvals import Approving
from abilities_memory.exporting import export
from abilities_memory.importing import bring_in
from abilities_memory.kind import GuidanceKind
from abilities_memory.knowing import known_to
from abilities_memory.notifier import Notifier
from abilities_memory.pattern_proposals import PatternFinder
from abilities_memory.refusals import InvalidTransition
from abilities_memory.reviewing import review
from abilities_memory.sealed_topics import SealedTopics
from abilities_memory.shelf import Shelf, now_micros
from abilities_memory.standing import Standing
from abilities_memory.summaries import Summaries
from abilities_memory.topic_kind import TopicKind
from abilities_memory.topics import cleaned_topic
from abilities_memory.trust import Trust

KIND: Final = GuidanceKind.name


class MemoryService:
    """The memory of one host; a `ProjectMemory`.

    Args:
        site: the host, as this pack may use it.
        gate: the only way to approve.
        shelf: all guidance.
        standing: what is approved.
        summaries: what agents told of their sessions.
        notifier: tells the operator what waits.
        finder: finds what the record shows again and again.
    """

    def __init__(
        self,
        site: Site,
        gate: Gate,
        *,
        shelf: Shelf,
        standing: Standing,
        summaries: Summaries,
        notifier: Notifier,
        finder: PatternFinder,
    ) -> None:
        self.summaries: Final = summaries
        self.standing: Final = standing
        self._site: Final = site
        self._gate: Final = gate
        self._shelf: Final = shelf
        self._notifier: Final = notifier
        self._trust: Final = Trust(site, gate)
        self._topics: Final = SealedTopics(gate, shelf, self._trust)
        self._finder: Final = finder

    # --- reading --------------------------------------------------------------

    async def list(
        self,
        status: Status | None = None,
        *,
        topic: str | None = None,
        after: int = 0,
        limit: int = 50,
    ) -> GuidancePage:
        """Give guidance of any status; see `ProjectMemory.list`."""
        return await self._shelf.list(status, topic=topic, after=after, limit=limit)

    async def search(
        self, query: GuidanceQuery, *, after: int = 0, limit: int = 50
    ) -> GuidancePage:
        """Give guidance that is looked for; see `ProjectMemory.search`."""
        return await self._shelf.search(query, after=after, limit=limit)

    async def get(self, id_: str) -> Guidance:
        """Give guidance of any status; see `ProjectMemory.get`."""
        return await self._shelf.get(id_)

    async def counts(self) -> dict[Status, int]:
        """Count guidance by status; see `ProjectMemory.counts`."""
        return await self._shelf.counts()

    async def history(self, about: str, *, limit: int = 100) -> tuple[Happening, ...]:
        """Give what was done to guidance or a topic; see `ProjectMemory.history`."""
        return await self._shelf.history(about, limit=limit)

    async def topics(self) -> tuple[Topic, ...]:
        """Give every topic by name; see `ProjectMemory.topics`."""
        return await self._shelf.topics()

    async def review(self, id_: str) -> Review:
        """Give all a person is to see; see `ProjectMemory.review`."""
        return await review(self._site, self._shelf, self._gate, id_)

    async def alarms(self) -> tuple[Alarm, ...]:
        """Give what is not as a person left it; see `ProjectMemory.alarms`."""
        topics = await self._gate.survey(TopicKind.name)
        return (*(await self._gate.survey(KIND)).alarms, *topics.alarms)

    async def context(self, tokens: int) -> str:
        """Write guidance for instructions; see `ProjectMemory.context`."""
        held = await self.standing.current()
        everything = held.memory.always_on_first(at=now_micros())
        return instructions(everything, tokens)

    # --- without effect on agents ---------------------------------------------

    async def propose(
        self, proposal: Proposal, *, by: str, source: Source = "manual"
    ) -> Guidance:
        """Keep a proposal for review; see `ProjectMemory.propose`."""
        spelt = replace(proposal, scope=self.spelt(proposal.scope))
        kept = await self._shelf.propose(spelt, by=by, source=source)
        await self.tell((kept.id,))
        return kept

    async def tell(self, ids: tuple[str, ...]) -> None:
        """Tell hooks and the operator's command that something new waits."""
        if ids:
            waiting = (await self._shelf.counts())["pending"]
            self._notifier.tell(ids, waiting)
            await self._site.announce(ids, waiting)

    async def known_to_domains(self, narrative: str) -> frozenset[Target]:
        """Find what a narrative names that exists now, in whatever domain."""
        return await known_to(self._site.list_domains(), narrative)

    def spelt(self, scope: Scope) -> Scope:
        """Give a scope with its target as the domain spells it, if it is one of any."""
        domain, _, name = scope.target.partition(":")
        try:
            name = self._site.get_domain(domain).canonical(name)
        except Exception:  # noqa: BLE001 - a pack's code
            return scope  # a pattern, or of a domain that is not here
        return replace(scope, target=f"{domain}:{name}")

    def respelt(self, covering: Covering) -> Covering:
        """Give what a rule covers also as its domain spells it; may block."""
        try:
            domain = self._site.get_domain(covering.domain)
        except LookupError:
            return covering
        return covering.respelt(domain.canonical)

    async def reject(self, id_: str, *, by: str) -> Guidance:
        """Say no to what is pending; see `ProjectMemory.reject`."""
        await self._gate.reject(KIND, id_, by=by)
        return await self._shelf.get(id_)

    async def archive(self, id_: str, *, by: str) -> Guidance:
        """Set aside what is pending; see `ProjectMemory.archive`."""
        kept = await self._shelf.archive(id_, by=by)
        await self._note("archived", f"{KIND}:{id_}", by)
        return kept

    # --- with the secret of a person ------------------------------------------

    async def approve(self, id_: str, seen_hash: str, human: Unlocked) -> Guidance:
        """Approve guidance as a person saw it; see `ProjectMemory.approve`."""
        await self._gate.approve(KIND, id_, seen_hash, human)
        return await self._shelf.get(id_)

    async def withdraw(self, id_: str, seen_hash: str, human: Unlocked) -> Guidance:
        """Archive what is approved; see `ProjectMemory.withdraw`."""
        await self._gate.withdraw(KIND, id_, seen_hash, human)
        return await self._shelf.get(id_)

    async def forget(self, id_: str, human: Unlocked) -> Guidance:
        """Remove for good what guidance says; see `ProjectMemory.forget`.

        Raises:
            NeedsRole: when the person is no operator.
        """
        await self._trust.check(human)
        check_role(human, Role.OPERATOR)
        if (await self._shelf.get(id_)).status == "approved":
            raise InvalidTransition(id_, "approved", "forgotten", ("archived",))
        await self._gate.forget(KIND, id_)
        left = await self._shelf.forget(id_, by=human.name)
        await self._note("forgotten", f"{KIND}:{id_}", human.name)
        return left

    async def acknowledge(self, id_: str, human: Unlocked) -> None:
        """End the alarm about what is gone; see `ProjectMemory.acknowledge`."""
        await self._gate.acknowledge(KIND, id_, human)

    async def put_topic(self, topic: Topic, human: Unlocked) -> Topic:
        """Make or change a topic; see `ProjectMemory.put_topic`."""
        kept = cleaned_topic(topic)
        await self._topics.put(kept, human)
        return kept

    # --- other hosts ----------------------------------------------------------

    async def export(self) -> dict[str, Any]:
        """Give everything as one document; see `ProjectMemory.export`."""
        return await export(self._shelf, self._gate)

    async def bring_in(
        self, document: Any, *, by: str, human: Unlocked | None = None
    ) -> Imported:
        """Take guidance from a document; see `ProjectMemory.bring_in`.

        Raises:
            NeedsRole: when approvals are to be kept and the person is no operator.
        """
        approving = None
        if human is not None:
            await self._trust.check(human)
            check_role(human, Role.OPERATOR)
            keys = await self._gate.public_keys()
            approving = Approving(self._gate, human, keys)
        store = self._site.store
        came = await bring_in(
            store, document, by=by, clock=now_micros, approving=approving
        )
        if human is not None:
            await self._topics.seal(came.topics, human)
        await self._note("imported", f"{KIND}:{len(came.ids)}", by)
        approved = {*came.approved}
        await self.tell(tuple(id_ for id_ in came.ids.values() if id_ not in approved))
        return came

    # --- patterns -------------------------------------------------------------

    async def propose_patterns(self) -> tuple[Guidance, ...]:
        """Propose what the record shows again and again; nothing twice."""
        made = await self._finder.propose()
        await self.tell(tuple(each.id for each in made))
        return made

    async def _note(self, action: str, target: str, by: str) -> None:
        try:
            ledger = self._site.find(Ledger)
            await ledger.note("review", actor=by, action=action, target=target)
        except (LookupError, StoreError):  # the history has it
            return
