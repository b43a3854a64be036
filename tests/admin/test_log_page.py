"""The log: what a person sees of requests, as they were and as they come."""

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from admin.admin_world import (
    SESSION,
    AdminWorld,
    Browser,
    admin_world,
    form_of,
    text_of,
)
from admin.test_bare import bare
from cli.memory_world import SECRETS
from requestlog.log_world import NOW, file_of, record
from server.http_world import TOKEN

from abilities_host.accounts import Role
from abilities_host.admin.sessions import IDLE_SECONDS, Session, Sessions
from abilities_host.admin.streams import IN_ALL, LOOK_SECONDS, PER_SESSION, Streams
from abilities_host.admin.texts import Texts
from abilities_host.requestlog.record import Record
from abilities_host.storage.sqlite import open_sqlite

LOG = "/admin/log"
EVIL = "<script>alert(1)</script>"


async def logged(world: AdminWorld, *records: Record) -> None:
    """Log requests as a host that serves does."""
    folder = world.host.loaded.requests_path.parent

    def append() -> None:
        file = file_of(folder)
        file.append(records)
        file.close()

    await asyncio.to_thread(append)


def numbers(html: str) -> list[int]:
    """Give the numbers of the rows that are shown."""
    return [int(each) for each in re.findall(r"<tr[^>]*><td>(\d+)</td>", html)]


class Stream:
    """An answer that is read while it comes."""

    def __init__(self) -> None:
        self.text = ""
        self.more = asyncio.Event()

    async def receive(self) -> MutableMapping[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(self, message: MutableMapping[str, Any]) -> None:
        self.text += message.get("body", b"").decode()
        self.more.set()

    async def until(self, said: str) -> None:
        while said not in self.text:
            self.more.clear()
            with anyio.fail_after(20):
                await self.more.wait()


def live_scope(browser: Browser, query: str) -> dict[str, Any]:
    cookie = f"{SESSION}={browser.session}"
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": f"{LOG}/live",
        "raw_path": f"{LOG}/live".encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1:8765"), (b"cookie", cookie.encode())],
        "client": ("127.0.0.1", 5000),
        "server": ("127.0.0.1", 8765),
    }


