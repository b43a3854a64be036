"""Topic kind: topics as the human gate sees them; unsealed, one has no words."""

from collections.abc import Sequence
from typing import Any, Final

from abilities_host import CallError
from abilities_host.gate import Waiting
from abilities_host.memory import Topic
from abilities_host.storage import Store, Transaction
from abilities_memory import columns
from abilities_memory.canonical import canonical_topic
from abilities_memory.topics import TOPICS, put_topic

_FIND: Final = f"SELECT {columns.TOPIC} FROM memory_topic WHERE name = :name"  # noqa: S608 - names of columns only


class UnknownTopic(CallError):
    """No topic has this name."""

    code = "memory_unknown_topic"

    def __init__(self) -> None:
        super().__init__("There is no topic of this name: abilities memory topic list")


class TopicKind:
    """What the gate is told of topics: nothing waits, a person sets them at once.

    Args:
        store: with the tables of this pack.
    """

    name = "topic"

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    def canonical(self, changing: Transaction, id_: str) -> bytes:
        """Give all that a topic says; raises UnknownTopic without it."""
        found = changing.execute(_FIND, {"name": id_})
        if not found:
            raise UnknownTopic
        return canonical_topic(columns.topic_of(found[0]))

    def approve(self, *_: object, **__: object) -> tuple[str, ...]:
        """Leave it as it was just set; see `Kind.approve`."""
        return ()

    def withdraw(self, changing: Transaction, id_: str, *, by: str, at: int) -> None:
        """Set it back to one that is active and has no words."""
        put_topic(changing, topic=Topic(name=id_), by=by, at=at)

    def reject(self, *_: object, **__: object) -> None:
        """Refuse: there is no topic that waits."""
        raise UnknownTopic

    def binds(self, _: bytes) -> bool:
        """Say that no topic stops a write."""
        return False

    async def waiting(self) -> Sequence[Waiting]:
        """Give nothing: no topic waits."""
        return ()

    async def effective(self) -> list[tuple[str, bytes]]:
        """Give every topic that is not as one without any setting would be.

        Raises:
            StoreError: when they cannot be read.
        """
        found = map(topic_entry_of, await self._store.read(TOPICS))
        return [each for each in found if each[1] != PLAIN]


PLAIN: Final = b""
"""What a topic without any setting says; nobody has to approve that."""


def topic_entry_of(row: Sequence[Any]) -> tuple[str, bytes]:
    """Give the name in a row and what it says, as it would be sealed.

    Args:
        row: the columns of `columns.TOPIC`.

    Returns:
        `PLAIN` for one without any setting; a damaged row says what no seal fits.
    """
    try:
        topic = columns.topic_of(row)
    except (ValueError, TypeError):
        return str(row[0]), b"damaged"
    is_plain = topic == Topic(name=topic.name)
    return topic.name, PLAIN if is_plain else canonical_topic(topic)
