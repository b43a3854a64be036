"""Recall from a large memory, beside the same questions to a small one."""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from accounts.world import CHEAP, SECRET
from benchmarks.bench import Bench
from benchmarks.row import HERE, Goal, Measured, Row
from benchmarks.timing import check
from plugins.memory.memory_world import in_tree

import abilities_ledger
import abilities_memory
from abilities_host import Actor
from abilities_host.accounts import Accounts, Unlocked, keys_beside
from abilities_host.gate import Gate, Seal, hash_of
from abilities_host.gate import tables as gate
from abilities_host.host import Host
from abilities_host.memory import ProjectMemory, Proposal, Scope, Topic
from abilities_host.storage import Transaction
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.testing import build_host
from abilities_memory.canonical import canonical_guidance
from abilities_memory.proposing import keep
from abilities_memory.resemblance import Resemblance
from abilities_memory.settling import settle

FEW: Final = 100
MANY: Final = 10_000
SMALL: Final = f"with {FEW} entries"
ACTOR: Final = Actor("bench", "agent", frozenset({"read"}))
LIMIT: Final = 10  # each question finds more than that in both
AT: Final = 1_800_000_000_000_000
ASKED: Final[Mapping[str, dict[str, Any]]] = {
    "all": {},
    "hint": {"intent_hint": "please make the checkout of word1 quicker"},
    "phrase": {"intent_hint": "o gateway de pagamento não responde"},
    "scope": {"scope": {"target": "files:posts/7.md"}},
    "filtered": {"types": ["fact"], "domain": "topic3"},
}
Times = dict[str, dict[str, list[float]]]


def measure(bench: Bench) -> Measured:
    """Ask both memories in turn, the whole ability each time."""
    with asyncio.Runner() as runner:
        return runner.run(_measure(bench))


async def _measure(bench: Bench) -> Measured:
    rounds, count = bench.pick(5, 15), bench.pick(10, 30)
    entries = bench.pick(2_000, MANY)
    spread: dict[str, list[float]] = {HERE: [], SMALL: []}
    every: Times = {who: {name: [] for name in ASKED} for who in spread}
    async with (
        _filled(bench.folder / "recall-many", entries) as large,
        _filled(bench.folder / "recall-few", FEW) as small,
    ):
        for _ in range(rounds):
            for who, host in ((SMALL, small), (HERE, large)):
                spread[who].append(await _round(host, count, every[who]))
    return Measured.of(spread, remark=_remark(every, entries))


async def _round(host: Host, count: int, every: dict[str, list[float]]) -> float:
    """Ask each question some times; half of the calls took less than this."""
    halves = []
    for name, asked in ASKED.items():
        taken = [await _each_us(host, asked) for _ in range(count)]
        every[name] += taken
        halves.append(statistics.median(taken))
    return statistics.mean(halves)


async def _each_us(host: Host, asked: dict[str, Any]) -> float:
    given = {**asked, "limit": LIMIT}
    start = time.process_time()
    outcome = await host.execute("memory/recall", given, actor=ACTOR)
    taken = (time.process_time() - start) * 1e6
    check(is_good=outcome.is_ok and outcome.result["returned"] == LIMIT)
    return taken


def _remark(every: Times, entries: int) -> str:
    told = ", ".join(
        f"{name} {_half(every[HERE][name]):,.0f} and {_half(every[SMALL][name]):,.0f}"
        for name in ASKED
    )
    return (
        f"{entries:,} entries, each approved and sealed; processor time of the whole "
        f"ability, p50, in process; µs by question: {told}"
    )


def _half(times: list[float]) -> float:
    return statistics.median(times)


# --- a memory of so many entries ----------------------------------------------


@asynccontextmanager
async def _filled(folder: Path, entries: int) -> AsyncIterator[Host]:
    packs = [in_tree("ledger", abilities_ledger), in_tree("memory", abilities_memory)]
    async with build_host(folder, packs=packs, config="[ledger]\n") as host:
        await _fill(host, entries)
        yield host


async def _fill(host: Host, entries: int) -> None:
    """Approve all in one transaction, each with a seal that holds."""
    anchor = host.loaded.anchor_path
    check(is_good=anchor is not None)
    async with open_sqlite(host.loaded.store_path) as store:
        keys = keys_beside(anchor) if anchor else None
        accounts = Accounts(store, cost=CHEAP, keys=keys)
        await accounts.add("ana", SECRET, by=None)
        ana = await accounts.unlock("ana", SECRET)
        await store.transact(lambda changing: _approve(changing, ana, entries))
    topic = Topic(name="topic3", always_on=True, recall=("checkout",))
    await host.services.find(ProjectMemory).put_topic(topic, ana)
    survey = await host.services.find(Gate).survey("guidance")
    check(is_good=len(survey.sealed) == entries and not survey.alarms)


def _approve(changing: Transaction, ana: Unlocked, entries: int) -> None:
    resemblance = Resemblance(changing)
    for proposal in _proposals(entries):
        kept = keep(
            changing,
            proposal=proposal,
            by="bench",
            source="manual",
            at=AT,
            resemblance=resemblance,
        )
        settle(changing, kept, "approved", "approved", by=ana.name, at=AT)
        canonical = canonical_guidance(kept)
        draft = Seal("guidance", kept.id, hash_of(canonical), ana.name, AT, b"")
        values = {
            "kind": draft.kind,
            "id": draft.id,
            "hash": draft.hash,
            "canonical": canonical,
            "reviewer": draft.reviewer,
            "at": AT,
            "signature": ana.sign(draft.message("approve")),
        }
        changing.execute(gate.ADD, values)


def _proposals(count: int) -> Iterator[Proposal]:
    for n in range(count):
        is_narrow = n % 10 == 0
        yield Proposal(
            type="fact" if n % 3 else "guardrail",
            topic=f"topic{n % 5}",
            text="Change nothing before somebody from the shop has answered.",
            rationale="Asked for.",
            recall=(f"word{n % 4}", "gateway de pagamento") if n % 2 else (),
            priority=n % 4,
            scope=Scope(site_wide=not is_narrow, target=f"files:posts/{n}.md"),
        )


ROW = Row(
    name=f"recall at {MANY:,} entries / at {FEW}",
    unit="µs/call",
    measure=measure,
    first=(Goal(f"≤ 2 x with {FEW}", SMALL, 1 / 2),),
    second=(Goal(f"≤ 1.5 x with {FEW}", SMALL, 1 / 1.5),),
)
