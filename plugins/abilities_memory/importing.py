"""Importing: a document becomes proposals that wait, all of them or none."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from abilities_host import CallError, run_in_thread
from abilities_host.memory import Guidance, Imported, Topic
from abilities_host.storage import Store, Transaction
from abilities_memory import columns
from abilities_memory.approvals import Approving, Kept, keep_approvals
from abilities_memory.carl import read_carl, read_carl_json
from abilities_memory.document import ENTRIES, Document, Entry, listed
from abilities_memory.document_reading import read_document
from abilities_memory.proposing import keep, waiting
from abilities_memory.resemblance import Resemblance
from abilities_memory.topics import TOPICS, put_topic

_OURS: Final = frozenset({"format", "guidance"})


class NoRoom(CallError):
    """With a document there would be more proposals waiting than may be."""

    code = "memory_no_room"

    def __init__(self, waiting: int, more: int) -> None:
        super().__init__(
            f"{waiting} proposals of this account wait for a human, and with these "
            f"{more} there would be more than {ENTRIES}. Nothing was imported; decide "
            "on those first: abilities memory review",
            limit=ENTRIES,
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be kept, in the order in which it can be.

    Attributes:
        entries: each after the one that it supersedes, if any.
        left_out: links that lead nowhere or round, one sentence for all of a kind.
    """

    entries: tuple[Entry, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """What was kept.

    Attributes:
        guidance: id in the document to what is kept here, pending.
        topics: names of those that were made or changed.
        left_out: what was not, one sentence each.
    """

    guidance: Mapping[str, Guidance]
    topics: tuple[str, ...]
    left_out: tuple[str, ...]


async def bring_in(
    store: Store,
    raw: Any,
    *,
    by: str,
    clock: Callable[[], int],
    approving: Approving | None = None,
) -> Imported:
    """Take all guidance of a document, or nothing.

    Args:
        store: with the tables of this pack.
        raw: see `understand`.
        by: name of the account, or id of the actor.
        clock: microseconds since 1970.
        approving: keeps approvals whose seal holds, and takes the topics; without it
            everything waits, and topics stay as they are.

    Returns:
        What came of it.

    Raises:
        CallError: when it cannot be understood; see `understand`.
        NoRoom: when more than 10,000 proposals of the account would wait.
        StoreError: when nothing could be stored.
    """
    document = await run_in_thread(lambda: understand(raw))
    plan = plan_import(document)
    topics = document.topics

    def work(changing: Transaction) -> Taken:
        return take(
            changing, plan, topics, by=by, at=clock(), has_secret=approving is not None
        )

    taken = await store.transact(work, bump=approving is not None)
    kept = Kept()
    if approving is not None:
        kept = await keep_approvals(approving, document.entries, taken.guidance)
    return Imported(
        ids={id_: guidance.id for id_, guidance in taken.guidance.items()},
        approved=kept.ids,
        topics=taken.topics,
        left_out=(*document.left_out, *taken.left_out, *kept.left_out),
    )


def understand(raw: Any) -> Document:
    """Make a document of whatever somebody wants taken; blocks.

    Args:
        raw: a document, the path of a CARL folder, or JSON values: those of a
            document, or of a ``carl.json``.

    Returns:
        What is to be taken; nothing was taken yet.

    Raises:
        CarlUnreadable: when a part of a folder cannot be read.
        DocumentTooNew: when a later version wrote it.
        DocumentBroken: when any part of it cannot be taken.
    """
    if isinstance(raw, Document):
        return raw
    if isinstance(raw, Path):
        return read_carl(raw)
    if isinstance(raw, dict) and "domains" in raw and not raw.keys() & _OURS:
        return read_carl_json(raw)
    return read_document(raw)


def plan_import(document: Document) -> Plan:
    """Put the guidance of a document in an order in which it can be kept.

    Args:
        document: understood.

    Returns:
        All of it, in the order of the document but for what supersedes a later one.
    """
    left = {entry.id: entry for entry in document.entries}
    known = frozenset(left)
    ordered: list[Entry] = []
    nowhere: list[str] = []
    round_: list[str] = []
    while left:
        chain: dict[str, Entry] = {}
        at = next(iter(left))
        while at in left:
            entry = chain[at] = left.pop(at)
            at = entry.proposal.supersedes
        last = next(reversed(chain))
        if at in chain:
            round_.append(last)
            chain[last] = _unlinked(chain[last])
        elif at and at not in known:
            nowhere.append(last)
            chain[last] = _unlinked(chain[last])
        ordered += reversed(chain.values())
    return Plan(tuple(ordered), tuple(_links(nowhere, round_)))


def take(
    changing: Transaction,
    plan: Plan,
    topics: Iterable[Topic],
    *,
    by: str,
    at: int,
    has_secret: bool,
) -> Taken:
    """Keep everything inside a transaction.

    Args:
        changing: the transaction.
        plan: what is to be kept.
        topics: of the document.
        by: name of the account, or id of the actor.
        at: microseconds since 1970.
        has_secret: a person showed a secret, so topics are changed too.

    Returns:
        What is kept.

    Raises:
        NoRoom: when more than 10,000 proposals would wait.
    """
    there = waiting(changing, by)
    if there + len(plan.entries) > ENTRIES:
        raise NoRoom(there, len(plan.entries))
    guidance = _keep(changing, plan, by=by, at=at)
    told = (*plan.left_out, *_statuses(plan.entries))
    others = _others(changing, topics)
    names = tuple(topic.name for topic in others)
    if not has_secret:
        return Taken(guidance, (), (*told, *_untouched(names)))
    for topic in others:
        put_topic(changing, topic=topic, by=by, at=at)
    return Taken(guidance, names, told)


def _keep(
    changing: Transaction, plan: Plan, *, by: str, at: int
) -> dict[str, Guidance]:
    resemblance = Resemblance(changing)
    guidance: dict[str, Guidance] = {}
    for entry in plan.entries:
        old = entry.proposal.supersedes
        proposal = replace(entry.proposal, supersedes=guidance[old].id if old else "")
        guidance[entry.id] = keep(
            changing,
            proposal=proposal,
            by=by,
            source="manual",
            at=at,
            resemblance=resemblance,
        )
    return guidance


def _unlinked(entry: Entry) -> Entry:
    return replace(entry, proposal=replace(entry.proposal, supersedes=""))


def _links(nowhere: list[str], round_: list[str]) -> Iterator[str]:
    if nowhere:
        yield f"What these supersede is not in the document: {listed(nowhere)}."
    if round_:
        yield f"These would supersede themselves in the end: {listed(round_)}."


def _others(changing: Transaction, topics: Iterable[Topic]) -> list[Topic]:
    """Give the topics that are set otherwise here, or that are not here."""
    here = {
        topic.name: topic for topic in map(columns.topic_of, changing.execute(TOPICS))
    }
    return [topic for topic in topics if here.get(topic.name) != topic]


def _statuses(entries: Iterable[Entry]) -> Iterator[str]:
    counts = Counter(entry.status for entry in entries)
    for status in ("rejected", "archived"):
        if count := counts[status]:
            yield f"{status.capitalize()} there, and waiting here as all do: {count}."


def _untouched(names: tuple[str, ...]) -> Iterator[str]:
    if names:
        yield (
            f"Topics stay as they are here, without a person's secret: {listed(names)}."
        )
