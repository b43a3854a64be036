"""The log: what a person sees of requests, as they were and as they come."""

import asyncio
import json
import re
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import anyio
from admin.admin_world import SESSION, AdminWorld, Browser, admin_world, text_of
from admin.test_bare import bare
from requestlog.log_world import NOW, file_of, record
from server.http_world import TOKEN

from abilities_host.requestlog.record import Record

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
