"""How long recall takes with a hundred entries and with ten thousand, side by side."""

from collections.abc import Iterator, Mapping
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from plugins.memory.guidances import NOW, approved

from abilities_host.memory.guidance import Guidance, Scope
from abilities_host.memory.topic import Topic
from abilities_memory.answer import answer
from abilities_memory.recall import Memory

FEW, MANY = 100, 10_000
ROUNDS = 200
LIMIT = 10  # each kind of search finds more than that in both
ASKED: Mapping[str, dict[str, Any]] = {
    "all": {},
    "hint": {"hint": "please make the checkout of word1 quicker"},
    "phrase": {"hint": "o gateway de pagamento não responde"},
    "scope": {"scope": Scope(site_wide=False, target="files:posts/7.md")},
    "filtered": {"types": ["fact"], "domain": "topic3"},
}


class Measured(NamedTuple):
    """One kind of search.

    Attributes:
        name: of what was asked.
        few: seconds with 100 entries, half of the searches took less.
        many: likewise with 10,000.
    """

    name: str
    few: float
    many: float

    @property
    def ratio(self) -> float:
        """How many times as long it takes; 2 is the limit."""
        return self.many / self.few


def measure(rounds: int = ROUNDS) -> Iterator[Measured]:
    """Search a small and a large memory by turns, answer included.

    Args:
        rounds: searches of each kind in each memory.

    Yields:
        What each kind took.
    """
    topics = {"topic3": Topic(name="topic3", always_on=True, recall=("checkout",))}
    memories = [Memory(_guidance(count), topics) for count in (FEW, MANY)]
    for name, asked in ASKED.items():
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(rounds):
            for memory, taken in zip(memories, times, strict=True):
                start = perf_counter()
                answer(memory.recall(**asked, limit=LIMIT, at=NOW))
                taken.append(perf_counter() - start)
        yield Measured(name, *map(median, times))


def _guidance(count: int) -> Iterator[Guidance]:
    for n in range(count):
        is_narrow = n % 10 == 0
        yield approved(
            n,
            topic=f"topic{n % 5}",
            type="fact" if n % 3 else "guardrail",
            text="Change nothing before somebody from the shop has answered.",
            recall=(f"word{n % 4}", "gateway de pagamento") if n % 2 else (),
            priority=n % 4,
            scope=Scope(site_wide=not is_narrow, target=f"files:posts/{n}.md"),
        )


if __name__ == "__main__":
    for each in measure():
        few, many = each.few * 1e6, each.many * 1e6
        print(f"{each.name:10}{few:8.0f} us{many:8.0f} us{each.ratio:6.2f} x")  # noqa: T201 - a report
