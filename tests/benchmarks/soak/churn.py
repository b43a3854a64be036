"""Churn: tokens come and go, and what was theirs is tried again."""

from typing import Final

from benchmarks.http_client import HttpError
from benchmarks.soak.answer import LOST, Answer, answer_of, read_answer
from benchmarks.soak.keys import PAUSE_SECONDS, Key
from benchmarks.soak.scene import Scene
from benchmarks.soak.site import DEFAULT
from benchmarks.wire import LEGACY, MODERN

_LEFT_ALONE: Final = ("broken", "stopped")


class Churn:
    """Ends a token every few seconds.

    Args:
        scene: what all share.

    Attributes:
        tried: requests that were made with what had ended.
    """

    def __init__(self, scene: Scene) -> None:
        self.tried = 0
        self._scene: Final = scene

    async def run(self) -> None:
        """End one after the other until all is over."""
        while not await self._scene.rest(PAUSE_SECONDS):
            old = await self._scene.keys.change_one()
            await self._expect(old.value, "", DEFAULT, "unauthorised")
            for session, path in old.sessions:
                await self._expect(old.value, session, path, "unauthorised")
                await self._steal(session, path)

    async def _steal(self, session: str, path: str) -> None:
        """A session belongs to the token that opened it, whoever else is let in."""
        other: Key = self._scene.keys.any_lasting()
        await self._expect(other.value, session, path, "gone")

    async def _expect(self, token: str, session: str, path: str, kind: str) -> None:
        self.tried += 1
        answer = await self._ask(token, session, path)
        # A server that is off says so before it looks at a token.
        if answer.kind not in (kind, "gone", *_LEFT_ALONE):
            said = f"{answer.kind} {answer.detail}, not {kind}"
            self._scene.faults.add("what had ended was served", said)

    async def _ask(self, token: str, session: str, path: str) -> Answer:
        version = LEGACY if session else MODERN
        connection = self._scene.service.connect(
            token, version, path=path, session=session
        )
        try:
            async with connection:
                return read_answer(await connection.ask("tools/list", {}))
        except (HttpError, *LOST) as error:
            return answer_of(error)
