"""Pages stay small and right, however much there is and whatever it is called."""

import re
import time
from pathlib import Path

from admin.admin_world import AdminWorld, Browser, admin_world, text_of

from abilities_host import Actor, run_in_thread
from abilities_host.admin.assets import Assets
from abilities_host.admin.pages import PAGES
from abilities_host.admin.pages.home import SHOWN as ALARMS_SHOWN
from abilities_host.admin.pages.ledger import SHOWN
from abilities_host.requestlog.file import Kept, RequestFile
from abilities_host.requestlog.record import Record
from abilities_host.storage.base import Statement

MOST = 100_000
AGENT = Actor("agent", "agent", frozenset({"*", "*:*"}))
LEDGER = "/admin/ledger"
HEAVY = "&" * 400  # what HTML makes five times as long
HEAVY_NAME = "&" * 120


async def _write(world: AdminWorld, path: str, actor: Actor = AGENT) -> None:
    given = {"path": path, "text": "".join(f"{n} {HEAVY[:70]}\n" for n in range(900))}
    done = await world.host.execute("files/write", given, actor=actor)
    assert done.status == "ok", done


def _log(path: Path) -> None:
    records = [
        Record(
            at=time.time_ns() // 1_000 - number,
            surface="http",
            server="default",
            method="tools/call",
            ability=f"files/{HEAVY_NAME}{number}",
            via=HEAVY_NAME,
            actor=HEAVY_NAME,
            client=HEAVY_NAME,
            status="error",
            code=HEAVY_NAME,
            micros=number,
            bytes_in=0,
            bytes_out=0,
            request="1",
            era="2026-07-28",
            repaired=0,
            session="",
            trace="",
            call="",
        )
        for number in range(60)
    ]
    file = RequestFile(path, lambda: Kept(days=9, entries=9_999))
    file.append(records)
    file.close()


async def _fill(world: AdminWorld) -> None:
    """More than a page has room for, each as long as it may be, and heavy."""
    for number in range(60):
        await world.propose(
            f"{number} {HEAVY}{HEAVY}"[:600],
            rationale=HEAVY[:400],
            recall=tuple(f"{number} {n} {'&' * 30}" for n in range(12)),
            topic=f"{number} {'&' * 30}",
        )
        await _write(world, f"{number} {HEAVY_NAME}.txt")
    await run_in_thread(lambda: _log(world.host.loaded.requests_path))


async def _weight(browser: Browser, address: str) -> int:
    """Give the bytes of a page with all that it has; it must be there."""
    assets = await run_in_thread(Assets)
    page = await browser.get(address)
    assert page.status_code == 200, address
    return len(page.content) + len(assets.style.content) + len(assets.script.content)


async def test_no_page_is_heavy(tmp_path: Path) -> None:
    listed = [f"/admin{page.path}" for page in PAGES if page.is_listed]
    more = [
        "/admin/review/list",
        "/admin/guidance/topics",
        "/admin/guidance/gm-060",
        "/admin/guidance/gm-060/edit",
        f"{LEDGER}?domain=files",
        "/admin/log?actor=%26*",
        "/admin/tools/files/write",
        "/admin/access?told=1",
    ]
    async with admin_world(tmp_path, "ana") as world:
        await _fill(world)
        browser = await world.signed_in()
        rows = (await browser.get(LEDGER)).text
        [last, *_] = re.findall(r'href="(/admin/ledger/\d+)"', rows)
        weights = {
            address: await _weight(browser, address)
            for address in (*listed, *more, last)
        }
    assert {each: weight for each, weight in weights.items() if weight >= MOST} == {}


async def test_home_shows_some_alarms_and_says_how_many_more(tmp_path: Path) -> None:
    count = ALARMS_SHOWN + 3
    forged = "UPDATE memory_guidance SET status = 'approved'"
    async with admin_world(tmp_path, "ana") as world:
        for number in range(count):
            await world.propose(f"Fact {number}.")
        await world.host.store.write([Statement(forged)], bump=True)
        browser = await world.signed_in()
        page = text_of((await browser.get("/admin")).text)
    assert page.count("says it is approved, and no person did") == ALARMS_SHOWN
    assert "3 more: abilities memory alarms" in page


async def test_pages_of_the_ledger_follow_each_other(tmp_path: Path) -> None:
    other = Actor("other", "agent", AGENT.scopes)
    async with admin_world(tmp_path, "ana") as world:
        for number in range(SHOWN + 1):
            await _write(world, f"{number}.txt", other)
            if number % 10 == 0:
                await _write(world, f"{number}.md")
        browser = await world.signed_in()
        walked = {
            start: await _walk(browser, start)
            for start in (LEDGER, f"{LEDGER}?actor=other&action=created")
        }
    every = [*walked[LEDGER]]
    some = walked[f"{LEDGER}?actor=other&action=created"]
    assert every == sorted(every, reverse=True)
    assert (len(every), len(set(every)), len(some)) == (57, 57, SHOWN + 1)
    assert set(some) < set(every)


async def _walk(browser: Browser, address: str) -> list[int]:
    found: list[int] = []
    while address:
        page = (await browser.get(address)).text
        found += map(int, re.findall(r'href="/admin/ledger/(\d+)"', page))
        more = re.findall(r'rel="next" href="([^"]+)"', page)
        address = more[0].replace("&amp;", "&") if more else ""
    return found


async def test_tools_are_found_by_their_state(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.host.toggles.set("files/read", False, by="ana")  # noqa: FBT003 - off
        await world.host.refresh()
        await world.host.execute("files/search", {"query": "x"}, actor=AGENT)
        browser = await world.signed_in()
        found = {
            query: re.findall(
                r'href="/admin/tools/(files/[^"]+)"',
                (await browser.get(f"/admin/tools?{query}")).text,
            )
            for query in ("state=off&q=files", "state=on&q=files%2Fre", "q=files%2Frea")
        }
    assert found["state=off&q=files"] == ["files/read"]
    assert "files/read" not in found["state=on&q=files%2Fre"]
    assert found["q=files%2Frea"] == ["files/read"]
