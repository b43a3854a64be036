"""What a test of the pages stands in: a host with memory, people, and a browser."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import anyio
import httpx2
from cli.memory_world import BLOCKED, SECRETS, make_memory
from server.http_world import TOKEN

from abilities_host.accounts import Accounts, Cost, keys_beside
from abilities_host.admin import AdminApp, Page
from abilities_host.admin.pages import PAGES
from abilities_host.cli.running import load
from abilities_host.host import Host
from abilities_host.memory import Guidance, ProjectMemory, Proposal
from abilities_host.opening import open_host
from abilities_host.requestlog.opening import open_request_log
from abilities_host.server.annex import Annex
from abilities_host.server.http import HttpApp, serve_host

URL: Final = "http://127.0.0.1:8765"
SESSION: Final = "abilities-admin-8765-session"
OWN: Final = {"origin": URL, "sec-fetch-site": "same-origin"}
NOON: Final = 1_900_000_000.0


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


@dataclass
class HtmlForm:
    """One form of a page."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)


class Reader(HTMLParser):
    """Reads the forms, the elements and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: Final[list[HtmlForm]] = []
        self.tags: Final[list[tuple[str, dict[str, str | None]]]] = []
        self.words: Final[list[str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag == "form":
            self.forms.append(HtmlForm(found["action"] or ""))
        elif tag == "input" and self.forms and found.get("type") == "hidden":
            self.forms[-1].fields[found["name"] or ""] = found["value"] or ""

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def form_of(html: str, action: str) -> dict[str, str]:
    """Give the hidden fields of the form that is sent to a path."""
    [found] = [form for form in Reader(html).forms if form.action == action]
    return found.fields


def text_of(html: str) -> str:
    """Give what is read on a page."""
    return Reader(html).text


class Browser:
    """Sends what a browser sends."""

    def __init__(
        self, app: HttpApp, url: str = URL, address: str = "127.0.0.1"
    ) -> None:
        transport = httpx2.ASGITransport(app=app, client=(address, 5_000))
        self.http: Final = httpx2.AsyncClient(transport=transport, base_url=url)

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        return await self.http.get(path, headers=headers)

    async def post(
        self,
        path: str,
        fields: Mapping[str, str],
        headers: Mapping[str, str] = OWN,
    ) -> httpx2.Response:
        return await self.http.post(path, data=dict(fields), headers=dict(headers))

    async def submit(self, page: str, action: str, /, **fields: str) -> httpx2.Response:
        """Open a page, fill in one of its forms, and send it."""
        shown = await self.get(page)
        return await self.post(action, {**form_of(shown.text, action), **fields})

    async def sign_in(self, name: str = "ana", secret: str = "") -> httpx2.Response:
        given = {"name": name, "secret": secret or SECRETS[name]}
        return await self.submit("/admin/login", "/admin/login", **given)

    def plant(self, id_: str) -> None:
        """Have a session id that somebody chose."""
        self.http.cookies.set(SESSION, id_, domain="127.0.0.1", path="/admin")

    @property
    def session(self) -> str:
        return str(self.http.cookies.get(SESSION, ""))


@dataclass
class AdminWorld:
    """A host that is served, with its pages."""

    app: HttpApp
    host: Host
    clock: Clock
    accounts: Accounts
    config: Path

    @property
    def memory(self) -> ProjectMemory:
        return self.host.services.find(ProjectMemory)

    async def propose(self, text: str, **parts: Any) -> Guidance:
        given: dict[str, Any] = {
            "type": "fact",
            "topic": "shop",
            "rationale": "Asked for.",
            **parts,
        }
        return await self.memory.propose(
            Proposal(text=text, **given), by="agent", source="agent_proposal"
        )

    def browser(self) -> Browser:
        return Browser(self.app)

    async def signed_in(self, name: str = "ana") -> Browser:
        browser = self.browser()
        reply = await browser.sign_in(name)
        assert reply.status_code == 303, reply.text
        return browser


@asynccontextmanager
async def admin_world(
    folder: Path,
    *names: str,
    pages: Sequence[Page] = PAGES,
    port: int = 0,
    blocked: tuple[str, ...] = BLOCKED,
    prepare: Callable[[Path], None] = lambda _: None,
    is_logged: bool = False,
) -> AsyncIterator[AdminWorld]:
    """Serve a host with project memory, and accounts of these names.

    `blocked` names what is not loaded of the packs that are installed. Where the
    memory is not one of them its abilities are there too. `prepare` is given the file
    of the configuration before the host starts. `is_logged` says whether what is asked
    of the servers is kept.
    """
    config = await asyncio.to_thread(make_memory, folder, *names, blocked=blocked)
    if "memory" not in blocked:
        await anyio.Path(config.parent / "plugins" / "remembering.py").unlink()
    await asyncio.to_thread(prepare, config)
    loaded, clock = await asyncio.to_thread(load, config), Clock()
    async with AsyncExitStack() as stack:
        host = await stack.enter_async_context(open_host(loaded))
        requests = None
        if is_logged:
            log_of = open_request_log(loaded)
            requests = await stack.enter_async_context(log_of)
        anchor = loaded.anchor_path
        accounts = Accounts(
            host.store,
            cost=Cost(memory=8, passes=1, lanes=1),
            clock=clock,
            keys=keys_beside(anchor) if anchor else None,
        )
        admin = AdminApp(host, accounts, pages=pages, clock=clock, steady=clock)
        annex = Annex(admin, "/admin", port)
        app = serve_host(host, URL, token=TOKEN, requests=requests, annex=annex)
        await stack.enter_async_context(app.running())
        yield AdminWorld(app, host, clock, accounts, config)
