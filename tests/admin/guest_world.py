"""A host whose packs add pages, with people and a record."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from admin.admin_world import URL, Browser, Clock
from cli.memory_world import SECRETS
from server.http_world import TOKEN
from server.world import pack, running

from abilities_host.accounts import Accounts, Cost, Role
from abilities_host.admin import AdminApp
from abilities_host.admin.formtoken import form_token
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.ledger import Ledger
from abilities_host.pages import Content, Form, Page, Visit
from abilities_host.server.annex import Annex
from abilities_host.server.http import HttpApp, serve_host
from abilities_host.testing import installed_pack

HERE: Final = "/admin/packs/notes"
PLAIN: Final = "<p>{{ text }}</p>"


@dataclass
class GuestWorld:
    """A host that is served, with the pages of its packs."""

    app: HttpApp
    host: Host

    def browser(self) -> Browser:
        return Browser(self.app)

    async def signed_in(self, name: str = "ana") -> Browser:
        browser = self.browser()
        reply = await browser.sign_in(name)
        assert reply.status_code == 303, reply.text
        return browser

    async def record(self) -> list[Mapping[str, Any]]:
        ledger: Ledger = self.host.services.find(Ledger)
        return [e async for e in ledger.export() if e["kind"] == "setting"]


@dataclass
class Seen:
    """What the functions of a pack were given."""

    visits: list[Visit] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)


def a_page(
    render: Callable[[Visit], Any] | None = None,
    path: str = "/packs/notes",
    template: str = PLAIN,
    **more: Any,
) -> Page:
    """Make a page of the pack ``notes``; by default it shows a text."""

    async def show(visit: Visit) -> Content:
        return Content("page.html", {"text": "Hello"})

    given: dict[str, Any] = {
        "title": "Notes of all",
        "templates": {"page.html": template},
        **more,
    }
    return Page(path=path, render=render or show, **given)


def adding(
    *pages: Any, name: str = "notes", abilities: tuple[Any, ...] = (), **hooks: Any
) -> Pack:
    """Make a pack that adds these pages."""

    def admin_pages() -> list[Any]:
        return list(pages)

    return pack(*abilities, name=name, admin_pages=admin_pages, **hooks)


def tokened(
    browser: Browser, path: str, seen: str = "", **fields: str
) -> dict[str, str]:
    """Give the fields of a form with its token."""
    said = {"seen": seen} if seen else {}
    return {"token": form_token(browser.session, path, seen), **said, **fields}


@asynccontextmanager
async def guest_world(
    folder: Path, *packs: Pack, config: str = ""
) -> AsyncIterator[GuestWorld]:
    """Serve a host with a ledger and these packs; ana is an operator, ben is not."""
    ledger = await asyncio.to_thread(lambda: installed_pack("ledger"))
    clock = Clock()
    async with running(folder, ledger, *packs, config=config) as host:
        cost = Cost(memory=8, passes=1, lanes=1)
        accounts = Accounts(host.store, cost=cost, clock=clock)
        await accounts.migrate()
        await accounts.add("ana", SECRETS["ana"], by=None)
        by = await accounts.verify("ana", SECRETS["ana"])
        await accounts.add("ben", SECRETS["ben"], by=by, role=Role.REVIEWER)
        admin = AdminApp(host, accounts, clock=clock, steady=clock)
        app = serve_host(host, URL, token=TOKEN, annex=Annex(admin, "/admin"))
        async with app.running():
            yield GuestWorld(app, host)
