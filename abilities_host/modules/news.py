"""News: one broadcast to whoever waits for something to have become true."""

import asyncio
from collections.abc import Callable


class News:
    """Tells every waiting task to look again."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def tell(self) -> None:
        """Have everybody look again."""
        self._event.set()
        self._event = asyncio.Event()

    async def until(self, is_so: Callable[[], bool], seconds: float | None) -> bool:
        """Wait until something is so.

        Args:
            is_so: asked now and after each `tell`; quick.
            seconds: longest wait, None for none.

        Returns:
            Whether it is.
        """
        try:
            async with asyncio.timeout(seconds):
                while not is_so():
                    await self._event.wait()
        except TimeoutError:
            return is_so()
        return True
