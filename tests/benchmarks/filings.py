"""Filings: what a host has kept after it was used for long."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import orjson
from benchmarks.bench import Bench
from benchmarks.book import Writes, fill
from benchmarks.timing import check
from benchmarks.world import filler_words

from abilities_host import run_in_thread
from abilities_host.accounts import Unlocked
from abilities_host.gate import Seal, hash_of, journal_beside
from abilities_host.gate import tables as gate
from abilities_host.gate.journal import Journal
from abilities_host.host import Host
from abilities_host.memory import Proposal, Scope, Status
from abilities_host.requestlog.file import Kept, RequestFile
from abilities_host.requestlog.record import STATUSES, Record
from abilities_host.storage import Store, Transaction
from abilities_ledger.book import Book
from abilities_ledger.content import Content
from abilities_ledger.content import keep as kept_state
from abilities_ledger.draft import Draft, Whose
from abilities_memory.canonical import canonical_guidance
from abilities_memory.proposing import keep
from abilities_memory.resemblance import Resemblance
from abilities_memory.settling import settle
from abilities_memory.topics import ensure_topic

DAY: Final = 86_400 * 1_000_000
DAYS: Final = 120
TOPICS: Final = 40
STANDINGS: Final[tuple[Status, ...]] = (
    *("pending", "pending"),
    *("approved", "approved", "approved", "approved", "approved"),
    *("rejected", "archived", "archived"),
)
"""In turn, so that a fifth waits and a half is in force."""

TEXT: Final = (
    "Change nothing in shelf {n} of the shop before somebody from there has answered, "
    "and say in the note what was asked, and of whom; prices are never rounded; {who}."
)
# Words that only one has: else looking for what says nearly the same takes minutes.
NAMES: Final = (
    "ada",
    "bo",
    "cy",
    "dan",
    "eve",
    "fay",
    "gil",
    "hal",
    "ina",
    "jo",
    "kim",
)
RULE: Final = {"domain": "domain-1", "targets": ["notes/*"], "effect": "deny"}
LINES: Final = 2_000
AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """How much of everything there is.

    Attributes:
        changes: that are listed in the record, each with two entries beside it.
        guidance: of every status.
        abilities: of one pack.
        requests: in the log.
    """

    changes: int
    guidance: int
    abilities: int
    requests: int

    @classmethod
    def of(cls, bench: Bench) -> Self:
        """Give what this run asks for."""
        return cls(
            changes=bench.pick(5_000, 100_000),
            guidance=bench.pick(1_000, 10_000),
            abilities=bench.pick(200, 1_000),
            requests=bench.pick(10_000, 100_000),
        )


# --- the record -----------------------------------------------------------------


async def fill_record(store: Store, amounts: Amounts) -> None:
    """Append changes, and at the end one of a long text.

    Args:
        store: with the tables of the record.
        amounts: how many.
    """
    book = Book(store)
    await fill(book, Writes(3 * amounts.changes))
    before, after = _long("bread"), _long("butter")
    change = Draft(
        kind="change",
        whose=Whose(call="f" * 32, actor="agent-0", ability="notes/write-0"),
        is_listed=True,
        domain="domain-0",
        target="notes/long.md",
        action="updated",
        result="ok",
        real="ok",
        before=before.digest,
        after=after.digest,
        details={"before_bytes": before.size, "after_bytes": after.size},
    )
    await book.append([change], [before, after])


def _long(word: str) -> Content:
    """Give a text of which every fourth line is another than with another word."""
    lines = (f"{n}: {'cheese' if n % 4 else word}\n" for n in range(LINES))
    content = kept_state("".join(lines), limit=1 << 20)
    if content is None:
        raise TypeError(word)
    return content


# --- guidance -------------------------------------------------------------------


async def fill_guidance(host: Host, human: Unlocked, amounts: Amounts) -> None:
    """Keep guidance of every status in one transaction, approved by a person.

    Args:
        host: with the memory.
        human: who approves.
        amounts: how much.
    """
    seals = await host.store.transact(
        lambda changing: _keep_all(changing, human, amounts.guidance), bump=True
    )
    anchor = host.loaded.anchor_path
    if anchor is not None:
        await run_in_thread(lambda: _journal(journal_beside(anchor), seals))


def _keep_all(changing: Transaction, human: Unlocked, count: int) -> list[Seal]:
    resemblance, seals = Resemblance(changing), []
    for n, proposal in enumerate(_proposals(count)):
        at = time.time_ns() // 1_000 - (n % DAYS) * DAY
        kept = keep(
            changing,
            proposal=proposal,
            by=f"agent-{n % 70}",
            source="agent_proposal",
            at=at,
            resemblance=resemblance,
        )
        status = STANDINGS[n % len(STANDINGS)]
        if status != "pending":
            settle(changing, kept, status, status, by=human.name, at=at)
        if status == "approved":
            ensure_topic(changing, kept.topic, by=human.name, at=at)
            canonical = canonical_guidance(kept)
            seals.append(_sealed(changing, kept.id, canonical, human, at))
    return seals


def _sealed(
    changing: Transaction, id_: str, canonical: bytes, human: Unlocked, at: int
) -> Seal:
    draft = Seal("guidance", id_, hash_of(canonical), human.name, at, b"")
    values = {
        "kind": draft.kind,
        "id": id_,
        "hash": draft.hash,
        "canonical": canonical,
        "reviewer": human.name,
        "at": at,
        "signature": human.sign(draft.message("approve")),
    }
    changing.execute(gate.ADD, values)
    return draft


def _journal(path: Path, seals: list[Seal]) -> None:
    """Note all at once; to make each durable by itself would take longer than to look.

    Each line is that of the first, with other values.
    """
    journal, first = Journal(path), seals[0]
    journal.add("approve", first, binds=False)
    line = orjson.loads(path.read_bytes())
    lines = (orjson.dumps({**line, "id": s.id, "at": s.at}) for s in seals[1:])
    with path.open("ab") as file:
        file.write(b"\n".join(lines) + b"\n")
    check(is_good=len(journal.read(first.kind)) == len(seals))


def _proposals(count: int) -> Iterator[Proposal]:
    for n in range(count):
        has_rule = n % 10 == 0
        yield Proposal(
            type="guardrail" if has_rule else "fact",
            topic=f"topic-{n % TOPICS}",
            text=TEXT.format(n=n, who=", ".join(f"{name}{n}" for name in NAMES)),
            rationale="Asked for by the shop.",
            recall=(f"shelf {n % 50}", "price"),
            priority=n % 4,
            scope=Scope(site_wide=n % 3 == 0, target=f"files:posts/{n}.md"),
            rule=RULE if has_rule else None,
        )


# --- requests -------------------------------------------------------------------


def fill_requests(path: Path, amounts: Amounts) -> None:
    """Write requests of the last days to the log; blocks.

    Args:
        path: of the log.
        amounts: how many.
    """
    file = RequestFile(path, lambda: Kept(days=DAYS, entries=2 * amounts.requests))
    words = filler_words(amounts.abilities)
    start = time.time_ns() // 1_000 - amounts.requests * 1_000_000
    for first in range(0, amounts.requests, AT_ONCE):
        last = min(first + AT_ONCE, amounts.requests)
        file.append([_request(n, start, words) for n in range(first, last)])
    file.close()


def _request(n: int, start: int, words: range) -> Record:
    is_good = n % 20 != 0
    return Record(
        at=start + n * 1_000_000,
        surface="http",
        server="default",
        method="tools/call",
        ability=f"bench/filler-{words[n % len(words)]}",
        via="",
        actor=f"agent-{n % 7}",
        client="a client",
        status="ok" if is_good else STATUSES[1 + n // 20 % 3],
        code="" if is_good else "forbidden",
        micros=500 + n * 7919 % 90_000,
        bytes_in=200,
        bytes_out=900,
        request=str(n),
        era="2026-07-28",
        repaired=0,
        session=f"{n % 40:032x}",
        trace="",
        call=f"{n:032x}",
    )
