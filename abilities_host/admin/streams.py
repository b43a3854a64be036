"""Streams: answers that go on, few at a time, and only as long as a session."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Final

from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from abilities_host.admin.sessions import Session, Sessions
from abilities_host.admin.texts import Texts
from abilities_host.errors import StoreError

PER_SESSION: Final = 4
IN_ALL: Final = 32
LOOK_SECONDS: Final = 0.5  # between two looks whether the session is still good
LONGEST_SECONDS: Final = 330.0  # even when a browser does not read
RETRY_SECONDS: Final = 15


class Streams:
    """The places for answers that go on.

    Args:
        sessions: of people.
        longest: seconds after which a place is free in any case.
    """

    def __init__(self, sessions: Sessions, longest: float = LONGEST_SECONDS) -> None:
        self.longest: Final = longest
        self._sessions: Final = sessions
        self._taken: Final[Counter[str]] = Counter()

    def answer(
        self, session: Session, events: AsyncIterator[str], texts: Texts
    ) -> Response:
        """Make an answer that has a place while it goes on.

        Args:
            session: of the person.
            events: server-sent events; never begun when there is no place.
            texts: the words.

        Returns:
            The answer; without a place one that says so, and when to try again.
        """
        return _Placed(self, session.digest, events, texts)

    async def lasts(self, session: Session, seconds: float) -> bool:
        """Wait, as long as a session is good.

        Args:
            session: of the person.
            seconds: how long; 0 only looks.

        Returns:
            False as soon as it has ended, or nobody can know.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while (left := end - loop.time()) > 0:
            await asyncio.sleep(min(left, LOOK_SECONDS))
            if not await self._is_good(session):
                return False
        return seconds > 0 or await self._is_good(session)

    async def _is_good(self, session: Session) -> bool:
        try:
            return await self._sessions.is_good(session.digest)
        except StoreError:
            return False

    def take(self, digest: str) -> tuple[int, str]:
        """Take a place.

        Args:
            digest: of the session.

        Returns:
            200, or the status of HTTP and the key of the text that say why there is
            none.
        """
        if self._taken[digest] >= PER_SESSION:
            return 429, "log.live.full"
        if self._taken.total() >= IN_ALL:
            return 503, "log.live.full_for_all"
        self._taken[digest] += 1
        return 200, ""

    def free(self, digest: str) -> None:
        """Give a place back."""
        self._taken[digest] -= 1
        if not self._taken[digest]:
            del self._taken[digest]


class _Placed(StreamingResponse):
    """Takes its place when it is sent, so that none is lost before."""

    def __init__(
        self, streams: Streams, digest: str, events: AsyncIterator[str], texts: Texts
    ) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._streams: Final = streams
        self._digest: Final = digest
        self._texts: Final = texts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, key = self._streams.take(self._digest)
        if key:
            headers = {"retry-after": str(RETRY_SECONDS)}
            said = self._texts.text(key)
            full = PlainTextResponse(said, status_code=status, headers=headers)
            await full(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._streams.longest):
                await super().__call__(scope, receive, send)
        except TimeoutError:
            return  # a browser that does not read is left alone
        finally:
            self._streams.free(self._digest)
