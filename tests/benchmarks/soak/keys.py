"""Keys: the tokens of clients, made, replaced and ended while they are in use."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, cycle
from typing import Final, NamedTuple

from abilities_host.tokens import Change, Tokens

GUESTS: Final = 4
PAUSE_SECONDS: Final = 3.0
GRACE_SECONDS: Final = 1
BY: Final = "soak"
UNDO: Final = "ledger:undo"


@dataclass(slots=True, eq=False)
class Key:
    """One token.

    Attributes:
        name: of the actor.
        value: the secret.
        may_write: whether its scopes are enough to write.
        may_undo: whether they are enough to undo.
        is_ending: whether its end was ordered, or has come.
        ended: when its end was acknowledged or its grace was over; seconds that grow.
        sessions: ids of the earlier era that were opened with it.
    """

    name: str
    value: str
    may_write: bool = True
    may_undo: bool = True
    is_ending: bool = False
    ended: float | None = None
    sessions: Sequence[tuple[str, str]] = ()

    @property
    def is_over(self) -> bool:
        """Whether nobody may be let in with it any more."""
        return self.ended is not None and time.monotonic() >= self.ended


class Sort(NamedTuple):
    """What a lasting token is made with."""

    name: str
    role: str = ""
    scopes: tuple[str, ...] = ()
    server: str = ""
    may_write: bool = True


SORTS: Final = (
    Sort("anna", role="agent", scopes=(UNDO,)),
    Sort("team-bot", role="agent", scopes=(UNDO,), server="team"),
    Sort("viewer", role="viewer", may_write=False),
    Sort("files-bot", scopes=("read", "write")),
)
WATCHER: Final = Sort("watcher", scopes=("read",), server="watch")


class Keys:
    """Every token of a soak.

    Args:
        tokens: of the store; another process than the host changes them.

    Attributes:
        ended: how many have ended.
    """

    def __init__(self, tokens: Tokens) -> None:
        self.ended = 0
        self._tokens: Final = tokens
        self._lasting: Final[dict[str, Key]] = {}
        self._guests: Final[dict[int, Key]] = {}
        self._steps: Final = cycle((self._rotate, self._replace, self._rotate_softly))
        self._numbers: Final = count()

    async def make(self) -> Key:
        """Make the first tokens; give that of who watches."""
        for sort in (*SORTS, WATCHER):
            made = await self._tokens.create(
                sort.name,
                role=sort.role,
                scopes=sort.scopes,
                server=sort.server,
                by=BY,
            )
            self._lasting[sort.name] = Key(
                sort.name,
                made.value,
                may_write=sort.may_write,
                may_undo=UNDO in sort.scopes,
            )
        for guest in range(GUESTS):
            await self._create(guest)
        return self._lasting[WATCHER.name]

    def of_client(self, number: int) -> Key:
        """Give what a client shows now; every second one is a guest."""
        if number % 2:
            return self._guests[number // 2 % GUESTS]
        return self._lasting[SORTS[number // 2 % len(SORTS)].name]

    def any_lasting(self) -> Key:
        """Give one that holds everywhere, for as long as the soak lasts."""
        return self._lasting[SORTS[0].name]

    async def change_one(self) -> Key:
        """Replace the token of one guest; give the old one, which has ended."""
        guest = next(self._numbers) % GUESTS
        old = self._guests[guest]
        old.is_ending = True
        old.ended = await next(self._steps)(guest, old)
        self.ended += 1
        if (left := old.ended - time.monotonic()) > 0:
            await asyncio.sleep(left)
        return old

    async def _create(self, guest: int) -> None:
        made = await self._tokens.create(
            f"guest-{guest}", role="agent", scopes=(UNDO,), by=BY
        )
        self._put(guest, made)

    async def _rotate(self, guest: int, old: Key) -> float:
        self._put(guest, await self._tokens.rotate(old.name, BY))
        return time.monotonic()

    async def _replace(self, guest: int, old: Key) -> float:
        await self._tokens.revoke(old.name, BY)
        ended = time.monotonic()
        await self._create(guest)
        return ended

    async def _rotate_softly(self, guest: int, old: Key) -> float:
        self._put(guest, await self._tokens.rotate(old.name, BY, GRACE_SECONDS))
        return time.monotonic() + GRACE_SECONDS

    def _put(self, guest: int, change: Change) -> None:
        self._guests[guest] = Key(change.record.name, change.value)
