"""Whoever has no script in the browser can do all of it as well."""

from pathlib import Path

from browser.visitor import visiting
from browser.world import at_port
from playwright.async_api import Browser

from abilities_host import Actor

AGENT = Actor("agent", "agent", frozenset({"*", "*:*"}))


async def test_without_a_script_a_person_decides_filters_and_switches(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        at_port(tmp_path, "ana") as (base, world),
        visiting(browser, base, has_script=False) as ana,
    ):
        for text in ("One.", "Two.", "Three."):
            await world.propose(text)
        for path in ("a.txt", "b.txt"):
            given = {"path": path, "text": "x"}
            await world.host.execute("files/write", given, actor=AGENT)
        await ana.sign_in()
        await ana.open("/admin/review")
        await ana.press("Approve")
        await ana.confirm()
        told = [await ana.told()]
        await ana.press("Reject")
        told.append(await ana.told())

        await ana.open("/admin/ledger")
        await ana.fill("Target", "files:b.txt")
        await ana.press("Show")
        rows = await ana.page.locator("table.rows tbody tr").all_inner_texts()

        await ana.open("/admin/tools/files/read")
        await ana.press("Switch off")
        told.append(await ana.told())
        await ana.press("Sign out")
        told.append(await ana.told())
        counts = await world.memory.counts()
    assert told == [
        "gm-001 is approved.",
        "gm-002 is rejected.",
        "files/read is off now.",
        "You are signed out.",
    ]
    assert [row.split("\t")[4] for row in rows] == ["files:b.txt"]
    assert (counts["approved"], counts["rejected"], counts["pending"]) == (1, 1, 1)