async def test_an_empty_log_says_so(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        page = await browser.get(LOG)
    assert page.status_code == 200
    assert "No request was logged yet." in text_of(page.text)
    assert "<svg" not in page.text


async def test_requests_are_shown_with_pictures_and_sums(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await logged(
            world,
            record(),
            record(ability="files/write", micros=80_000),
            record(ability="files/write", status="failed", code="boom", micros=9_000),
        )
        browser = await world.signed_in()
        html = (await browser.get(LOG)).text
    said = text_of(html)
    assert numbers(html) == [3, 2, 1]
    for part in (
        "default tools/call files/write (call-tool) ci Client failed boom 9.0",
        "Requests per minute, newest 3 that fit",
        "How long they took, newest 3 that fit",
        "50 % took 9.0 ms or less",
        "Slowest Ability or method Requests p50 ms p95 ms files/write 2 9.0 79.9",
        "Failing most Ability or method Requests Errors files/write 2 1 (50 %)",
    ):
        assert part in said, part
    assert html.count("<svg") == 2
    assert 'class="wrong"' in html
    assert 'data-live="/admin/log/live?after=3"' in html
    assert "style=" not in html


async def test_filters_are_those_of_the_command(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await logged(
            world,
            record(),
            record(
                ability="files/write",
                status="failed",
                code="boom",
                actor="ben",
                client="Other",
                server="second",
                method="tools/list",
                at=NOW + 60_000_000,
            ),
        )
        browser = await world.signed_in()
        found = {
            query: numbers((await browser.get(f"{LOG}?{query}")).text)
            for query in (
                "ability=files/wr*",
                "status=failed&code=boom",
                "actor=ben&client=Other",
                "server=second&method=tools/list",
                "since=2026-05-28T20:27",
            )
        }
        none = await browser.get(f"{LOG}?actor=nobody")
        bad = await browser.get(f"{LOG}?since=soon")
    assert found == {query: [2] for query in found}
    assert "No request fits." in text_of(none.text)
    assert bad.status_code == 400
    assert "since is not understood." in text_of(bad.text)


async def test_the_log_goes_on_page_by_page(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await logged(world, *(record(at=NOW + n) for n in range(60)))
        browser = await world.signed_in()
        first = (await browser.get(f"{LOG}?actor=ci")).text
        [more] = re.findall(r'rel="next" href="([^"]+)"', first)
        second = (await browser.get(more.replace("&amp;", "&"))).text
    assert numbers(first) + numbers(second) == list(range(60, 0, -1))
    assert "data-live" not in second
    assert 'rel="next"' not in second
    assert len(first) < 100_000


async def test_what_clients_say_is_text_and_no_script(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        evil = {"client": EVIL, "ability": EVIL, "method": EVIL, "actor": EVIL}
        await logged(world, record(**evil, code=EVIL, status="error"))
        browser = await world.signed_in()
        html = (await browser.get(LOG)).text
        asked = (await browser.get(f'{LOG}?client="><script>alert(1)</script>')).text
    assert "&lt;script&gt;" in html
    assert EVIL not in html
    assert EVIL not in asked


async def test_new_requests_come_by_themselves(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await logged(world, record())
        browser, stream = await world.signed_in(), Stream()
        scope = live_scope(browser, "after=1&actor=ci")
        running = asyncio.create_task(world.app(scope, stream.receive, stream.send))
        await stream.until(": here")
        await logged(world, record(actor="other"), record(client=EVIL, status="error"))
        await stream.until("data: [")
        world.host.is_stopping = True
        with anyio.fail_after(20):
            await running
    [line] = re.findall(r"data: (\[.*\])", stream.text)
    cells = json.loads(line)
    assert (cells[0], cells[6], cells[9]) == ("3", EVIL, "bad")
    assert stream.text.endswith("event: end\ndata: end\n\n")


# --- a served host: places, and when they are free --------------------------------


@asynccontextmanager
async def at_port(world: AdminWorld) -> AsyncIterator[str]:
    """Serve the pages at a real port; give where."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(world.app, lifespan="off", ws="none", log_config=None)
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            world.host.is_stopping = True
            server.should_exit = True
            await running


@asynccontextmanager
async def person(base: str) -> AsyncIterator[httpx2.AsyncClient]:
    """Give who has signed in as ana, over connections."""
    async with httpx2.AsyncClient(base_url=base, timeout=20) as http:
        given = {"name": "ana", "secret": SECRETS["ana"]}
        assert await submit(http, "/admin/login", "/admin/login", **given) == 303
        yield http


async def submit(
    http: httpx2.AsyncClient, page: str, action: str, **fields: str
) -> int:
    """Fill in a form and send it; give how that was answered."""
    shown = await http.get(page)
    own = {"origin": str(http.base_url).rstrip("/"), "sec-fetch-site": "same-origin"}
    given = {**form_of(shown.text, action), **fields}
    return (await http.post(action, data=given, headers=own)).status_code


class Live:
    """Streams that a person has opened, each read until it says that it goes on."""

    def __init__(self, http: httpx2.AsyncClient, places: AsyncExitStack) -> None:
        self.http = http
        self.places = places
        self.kept: list[AsyncIterator[str]] = []  # else they end

    async def going(self) -> AsyncIterator[str]:
        opening = self.http.stream("GET", f"{LOG}/live?after=0")
        reply = await self.places.enter_async_context(opening)
        texts = reply.aiter_text()
        self.kept.append(texts)
        assert (reply.status_code, await anext(texts)) == (200, ": here\n\n")
        return texts


@asynccontextmanager
async def looking(http: httpx2.AsyncClient) -> AsyncIterator[Live]:
    async with AsyncExitStack() as places:
        live = Live(http, places)
        yield live


async def rest_of(texts: AsyncIterator[str]) -> str:
    """Read to the end of a stream, which must come."""
    with anyio.fail_after(20):
        return "".join([text async for text in texts])


async def until_there_is_a_place(http: httpx2.AsyncClient) -> None:
    with anyio.fail_after(20):
        while True:
            async with http.stream("GET", f"{LOG}/live") as reply:
                if reply.status_code == 200:
                    return
            await asyncio.sleep(0.02)


async def test_a_session_has_a_few_places_and_the_page_works_beyond(
    tmp_path: Path,
) -> None:
    async with (
        admin_world(tmp_path, "ana") as world,
        at_port(world) as base,
        person(base) as http,
        person(base) as other,
    ):
        async with looking(http) as live, looking(other) as elsewhere:
            for _ in range(PER_SESSION):
                await live.going()
            refused = await http.get(f"{LOG}/live")
            page = await http.get(LOG)
            await elsewhere.going()
        await until_there_is_a_place(http)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "15")
    assert "Close one, or load the page again" in refused.text
    assert refused.headers["content-type"] == "text/plain; charset=utf-8"
    assert page.status_code == 200


async def test_there_are_only_so_many_places_for_all(tmp_path: Path) -> None:
    async with (
        admin_world(tmp_path, "ana") as world,
        at_port(world) as base,
        AsyncExitStack() as people,
    ):
        sessions = [
            await people.enter_async_context(person(base))
            for _ in range(IN_ALL // PER_SESSION + 1)
        ]
        *full, last = sessions
        for http in full:
            live = await people.enter_async_context(looking(http))
            for _ in range(PER_SESSION):
                await live.going()
        refused = await last.get(f"{LOG}/live")
        page = await last.get(LOG)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "15")
    assert "Load the page again to see what is new." in refused.text
    assert page.status_code == 200


async def signs_out(world: AdminWorld, http: httpx2.AsyncClient) -> None:
    assert await submit(http, LOG, "/admin/logout") == 303


async def is_idle(world: AdminWorld, http: httpx2.AsyncClient) -> None:
    world.clock.now += IDLE_SECONDS


async def has_another_secret(world: AdminWorld, http: httpx2.AsyncClient) -> None:
    await world.accounts.change_secret("ana", SECRETS["ana"], "another secret")


async def is_switched_off(world: AdminWorld, http: httpx2.AsyncClient) -> None:
    ana = await world.accounts.verify("ana", SECRETS["ana"])
    await world.accounts.set_role("ben", Role.OPERATOR, by=ana)
    ben = await world.accounts.verify("ben", SECRETS["ben"])
    await world.accounts.disable("ana", by=ben)


@pytest.mark.parametrize(
    "end", [signs_out, is_idle, has_another_secret, is_switched_off]
)
async def test_a_stream_ends_with_the_session_and_says_nothing_more(
    tmp_path: Path,
    end: Callable[[AdminWorld, httpx2.AsyncClient], Awaitable[None]],
) -> None:
    async with (
        admin_world(tmp_path, "ana", "ben") as world,
        at_port(world) as base,
        person(base) as http,
        looking(http) as live,
    ):
        texts = await live.going()
        await end(world, http)
        await logged(world, record())
        said = await rest_of(texts)
    assert said == "event: end\ndata: end\n\n"


async def test_whether_a_session_lasts_is_known_within_a_second(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        sessions = Sessions(world.host.store, world.clock)
        browser, streams = await world.signed_in(), Streams(sessions)
        session = await sessions.find(browser.session)
        assert session is not None
        looks = [await streams.lasts(session, seconds) for seconds in (0, 0.01)]
        await sessions.end(session.digest)
        looks += [await streams.lasts(session, seconds) for seconds in (0, 3_600)]
    assert looks == [True, True, False, False]
    assert LOOK_SECONDS <= 1


async def test_looking_on_is_no_use_of_a_session(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        sessions = Sessions(world.host.store, world.clock)
        browser = await world.signed_in()
        [before] = await sessions.list()
        world.clock.now += IDLE_SECONDS - 1
        is_good = await sessions.is_good(before.digest)
        [after] = await sessions.list()
        world.clock.now += 1
        is_idle = await sessions.is_good(before.digest)
    assert browser.session
    assert (is_good, is_idle, after.seen_at) == (True, False, before.seen_at)


async def test_without_a_store_nobody_looks_on(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "store.db") as store:
        streams = Streams(Sessions(store))
    session = Session("digest", "ana", 0, 0, "", "")
    assert not await streams.lasts(session, 0)


async def test_a_browser_that_does_not_read_keeps_no_place(tmp_path: Path) -> None:
    async def events() -> AsyncIterator[str]:
        yield "data: [1]\n\n"

    async def hold(message: MutableMapping[str, Any]) -> None:
        await asyncio.Event().wait()

    async with open_sqlite(tmp_path / "store.db") as store:
        streams = Streams(Sessions(store), longest=0.01)
        session = Session("digest", "ana", 0, 0, "", "")
        for _ in range(PER_SESSION + 1):
            answer = streams.answer(session, events(), Texts())
            with anyio.fail_after(20):
                await answer({"type": "http"}, Stream().receive, hold)
        found = streams.take(session.digest)
    assert found == (200, "")


async def test_a_filter_that_is_none_gives_no_stream(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        page = await browser.get(f"{LOG}/live?since=soon")
    assert page.status_code == 400


async def test_a_log_that_is_damaged_is_told(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        path = anyio.Path(world.host.loaded.requests_path)
        await path.write_bytes(b"no database at all, but long enough" * 100)
        browser, stream = await world.signed_in(), Stream()
        page = await browser.get(LOG)
        await world.app(live_scope(browser, ""), stream.receive, stream.send)
    assert page.status_code == 503
    assert "Request log" in text_of(page.text)
    assert stream.text.endswith("event: end\ndata: end\n\n")


async def test_looking_writes_nothing(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await browser.get(LOG)
        is_there = await anyio.Path(world.host.loaded.requests_path).exists()
    assert not is_there


async def test_without_a_log_and_a_record_the_pages_say_so(tmp_path: Path) -> None:
    async with bare(tmp_path, "requests = { enabled = false }") as (app, _):
        browser = Browser(app)
        await browser.sign_in()
        log = text_of((await browser.get(LOG)).text)
        ledger = text_of((await browser.get("/admin/ledger")).text)
        entry = await browser.get("/admin/ledger/1")
        export = await browser.get("/admin/ledger/export")
    assert "[requests] enabled is false" in log
    assert "No healthy pack keeps a record here." in ledger
    assert (entry.status_code, export.status_code) == (404, 404)


async def test_nobody_but_a_person_gets_in(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = world.browser()
        token = {"authorization": f"Bearer {TOKEN}"}
        found = [
            (await browser.get(path, **headers)).status_code
            for path in (LOG, f"{LOG}/live")
            for headers in (token, {})
        ]
    assert found == [403, 303, 403, 303]
