"""Standing: what is approved now, laid out anew when somebody decided something."""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import orjson

from abilities_host import run_in_thread
from abilities_host.gate import Alarm, Gate, Survey, hash_of
from abilities_host.memory import Guidance, InForce, LostRule, StandingRule, Topic
from abilities_host.storage import Store
from abilities_memory import columns
from abilities_memory.kind import EFFECTIVE, GuidanceKind, entry_of
from abilities_memory.recall import Memory
from abilities_memory.topic_kind import TopicKind, topic_entry_of
from abilities_memory.topics import TOPICS

LOOKS: Final = 5
"""How often it is looked again when decisions come in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Everything approved, at one moment.

    Attributes:
        generation: of the store.
        memory: to be searched.
        in_force: the rules.
        survey: what is sealed, and what is not as a person left it.
        topics: the same, of topics.
    """

    generation: int
    memory: Memory
    in_force: InForce
    survey: Survey
    topics: Survey


@dataclass(frozen=True, slots=True)
class _Found:
    """What is laid out; equal when nothing has to be laid out anew.

    Attributes:
        survey: what is sealed.
        topics: the same, of topics.
        rows: of guidance that says it is approved.
        topic_rows: of all topics.
    """

    survey: Survey
    topics: Survey
    rows: Sequence[tuple[Any, ...]]
    topic_rows: Sequence[tuple[Any, ...]]


class Standing:
    """What is approved; every process looks again once any has decided.

    Args:
        store: with the tables of this pack.
        gate: tells what is sealed.
    """

    def __init__(self, store: Store, gate: Gate) -> None:
        self._store: Final = store
        self._gate: Final = gate
        self._turn: Final = asyncio.Lock()
        self._held: Held | None = None
        self._found: _Found | None = None

    async def current(self) -> Held:
        """Give what is approved; nothing is read while nothing was decided.

        Returns:
            Only what is sealed, each with the text that was approved.

        Raises:
            StoreError: when it cannot be read.
        """
        held = self._held
        if held is not None and held.generation == self._store.generation():
            return held
        async with self._turn:
            held = self._held
            if held is None or held.generation != self._store.generation():
                self._held = await self._look()
            return self._held or await self._look()

    async def in_force(self) -> InForce:
        """Give the rules; see `Rulebook.in_force`."""
        return (await self.current()).in_force

    async def watch(self) -> None:
        """Find what somebody changed without deciding, as a job of the host.

        Every process is told to look again when there is something.
        """
        held = await self.current()
        guidance = await self._gate.survey(GuidanceKind.name)
        topics = await self._gate.survey(TopicKind.name)
        if (guidance, topics) != (held.survey, held.topics):
            await self._store.transact(lambda _: None, bump=True)

    async def _look(self) -> Held:
        for _ in range(LOOKS):
            generation = self._store.generation()
            found = _Found(
                await self._gate.survey(GuidanceKind.name),
                await self._gate.survey(TopicKind.name),
                await self._store.read(EFFECTIVE),
                await self._store.read(TOPICS),
            )
            if generation == self._store.generation():
                break  # else a decision came in between
        held, old = self._held, self._found
        if held is not None and await run_in_thread(lambda: found == old):
            # Every switch and setting has everybody look again, also at what is here.
            return replace(held, generation=generation)
        new = await run_in_thread(partial(_laid_out, generation, found))
        self._found = found
        return self._with_version(new)

    def _with_version(self, new: Held) -> Held:
        """Keep the object that whoever enforces the rules has compiled, if possible."""
        old = self._held.in_force if self._held else InForce(version=0)
        rules = new.in_force
        if self._held and (old.rules, old.lost) == (rules.rules, rules.lost):
            in_force = old
        else:
            version = old.version + 1
            in_force = InForce(version=version, rules=rules.rules, lost=rules.lost)
        return replace(new, in_force=in_force)


def now_micros() -> int:
    """Give the time in microseconds since 1970."""
    return time.time_ns() // 1000


def _laid_out(generation: int, found: _Found) -> Held:
    survey = found.survey
    guidance = tuple(_sealed(survey, found.rows))
    topics = {each.name: each for each in _topics(found.topics, found.topic_rows)}
    rules = tuple(_rules(survey, guidance))
    lost = tuple(map(_lost, filter(_is_binding, survey.alarms)))
    return Held(
        generation=generation,
        memory=Memory(guidance, topics),
        in_force=InForce(version=0, rules=rules, lost=lost),
        survey=survey,
        topics=found.topics,
    )


def _topics(survey: Survey, rows: Sequence[tuple[Any, ...]]) -> Iterator[Topic]:
    """Take a topic only as a person set it; any other one is active without words."""
    for row in rows:
        name, says = topic_entry_of(row)
        seal = survey.sealed.get(name)
        if seal is not None and seal.hash == hash_of(says):
            yield columns.topic_of(row)


def _sealed(survey: Survey, rows: Sequence[tuple[Any, ...]]) -> Iterator[Guidance]:
    """Take a row only as it was approved, also if it was changed a moment ago."""
    for row in rows:
        seal = survey.sealed.get(row[0])
        if seal is not None:
            _, canonical = entry_of(row)
            if hash_of(canonical) == seal.hash:
                yield columns.guidance_of(row)


def _rules(survey: Survey, guidance: Sequence[Guidance]) -> Iterator[StandingRule]:
    for each in guidance:
        if each.rule is not None:
            seal = survey.sealed[each.id]
            yield StandingRule(
                id=each.id,
                text=each.text,
                rule=each.rule,
                reviewed_by=seal.reviewer,
                reviewed_at=seal.at,
                hash=seal.hash,
            )


def _is_binding(alarm: Alarm) -> bool:
    return alarm.binds


def _lost(alarm: Alarm) -> LostRule:
    return LostRule(id=alarm.id, sentence=alarm.sentence, rule=rule_of(alarm.canonical))


def rule_of(canonical: bytes) -> Mapping[str, Any] | None:
    """Give the rule in what was approved, None when there is none to be read."""
    if not canonical:
        return None
    try:
        rule = orjson.loads(canonical).get("rule")
    except (ValueError, AttributeError):
        return None
    return rule if isinstance(rule, dict) else None
