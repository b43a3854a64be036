"""Listener: a client that holds a stream open, and sees when it ends."""

import random
import time
from typing import Final

from benchmarks.http_client import Connection, HttpError
from benchmarks.soak.answer import LOST, Answer, answer_of
from benchmarks.soak.caller import server_of
from benchmarks.soak.keys import Key
from benchmarks.soak.scene import Scene
from benchmarks.wire import LEGACY, MODERN

SILENT_SECONDS: Final = 35.0
"""A stream that is idle has a heartbeat before half a minute is over."""

END_SECONDS: Final = 1.0
SLACK_SECONDS: Final = 0.5
"""What this process and the machine may take on top of the host's one second."""

_AGAIN_SECONDS: Final = 0.3


class Listener:
    """One client.

    Args:
        number: decides what it shows and speaks.
        scene: what all share.

    Attributes:
        heard: pieces of streams.
        latest: seconds by which a stream outlived its token, at worst.
    """

    def __init__(self, number: int, scene: Scene) -> None:
        self.heard = 0
        self.latest = 0.0
        self._number: Final = number
        self._scene: Final = scene
        self._version: Final = MODERN if number // 2 % 2 else LEGACY
        self._chance: Final = random.Random(number)  # noqa: S311 - no secret
        self._path = server_of(number, scene.keys.of_client(number))

    async def run(self) -> None:
        """Listen until all is over."""
        while not await self._scene.rest(self._chance.uniform(0, _AGAIN_SECONDS)):
            key = self._scene.keys.of_client(self._number)
            sent = self._scene.tally.send("listen", self._path, key)
            connection = self._scene.service.connect(
                key.value, self._version, path=self._path
            )
            try:
                async with connection:
                    await connection.listen()
                    self._scene.tally.end(sent, Answer("ok"))
                    await self._stay(connection, key)
            except (HttpError, *LOST) as error:
                self._scene.tally.end(sent, answer_of(error))

    async def _stay(self, connection: Connection, key: Key) -> None:
        is_open = True
        while is_open and not self._scene.over.is_set():
            try:
                is_open = bool(await connection.hear(SILENT_SECONDS))
            except TimeoutError:
                self._scene.faults.add("an idle stream was silent")
                return
            except LOST:
                is_open = False
            self.heard += is_open
            self._note_end(key)

    def _note_end(self, key: Key) -> None:
        """What comes, and the end itself, are late when the token ended long before."""
        if key.ended is None or self._scene.service.is_ending:
            return
        late = time.monotonic() - key.ended
        self.latest = max(self.latest, late)
        if late > END_SECONDS + SLACK_SECONDS:
            self._scene.faults.add("a stream outlived its token", f"{late:.3f} s")
