"""Sealed topics: set and sealed in one go, since an unsealed one has no words."""

from collections.abc import Iterable
from functools import partial
from typing import Final

from abilities_host.accounts import Unlocked
from abilities_host.gate import Gate, hash_of
from abilities_host.memory import Topic
from abilities_memory.canonical import canonical_topic
from abilities_memory.shelf import Shelf, now_micros
from abilities_memory.topic_kind import TopicKind
from abilities_memory.topics import put_topic
from abilities_memory.trust import Trust

_KIND: Final = TopicKind.name


class SealedTopics:
    """Topics as people set them.

    Args:
        gate: seals what they set.
        shelf: has the topics.
        trust: checks who sets one that needs no seal.
    """

    def __init__(self, gate: Gate, shelf: Shelf, trust: Trust) -> None:
        self._gate: Final = gate
        self._shelf: Final = shelf
        self._trust: Final = trust

    async def put(self, topic: Topic, human: Unlocked) -> None:
        """Set a topic.

        Args:
            topic: cleaned.
            human: who decides.

        Raises:
            NotTrusted: when the account is off, or the key another one.
            StoreError: when nothing could be stored.
        """
        if topic == Topic(name=topic.name):
            await self._put_plain(topic, human)
            return
        put = partial(put_topic, topic=topic, by=human.name, at=now_micros())
        await self._gate.approve(
            _KIND,
            topic.name,
            hash_of(canonical_topic(topic)),
            human,
            first=put,
        )

    async def seal(self, names: Iterable[str], human: Unlocked) -> None:
        """Seal topics that were set already, such as by an import.

        Args:
            names: of the topics.
            human: who had them set.
        """
        topics = {topic.name: topic for topic in await self._shelf.topics()}
        for name in names:
            await self.put(topics[name], human)

    async def _put_plain(self, topic: Topic, human: Unlocked) -> None:
        """What says nothing needs no seal; the one it had comes to its end."""
        survey = await self._gate.survey(_KIND)
        if topic.name in survey.sealed:
            _, hash_ = await self._gate.show(_KIND, topic.name)
            await self._gate.withdraw(_KIND, topic.name, hash_, human)
            return
        await self._trust.check(human)
        await self._shelf.put_topic(topic, by=human.name)
        problems = {each.id: each.problem for each in survey.alarms}
        if problems.get(topic.name, "unsealed") != "unsealed":
            await self._gate.acknowledge(_KIND, topic.name, human)
