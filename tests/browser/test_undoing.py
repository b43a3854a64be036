"""Undoing in a browser: what has changed since is refused, the newest is undone."""

from pathlib import Path

import pytest
from browser.visitor import visiting
from browser.world import call, serving
from playwright.async_api import Browser

pytestmark = pytest.mark.timeout(180)  # a server, a client and a browser


async def test_an_undo_is_refused_when_something_changed_in_between(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        serving(tmp_path, "ana") as served,
        served.client() as agent,
        visiting(browser, served.base) as ana,
    ):
        file = served.site.content / "a.txt"
        await call(agent, "files_write", path="a.txt", text="one\n")
        await call(agent, "files_write", path="a.txt", text="two\n")
        await ana.sign_in()
        await ana.open("/admin/ledger?ability=files/write")
        await ana.go(ana.page.get_by_role("table").get_by_role("link").first)
        entry = ana.path
        await ana.press("Preview the undo")
        preview = await ana.text()
        was = await ana.page.locator("pre.diff").inner_text()

        # The agent writes again while the person looks at the preview.
        await call(agent, "files_write", path="a.txt", text="three\n")
        ana.expect(f"409 POST {entry}/rollback")
        await ana.press("Undo")
        await ana.confirm()
        refused = await ana.text("main [role=alert]")
        drift = await ana.page.locator("pre.diff").inner_text()
        left = file.read_text()

        # What it names as newer is what can be undone.
        await ana.go(ana.page.locator("main p a[href^='/admin/ledger/']").last)
        newest = ana.path
        await ana.press("Preview the undo")
        await ana.press("Undo")
        told, undone = await ana.told(), file.read_text()
    assert "One target would be put back files:a.txt" in preview
    assert was.split() == ["@@", "-1,1", "+1,1", "@@", "-one", "+two"]
    assert refused.startswith("Changed since: files:a.txt. An undo would destroy that,")
    assert drift.split() == ["@@", "-1", "+1", "@@", "-two", "+three"]
    assert (left, told, undone) == ("three\n", "Put back: files:a.txt", "two\n")
    assert newest != entry
