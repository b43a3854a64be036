"""Topics: made and changed inside a transaction."""

from dataclasses import replace
from typing import Final

from abilities_host.memory import Happening, Topic
from abilities_host.storage import Transaction
from abilities_memory import columns
from abilities_memory.canonical import canonical_topic, hash_of
from abilities_memory.chronicle import note
from abilities_memory.wording import clean_topic, clean_words

TOPICS: Final = f"""
    SELECT {columns.TOPIC} FROM memory_topic ORDER BY name LIMIT 10000
"""  # noqa: S608 - names of columns only
_EXISTS: Final = "SELECT 1 FROM memory_topic WHERE name = :name"
_PUT: Final = f"""
    INSERT OR REPLACE INTO memory_topic ({columns.TOPIC})
    VALUES (:name, :state, :always_on, :recall, :exclude)
"""  # noqa: S608 - names of columns only


def cleaned_topic(topic: Topic) -> Topic:
    """Give a topic as it is kept.

    Args:
        topic: as somebody wrote it.

    Returns:
        The topic with its name case-folded and its words cleaned.

    Raises:
        UnsuitableWording: when its name or a word cannot be taken.
    """
    return replace(
        topic,
        name=clean_topic(topic.name),
        recall=clean_words(topic.recall),
        exclude=clean_words(topic.exclude),
    )


def put_topic(changing: Transaction, *, topic: Topic, by: str, at: int) -> None:
    """Make or replace a topic, and note who did.

    Args:
        changing: the transaction.
        topic: cleaned.
        by: name of the account.
        at: microseconds since 1970.
    """
    changing.execute(_PUT, columns.topic_values(topic))
    about, hash_ = f"topic:{topic.name}", hash_of(canonical_topic(topic))
    note(changing, Happening(at=at, by=by, action="topic", about=about, hash=hash_))


def ensure_topic(changing: Transaction, name: str, *, by: str, at: int) -> None:
    """Make a topic, active and without words, unless there is one of the name.

    Args:
        changing: the transaction.
        name: case-folded.
        by: name of the account.
        at: microseconds since 1970.
    """
    if not changing.execute(_EXISTS, {"name": name}):
        put_topic(changing, topic=Topic(name=name), by=by, at=at)
