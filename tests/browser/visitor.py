"""Visitor: somebody at a browser, and whatever that browser has to complain about."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from browser.needed import ROOT, chromium
from cli.memory_world import SECRETS
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    Response,
    WebError,
    async_playwright,
)

Scheme = Literal["light", "dark"]
SCHEMES: Final[tuple[Scheme, ...]] = ("light", "dark")

PATIENCE: Final = 30.0
PICTURES: Final = Path(
    os.environ.get("BROWSER_PICTURES") or ROOT / "build" / "screenshots"
)
_BAD: Final = 400
# Chromium says in its console as well what `Watch` sees of requests and responses.
_LOADING: Final = "Failed to load resource: "
_TELL: Final = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.effectiveDirective} ${event.blockedURI}`);
});
"""


class Watch:
    """Keeps what goes wrong in any page of a context, a line each.

    Lines are such as ``403 POST /admin/login``, ``failed GET /admin/x: net::ERR_…``,
    ``error: …`` and ``warning: …`` of the console, and ``thrown: …``.

    Args:
        context: of the pages.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.problems: Final[list[str]] = []
        self.expected: Final[list[str]] = []
        context.on("console", self._see_console)
        context.on("weberror", self._see_error)
        context.on("requestfailed", self._see_failure)
        context.on("response", self._see_response)

    def check(self) -> None:
        """Compare what went wrong with what the test said would."""
        assert sorted(self.problems) == sorted(self.expected)

    def _see_console(self, message: ConsoleMessage) -> None:
        if message.type not in {"error", "warning"}:
            return
        if not message.text.startswith(_LOADING):
            self.problems.append(f"{message.type}: {message.text}")

    def _see_error(self, error: WebError) -> None:
        self.problems.append(f"thrown: {error.error}")

    def _see_failure(self, request: Request) -> None:
        # The browser itself gives up what a page needed that is left.
        if request.failure == "net::ERR_ABORTED":
            return
        self.problems.append(f"failed {_line(request)}: {request.failure}")

    def _see_response(self, response: Response) -> None:
        if response.status >= _BAD:
            self.problems.append(f"{response.status} {_line(response.request)}")


def _line(request: Request) -> str:
    return f"{request.method} {urlsplit(request.url).path}"


class Visitor:
    """Somebody at a browser of their own: no cookie is shared with another visitor.

    Args:
        page: what they look at.
        watch: of that.

    Attributes:
        page: for whatever this class has no method for.
    """

    def __init__(self, page: Page, watch: Watch) -> None:
        self.page: Final = page
        self._watch: Final = watch

    @property
    def problems(self) -> tuple[str, ...]:
        """What went wrong so far, expected or not."""
        return tuple(self._watch.problems)

    def expect(self, *lines: str) -> None:
        """Say what will go wrong, as `Watch` writes it; once for each time."""
        self._watch.expected.extend(lines)

    async def open(self, path: str) -> None:
        """Go to a path of the host, such as ``/admin/review``."""
        await self.page.goto(path)

    async def sign_in(self, name: str = "ana", secret: str = "") -> None:
        """Fill in the form and send it; opens it where another page is shown."""
        if not urlsplit(self.page.url).path.startswith("/admin/login"):
            await self.open("/admin/login")
        await self.fill("Account", name)
        await self.fill("Secret", secret or SECRETS[name])
        await self.press("Sign in")

    async def fill(self, label: str, text: str) -> None:
        """Write into a field that has a label."""
        await self.page.get_by_label(label, exact=True).fill(text)

    async def press(self, name: str) -> None:
        """Press a button that leads to another page, and wait for that."""
        await self.go(self.page.get_by_role("button", name=name))

    async def follow(self, name: str, *, exact: bool = False) -> None:
        """Follow a link, and wait for where it leads."""
        await self.go(self.page.get_by_role("link", name=name, exact=exact))

    async def go(self, where: Locator) -> None:
        """Click something that leads to another page, and wait for that."""
        async with self.page.expect_navigation():
            await where.click()

    async def strike(self, key: str) -> None:
        """Hit a key that leads to another page, and wait for that."""
        async with self.page.expect_navigation():
            await self.page.keyboard.press(key)

    async def confirm(self, name: str = "ana", secret: str = "") -> None:
        """Show the secret where it is asked for again."""
        await self.fill(f"Secret of {name}", secret or SECRETS[name])
        await self.press("Confirm")

    async def text(self, selector: str = "main") -> str:
        """Give what is read in a part of the page, in one line."""
        return " ".join((await self.page.inner_text(selector)).split())

    async def told(self) -> str:
        """Give what the page tells about what was done last."""
        return await self.text("main .told")

    @property
    def path(self) -> str:
        """Where the visitor is, without the query."""
        return urlsplit(self.page.url).path


@asynccontextmanager
async def launched() -> AsyncIterator[Browser]:
    """Run the machine's Chromium, without a window."""
    async with async_playwright() as playwright:
        # Whoever runs this as root has no sandbox.
        browser = await playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox"]
        )
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def visiting(
    browser: Browser,
    base: str,
    *,
    scheme: Scheme = "light",
    size: tuple[int, int] = (1280, 900),
    has_script: bool = True,
) -> AsyncIterator[Visitor]:
    """Have somebody visit a host; at the end nothing must have gone wrong.

    Args:
        browser: that they use.
        base: of the host, such as ``http://127.0.0.1:8765``.
        scheme: of colours that they like.
        size: of the window, in CSS pixels.
        has_script: whether scripts run.

    Yields:
        The visitor, in a window that is still empty.
    """
    width, height = size
    context = await browser.new_context(
        base_url=base,
        color_scheme=scheme,
        viewport={"width": width, "height": height},
        java_script_enabled=has_script,
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE * 1000)
    watch, page = Watch(context), await context.new_page()
    try:
        await context.add_init_script(_TELL)
        yield Visitor(page, watch)
        await page.title()  # what the browser has said until now has arrived before it
        watch.check()
    except Exception as error:
        error.add_note(f"The visitor was at {page.url}, and {watch.problems} happened.")
        raise
    finally:
        await context.close()


async def picture(page: Page, name: str) -> Path:
    """Keep what a page looks like, from its top to its end.

    Args:
        page: in a window of any size.
        name: of the picture, such as ``review``.

    Returns:
        ``<name>-light.png`` or ``<name>-dark.png`` in ``build/screenshots``, or in the
        folder that ``BROWSER_PICTURES`` names.
    """
    async with stretched(page):
        return await window_picture(page, name)


@asynccontextmanager
async def stretched(page: Page) -> AsyncIterator[None]:
    """Have the window be as high as its page.

    What stays at the bottom of a window would be in the middle of a longer picture.

    Args:
        page: in a window of any size, which it has again afterwards.
    """
    window = page.viewport_size
    assert window is not None
    height = await page.evaluate("document.scrollingElement.scrollHeight")
    await page.set_viewport_size({"width": window["width"], "height": height})
    yield
    await page.set_viewport_size(window)


async def window_picture(page: Page, name: str) -> Path:
    """Keep what a window shows; see `picture`."""
    is_dark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    path = PICTURES / f"{name}-{'dark' if is_dark else 'light'}.png"
    await page.screenshot(path=path, animations="disabled")
    return path
