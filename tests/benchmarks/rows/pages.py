"""The pages for people, of a host that has been used for long."""

import asyncio
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from benchmarks.bench import Bench
from benchmarks.filings import Amounts
from benchmarks.office import Answer, Office, office, weight_beside
from benchmarks.row import HERE, Goal, Measured, Row

from abilities_host.admin.pages import PAGES

MOST_MS: Final = 100
MOST_KB: Final = 100
AFTER: Final = ", after a switch"
"""A mark of visits before which everybody was told to look again."""

VISITS: Final[dict[str, str]] = {
    "home": "/",
    f"home{AFTER}": "/",
    "review": "/review",
    f"review{AFTER}": "/review",
    "review, a rule": "/review?id=gm-011",
    "review, list": "/review/list",
    "review, list, second page": "/review/list?after=300",
    "guidance": "/guidance",
    "guidance, last page": "/guidance?after={late}",
    "guidance, words found": "/guidance?q=shelf+{found}",
    "guidance, words found nowhere": "/guidance?q=cathedral",
    "guidance, of a topic": "/guidance?topic=topic-7",
    "guidance, of no topic": "/guidance?topic=cathedral",
    "guidance, stale": "/guidance?stale=90",
    "guidance, topics": "/guidance/topics",
    "guidance, one": "/guidance/gm-013",
    "guidance, one, edited": "/guidance/gm-013/edit",
    "ledger": "/ledger",
    "ledger, far back": "/ledger?before=1000",
    "ledger, of an actor": "/ledger?actor=agent-1",
    "ledger, of nobody": "/ledger?actor=nobody",
    "ledger, of two, nothing fits": "/ledger?actor=agent-1&action=deleted",
    "ledger, nothing fits": "/ledger?action=deleted",
    "ledger, of a target": "/ledger?domain=domain-1&target=notes/000001.md",
    "ledger, of an hour": "/ledger?since=1h",
    "ledger, one": "/ledger/{seq}",
    "ledger, one, a long text": "/ledger/{long}",
    "ledger, of a session": "/ledger/session?id=session-1",
    "log": "/log",
    "log, far back": "/log?before=2000",
    "log, of nobody": "/log?actor=nobody",
    "log, of an ability": "/log?ability=bench/filler-*7",
    "tools": "/tools",
    f"tools{AFTER}": "/tools",
    "tools, second page": "/tools?page=2",
    "tools, words found": "/tools?q=collection+77",
    "tools, words found nowhere": "/tools?q=cathedral",
    "tools, a pattern": "/tools?pattern=bench/*",
    "tools, one": "/tools/bench/filler-7",
    "tools, one, tried": "/tools/bench/filler-7/try",
    "access": "/access",
    f"access, what agents are told{AFTER}": "/access?told=1",
}
VISITED: Final = {address.partition("?")[0] for address in VISITS.values()}
EVERY: Final = VISITS | {
    page.path.strip("/"): page.path
    for page in PAGES
    if page.is_listed and page.path not in VISITED and "{" not in page.path
}
Visited = dict[str, list[Answer]]


def measure(bench: Bench, *, name: str) -> Measured:
    """Give what one page took; the first who asks has all of them opened."""
    visited = bench.keep("pages", lambda: _visited(bench))
    answers = visited[name]
    wall = [each.wall * 1e3 for each in answers]
    processor = [each.processor * 1e3 for each in answers]
    size = answers[0].size + weight_beside()
    remark = (
        f"p95 {_late(wall):.0f} ms; processor {statistics.median(processor):.0f} ms, "
        f"p95 {_late(processor):.0f} ms; {size:,} bytes with style and script"
    )
    return Measured.of({HERE: wall}, remark=remark)


def weigh(bench: Bench) -> Measured:
    """Give the bytes of the heaviest page, style sheet and script included."""
    visited = bench.keep("pages", lambda: _visited(bench))
    beside = weight_beside()
    sizes = {name: answers[0].size + beside for name, answers in visited.items()}
    heaviest = max(sizes, key=sizes.__getitem__)
    amounts = Amounts.of(bench)
    remark = (
        f"{heaviest}; html, {beside:,} bytes of style and script, nothing packed; "
        f"{amounts.changes:,} changes listed of {3 * amounts.changes:,} entries, "
        f"{amounts.guidance:,} pieces of guidance, {amounts.abilities:,} abilities, "
        f"{amounts.requests:,} requests; {len(visited['home'])} visits each"
    )
    return Measured.of({HERE: [sizes[heaviest] / 1e3]}, remark=remark)


def _late(times: list[float]) -> float:
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


@contextmanager
def _visited(bench: Bench) -> Iterator[Visited]:
    with asyncio.Runner() as runner:
        yield runner.run(_visit(bench))


async def _visit(bench: Bench) -> Visited:
    """Open every page in turn, again and again; the first round is not counted."""
    answers: Visited = {name: [] for name in EVERY}
    async with office(bench) as pages:
        addresses = {name: _address(name, bench) for name in EVERY}
        for number in range(1 + bench.pick(5, 15)):
            for name, address in addresses.items():
                if name.endswith(AFTER):
                    await _switch(pages)
                answer = await pages.get(address)
                if number:
                    answers[name].append(answer)
    return answers


def _address(name: str, bench: Bench) -> str:
    amounts = Amounts.of(bench)
    entries = 3 * amounts.changes
    return EVERY[name].format(
        late=amounts.guidance - 100,
        found=amounts.guidance // 5,
        seq=entries - 1,
        long=entries + 1,
    )


async def _switch(pages: Office) -> None:
    """Have everybody look again, as a switch or a setting does."""
    await pages.host.store.transact(lambda _: None, bump=True)


ROWS = (
    *(
        Row(
            name=f"pages: {name}",
            unit="ms",
            measure=partial(measure, name=name),
            first=(Goal(f"≤ {MOST_MS} ms", "", MOST_MS),),
        )
        for name in EVERY
    ),
    Row(
        name="pages: weight of the heaviest",
        unit="kB",
        measure=weigh,
        first=(Goal(f"≤ {MOST_KB} kB", "", MOST_KB),),
    ),
)
