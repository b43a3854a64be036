"""Pictures: what docs/pictures shows, made anew of the filled host; `make pictures`."""

import asyncio
import sys
from base64 import b64decode
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from browser.filled import OPERATOR, alarmed, facts_of, filled
from browser.visitor import Scheme, Visitor, launched, visiting
from browser.world import at_port
from playwright.async_api import Browser

from abilities_host.admin.links import FirstLinks

WIDTH: Final = 1280
LARGEST: Final = 120_000  # bytes of one
_WEBP: Final = {"format": "webp", "quality": 80}
_MARGIN: Final = 24
_END: Final = """
Math.max(...[...document.querySelectorAll("main > *")]
    .map(each => each.getBoundingClientRect().bottom))
"""


class Album:
    """A folder that pictures are put into.

    Args:
        folder: is there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder: Final = folder

    async def keep(
        self, visitor: Visitor, name: str, height: int, scheme: Scheme = "light"
    ) -> None:
        """Keep the upper part of a page, as a window shows it.

        Args:
            visitor: at the page.
            name: of the file, without its ending.
            height: of the window; what is empty at its end is left out.
            scheme: of colours.
        """
        page, path = visitor.page, self._folder / f"{name}.webp"
        await page.emulate_media(color_scheme=scheme)
        await page.set_viewport_size({"width": WIDTH, "height": height})
        end = min(height, int(await page.evaluate(_END)) + _MARGIN)
        await page.set_viewport_size({"width": WIDTH, "height": max(end, 560)})
        session = await page.context.new_cdp_session(page)
        taken = await session.send("Page.captureScreenshot", _WEBP)
        content = b64decode(taken["data"])
        assert len(content) <= LARGEST, f"{path.name} has {len(content):,} bytes"
        await asyncio.to_thread(path.write_bytes, content)


async def keep_first(album: Album, folder: Path, browser: Browser) -> None:
    """Show how the first account is made."""
    async with (
        at_port(folder) as (base, world),
        visiting(browser, base) as ana,
    ):
        await ana.open("/admin/login")
        key = await FirstLinks(world.host.store, world.clock).make()
        await ana.open(f"/admin/first?key={key}")
        await ana.fill("Name", OPERATOR)
        await album.keep(ana, "first-account", 900)


async def keep_decisions(album: Album, ana: Visitor, facts: Any) -> None:
    """Show what a person decides on."""
    await ana.open("/admin")
    await album.keep(ana, "home", 800)
    await ana.open("/admin/review?id=gm-009")
    await album.keep(ana, "review", 900)
    await ana.open("/admin/review?id=gm-010")
    await album.keep(ana, "review-rule", 900)
    await ana.press("Approve")
    await album.keep(ana, "confirm", 700, "dark")
    await ana.open("/admin/waiting/entry?kind=write&id=wr-001")
    await album.keep(ana, "waiting-write", 1080)
    wish = f"kind=definition&id={facts['definition']}"
    await ana.open(f"/admin/waiting/entry?{wish}")
    await album.keep(ana, "waiting-definition", 900)
    await ana.open("/admin/guidance")
    await album.keep(ana, "guidance", 960)
    await ana.open("/admin/guidance/topics?name=shipping")
    await album.keep(ana, "topic", 720)


async def keep_record(album: Album, ana: Visitor, facts: Any) -> None:
    """Show what was told and what was done."""
    await ana.open("/admin/sessions/ss-0001")
    await album.keep(ana, "session", 1180)
    await ana.open("/admin/ledger")
    await album.keep(ana, "ledger", 900, "dark")
    await ana.open(f"/admin/ledger/{facts['entry']['files:pages/shipping.md']}")
    await album.keep(ana, "ledger-entry", 1100)
    await ana.press("Preview the undo")
    await album.keep(ana, "undo", 800)


async def make(folder: Path) -> None:
    """Make all pictures.

    Args:
        folder: where; made when it is not there.
    """
    await asyncio.to_thread(lambda: folder.mkdir(parents=True, exist_ok=True))
    album = Album(folder)
    with TemporaryDirectory() as first, TemporaryDirectory() as days:
        async with launched() as browser:
            await keep_first(album, Path(first), browser)
            async with (
                filled(Path(days)) as served,
                visiting(browser, served.base) as ana,
            ):
                await ana.sign_in(OPERATOR)
                facts = await facts_of(served)
                await keep_decisions(album, ana, facts)
                await keep_record(album, ana, facts)
                await alarmed(served.world)
                await ana.open("/admin")
                await album.keep(ana, "alarm", 800)


if __name__ == "__main__":
    asyncio.run(make(Path(sys.argv[1])))
