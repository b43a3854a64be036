"""Book: a record in a file of its own, and writes as the recorder would enter them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from abilities_host.storage.sqlite import open_sqlite
from abilities_ledger.book import Book
from abilities_ledger.content import Content, keep
from abilities_ledger.draft import Draft, Whose
from abilities_ledger.tables import MIGRATIONS, OWNER

FILE: Final = "abilities.db"
KINDS: Final = 3
"""Entries of one write: what is intended, what changed, how it ended."""
CHANGES_EACH: Final = 60
"""Of one target, however large the record is."""
DOMAINS: Final = 5
CALLS_AT_ONCE: Final = 2_000
STATES: Final = 20_000
"""Different ones; a record keeps equal ones once."""
KEPT: Final = 1 << 20


@asynccontextmanager
async def opened_book(folder: Path) -> AsyncIterator[Book]:
    """Open a store that has nothing but the tables of the record.

    Args:
        folder: where it is, or will be; it is closed to others.

    Yields:
        The entries.
    """
    folder.chmod(0o700)  # noqa: ASYNC240 - nothing else runs yet
    async with open_sqlite(folder / FILE) as store:
        await store.migrate(OWNER, MIGRATIONS)
        yield Book(store)


class Written(NamedTuple):
    """What one write adds to a record."""

    drafts: tuple[Draft, ...]
    contents: tuple[Content, ...]


class Writes:
    """Writes of notes; each target is changed about 60 times.

    Args:
        entries: how many all of them have.
    """

    def __init__(self, entries: int) -> None:
        self._calls: Final = entries // KINDS
        self.targets: Final = max(1, self._calls // CHANGES_EACH)

    def where(self, target: int) -> tuple[str, str]:
        """Give domain and name of a target by its number."""
        return f"domain-{target % DOMAINS}", f"notes/{target:06}.md"

    def __iter__(self) -> Iterator[Written]:
        for number in range(self._calls):
            yield self._write(number)

    def _write(self, number: int) -> Written:
        domain, name = self.where(number % self.targets)
        is_new = number < self.targets
        before = None if is_new else _state(number - self.targets)
        after, arguments, whose = _state(number), _arguments(number), _whose(number)
        old = before.digest if before else None
        intent = Draft(
            kind="intent",
            whose=whose,
            domain=domain,
            target=name,
            before=old,
            details=_intended(arguments),
        )
        change = replace(
            intent,
            kind="change",
            is_listed=True,
            action="created" if is_new else "updated",
            result="ok",
            real="ok",
            after=after.digest,
            details={"before_bytes": before and before.size, "after_bytes": after.size},
        )
        outcome = Draft(
            kind="outcome",
            whose=whose,
            action="ran",
            result="ok",
            real="ok",
            details=OUTCOME,
        )
        return Written((intent, change, outcome), (after, arguments))


OUTCOME: Final[dict[str, Any]] = {
    "status": "ok",
    "code": "",
    "flags": [],
    "verified": None,
    "changes": 1,
}


def _intended(arguments: Content) -> dict[str, Any]:
    return {
        "actor_kind": "agent",
        "client": "a client",
        "server": "default",
        "via": "http",
        "lease": "0" * 32,
        "arguments": arguments.digest.hex(),
        "original_arguments": None,
    }


def _whose(number: int) -> Whose:
    call = sha256(str(number).encode()).hexdigest()[:32]
    return Whose(
        call=call,
        actor=f"agent-{number % 7}",
        session=f"session-{number // 500}",
        ability=f"notes/write-{number % 11}",
    )


def _state(number: int) -> Content:
    return _kept(f"{number % STATES}: bread, butter. ")


def _arguments(number: int) -> Content:
    return _kept(f"{number % STATES}: shopping")


@lru_cache(maxsize=2 * STATES)
def _kept(state: str) -> Content:
    content = keep(state, limit=KEPT)
    if content is None:
        raise TypeError(state)
    return content


async def fill(book: Book, writes: Writes) -> None:
    """Append all, some thousand entries in one transaction.

    Args:
        book: an empty one.
        writes: what to append.
    """
    drafts: list[Draft] = []
    contents: list[Content] = []
    for written in writes:
        drafts += written.drafts
        contents += written.contents
        if len(drafts) >= KINDS * CALLS_AT_ONCE:
            await book.append(drafts, contents)
            drafts, contents = [], []
    await book.append(drafts, contents)
