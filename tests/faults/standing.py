"""Standing: stops a process for good at one named step, and says so first."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from abilities_host.storage import Store, Transaction

T = TypeVar("T")
A = TypeVar("A")


class Told:
    """What a child says: whole lines, there as soon as they are said.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._descriptor: Final = os.open(path, flags, 0o600)

    def say(self, line: str) -> None:
        """Say a line; it stays said whatever becomes of this process."""
        os.write(self._descriptor, f"{line}\n".encode())


class Stand:
    """Where a process shall stop; it blocks on purpose, so that nothing goes on.

    Args:
        step: its name, empty for nowhere.
        told: hears of it, None when it stops nowhere.
        go_on: it goes on when this file is there.
    """

    def __init__(self, step: str, told: Told | None, go_on: Path) -> None:
        self._step: Final = step
        self._told: Final = told
        self._go_on: Final = go_on

    async def reach(self, step: str) -> None:
        """Stop here if this is the step; others may have something done here."""
        self.at(step)

    def at(self, step: str) -> None:
        """Stop here if this is the step."""
        if step != self._step:
            return
        if self._told is not None:
            self._told.say(step)
        while not self._go_on.exists():
            time.sleep(0.005)


class StandingStore:
    """A store whose transactions are steps: one each before, inside and after.

    Args:
        store: the real one.
        stand: where to stop.
        names: of the transactions, in their order.
    """

    def __init__(self, store: Store, stand: Stand, names: Sequence[str]) -> None:
        self._store: Final = store
        self._stand: Final = stand
        self._names: Final = iter(names)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def transact(
        self, work: Callable[[Transaction], T], *, bump: bool = False
    ) -> T:
        """Run a work in a transaction; see `Store.transact`."""
        name = next(self._names, "")
        self._stand.at(f"{name}-waits")

        def standing(db: Transaction) -> T:
            value = work(db)
            self._stand.at(f"{name}-written")
            return value

        value = await self._store.transact(standing, bump=bump)
        await self._stand.reach(f"{name}-committed")
        return value

    async def combine(
        self, work: Callable[[Transaction, Sequence[A]], Sequence[T]], item: A
    ) -> T:
        """Run a work for all who ask for it; see `Store.combine`."""
        name = next(self._names, "")
        self._stand.at(f"{name}-waits")

        def standing(db: Transaction, items: Sequence[A]) -> Sequence[T]:
            values = work(db, items)
            self._stand.at(f"{name}-written")
            return values

        value = await self._store.combine(standing, item)
        await self._stand.reach(f"{name}-committed")
        return value
