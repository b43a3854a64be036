"""A project's memory of which only what it tells to all is there."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from server.world import pack

from abilities_host import Site
from abilities_host.hooks.packs import Pack
from abilities_host.memory import ProjectMemory

Tell = Callable[[int], Awaitable[Any]]


class Told:
    """Tells a text that can be changed, or what a function makes of the tokens."""

    def __init__(self, text: Any = "", tell: Tell | None = None) -> None:
        self.text = text
        self.asked: list[int] = []
        self._tell = tell

    async def context(self, tokens: int) -> Any:
        self.asked.append(tokens)
        return await self._tell(tokens) if self._tell else self.text

    def pack(self) -> Pack:
        """Make the pack that offers it."""

        @asynccontextmanager
        async def open_pack(site: Site) -> AsyncIterator[None]:
            site.offer(ProjectMemory, self)
            yield

        return pack(name="told", open_pack=open_pack)
