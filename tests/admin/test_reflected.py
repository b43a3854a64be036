"""What an address or a form says comes back as text, and leads nowhere else."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote, urljoin, urlsplit

import httpx2
import pytest
from admin.admin_world import (
    URL,
    AdminWorld,
    Browser,
    Reader,
    admin_world,
    form_of,
)
from admin.hostile_pages import faults_of
from admin.hostile_world import LONG, hostile, of_file
from admin.test_ledger_page import write
from admin.test_log_page import live_scope
from admin.test_sessions_page import save
from admin.test_waiting_page import noted
from cli.memory_world import SECRETS
from starlette.types import Message

from abilities_host.admin import Content, Page, Visit
from abilities_host.admin.formtoken import form_token
from abilities_host.admin.page import Render
from abilities_host.admin.pages import PAGES

LIVE: Final = "/log/live"
EVIL: Final = hostile("asked")
DIGITS: Final = "9" * 5_000
VALUES: Final = (
    *(
        EVIL,
        "\0",
        LONG[:3_000],
        DIGITS,
        "-1",
        "0",
        "1",
        str(2**63),
        "1e999",
        "\u0663",
        "%",
    ),
    *("//evil.example", "\\", "*" * 300, "{x}", "' OR 1=1 --", "[]", "null", "yes"),
    *("2026-13-45", "0001-01-01T00:00+23:59", "9999-12-31T23:59-23:59"),
    *("999999999d", "30", "files:*", "gm-001", "default", "files/*", "shop"),
)
ALONE: Final = (EVIL, DIGITS)
ODD: Final = (
    "{0}",
    "{0}=%ff%fe%ed%a0%80",
    "{0}=a&{0}=b",
    "{0}[]=a",
    "={0}",
    "&&;{0}=%",
)
SHOWN: Final[Mapping[str, str]] = {
    "/guidance/{id}": "/guidance/gm-001",
    "/guidance/{id}/edit": "/guidance/gm-001/edit",
    "/sessions/{id}": "/sessions/ss-0001",
    "/ledger/{seq:int}/state/{side}": "/ledger/1/state/before",
    "/tools/{namespace}/{name}": "/tools/files/read",
    "/tools/{namespace}/{name}/try": "/tools/files/read/try",
}
BASE: Final = {"/waiting/entry": "kind=note&id=n:1&"}
LOOKED: Final = {
    "/review": {"id"},
    "/waiting/entry": {"id", "kind", "part"},
    "/guidance": {"after", "q", "stale", "status", "topic", "type"},
    "/sessions/{id}": {"after"},
    "/ledger": {"action", "before", "domain", "session", "since", "target", "until"},
    "/log/live": {"after", "client", "since"},
    "/tools": {"category", "pack", "page", "pattern", "q", "state"},
    "/access": {"server", "told"},
}
"""Some of what is looked for, so that what is noted is known to be all of it."""

PATHS: Final = (EVIL, "\0", LONG, DIGITS, "%", "\\", "\r\nset-cookie: a=b", "?x#y")
WISHES: Final = (
    *("https://evil.example", "//evil.example", "///evil.example", "/\\evil.example"),
    *("\\\\evil.example", "/\t/evil.example", "\t//evil.example", " //evil.example"),
    *("https:evil.example", "javascript:zqx(1)", "data:text/html,zqx", "evil.example"),
    *("/%2f%2fevil.example", "/admin/%2f%2fevil.example", "/admin/%5cevil.example"),
    *("/admin@evil.example", "/admin.evil.example", "/admin/..//evil.example"),
    *("/admin/.%2e/mcp", "/admin/..;/mcp", "/admin/../mcp", "/admin/..", "/mcp"),
    *("/admin\n", "/admin/\r\nlocation: //evil.example", "/admin?a=//evil.example"),
    *("/admin/\u2215\u2215evil.example", "/admin\0", EVIL, LONG, f"/admin/{LONG}"),
)


class Asked(Mapping[str, str]):
    """The query of an address, which notes what a page looks for in it."""

    def __init__(self, query: Mapping[str, str], names: set[str]) -> None:
        self._query = query
        self._names = names

    def __getitem__(self, name: str) -> str:
        self._names.add(name)
        return self._query[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._query)

    def __len__(self) -> int:
        return len(self._query)


def noting(page: Page, names: set[str]) -> Page:
    """Give the same page, which notes what it looks for in its address."""

    async def show(visit: Visit) -> Content | Any:
        return await render(replace(visit, query=Asked(visit.query, names)))

    render: Render = page.render
    return replace(page, render=show)


async def begun(world: AdminWorld, browser: Browser, query: str) -> httpx2.Response:
    """Ask for the answer that goes on, and give how it begins."""
    started, sent = asyncio.Event(), list[Message]()

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)
        if message.get("body"):
            started.set()

    scope = live_scope(browser, query)
    running = asyncio.create_task(world.app(scope, receive, send))
    waiting = asyncio.create_task(started.wait())
    async with asyncio.timeout(20):
        await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
    running.cancel()
    waiting.cancel()
    await asyncio.gather(running, waiting, return_exceptions=True)
    return httpx2.Response(
        sent[0]["status"],
        headers=sent[0]["headers"],
        content=sent[1]["body"],
        request=httpx2.Request("GET", URL),
    )


def queries_of(names: Sequence[str]) -> Iterator[str]:
    """Give what is asked of a page that looks for these names."""
    for value in VALUES if names else ():
        yield "&".join(f"{name}={quote(value)}" for name in names)
    for name in names:
        yield from (f"{name}={quote(value)}" for value in ALONE)
        yield from (odd.format(name) for odd in ODD[:2])
    yield from (odd.format(names[0] if names else "x") for odd in ODD)


async def test_whatever_an_address_asks_is_answered_within_limits(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    looked: dict[str, set[str]] = {page.path: set() for page in PAGES}
    pages = [noting(page, looked[page.path]) for page in PAGES]
    wrong: list[tuple[str, Any]] = []
    blocked = ("core", "database", "dispatcher")
    async with admin_world(
        tmp_path, "ana", pages=pages, blocked=blocked, prepare=noted
    ) as world:
        await world.propose("A fact.")
        seq = await write(world, "new")
        await save(world, "I wrote it.")
        browser = await world.signed_in()
        caplog.clear()
        for page in PAGES:
            path = SHOWN.get(page.path, page.path).replace("{seq:int}", str(seq))
            async for query, reply in _asked(world, browser, path, looked[page.path]):
                said = (reply.status_code, len(reply.content))
                if said[0] not in {200, 303, 400, 404} or said[1] > 100_000:
                    wrong.append((f"{path}?{query}"[:200], said))
                wrong += [(f"{path}?{query}"[:200], f) for f in faults_of(reply)]
    assert wrong == []
    assert [each.getMessage() for each in caplog.records if each.levelno > 20] == []
    assert {path: looked[path] & names for path, names in LOOKED.items()} == LOOKED


async def _asked(
    world: AdminWorld, browser: Browser, path: str, names: set[str]
) -> AsyncIterator[tuple[str, httpx2.Response]]:
    base, known = BASE.get(path, ""), set[str]()
    yield base, await _given(world, browser, path, base)
    while known != names:  # one name may be looked for because of another
        known = set(names)
        for value in ("1", "files:*"):
            query = base + "&".join(f"{name}={value}" for name in sorted(known))
            yield query, await _given(world, browser, path, query)
    for query in queries_of(sorted(known)):
        yield query, await _given(world, browser, path, base + query)


async def _given(
    world: AdminWorld, browser: Browser, path: str, query: str
) -> httpx2.Response:
    if path == LIVE:
        return await begun(world, browser, query)
    return await browser.get(f"/admin{path}?{query}")


async def test_no_part_of_a_path_becomes_markup(tmp_path: Path) -> None:
    wrong: list[tuple[str, Any]] = []
    places = [re.split("{[^}]*}", page.path) for page in PAGES if "{" in page.path]
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        addresses = [
            f"/admin{quote(part, safe='').join(place)}"
            for place in (*places, ("/", ""), ("/static/", ""), ("/packs/", "/x"))
            for part in PATHS
        ]
        for address in addresses:
            for visitor in (browser, world.browser()):
                reply = await visitor.get(address)
                if reply.status_code not in {303, 404}:
                    wrong.append((address[:80], reply.status_code))
                wrong += [(address[:80], fault) for fault in faults_of(reply)]
    assert wrong == []


async def test_a_path_that_was_made_up_is_confirmed_as_text(tmp_path: Path) -> None:
    id_ = of_file("path")
    path = f"/admin/guidance/{id_}/withdraw"
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        fields = {"token": form_token(browser.session, path), "id": EVIL, EVIL: EVIL}
        sent = f"/admin/guidance/{quote(id_, safe='')}/withdraw"
        asked = await browser.post(sent, fields)
        form = Reader(asked.text).forms[-1]
        given = {**form.fields, "secret": SECRETS["ana"]}
        done = await browser.post(form.action, given)
    assert (asked.status_code, faults_of(asked)) == (200, [])
    assert (unquote(form.action), form.fields[EVIL]) == (path, EVIL)
    assert (done.status_code, faults_of(done)) == (303, [])


async def test_nobody_is_sent_anywhere_else(tmp_path: Path) -> None:
    wrong: list[tuple[str, Any]] = []
    async with admin_world(tmp_path, "ana", "ben", prepare=noted) as world:
        browser = await world.signed_in()
        for wish in WISHES:
            said = (f"{word}{WISHES.index(wish)}" for word in ("one", "two", "three"))
            kept = await world.propose(" ".join(said))
            stranger = world.browser()
            shown = await stranger.http.get("/admin/login", params={"next": wish})
            fields = form_of(shown.text, "/admin/login")
            world.clock.now += 60
            given = {**fields, "next": wish, "name": "ben", "secret": SECRETS["ben"]}
            replies = [
                await browser.http.get("/admin/login", params={"next": wish}),
                await stranger.post("/admin/login", given),
                await browser.submit(
                    f"/admin/review?id={kept.id}", "/admin/review/reject", next=wish
                ),
            ]
            where = [fields["next"], *(each.headers["location"] for each in replies)]
            wrong += [(wish, to) for to in where if not is_ours(to)]
            faults = [f for each in (shown, *replies) for f in faults_of(each)]
            wrong += [(wish, fault) for fault in faults]
        entry = "/admin/waiting/entry"
        given = {"following": "//evil.example/\r\n"}
        page = f"{entry}?kind=note&id=n:1"
        last = await browser.submit(page, f"{entry}/reject", **given)
    assert wrong == []
    assert is_ours(last.headers["location"])


def is_ours(address: str) -> bool:
    """Answer whether a browser that is sent there stays below the pages."""
    whole = urlsplit(urljoin(f"{URL}/admin/login", address))
    is_here = f"{whole.scheme}://{whole.netloc}" == URL
    below = whole.path == "/admin" or whole.path.startswith("/admin/")
    return is_here and below and address.isprintable() and "\\" not in address
