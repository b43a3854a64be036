"""Two people who decide at once: the second is told that the first was faster."""

from pathlib import Path

from browser.visitor import visiting
from browser.world import at_port
from playwright.async_api import Browser


async def test_the_second_of_two_reviewers_is_told_that_the_first_was_faster(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        at_port(tmp_path, "ana", "ben") as (base, world),
        visiting(browser, base) as ana,
        visiting(browser, base) as ben,
    ):
        await world.propose("Prices have no tax in them.")
        for visitor, name in ((ana, "ana"), (ben, "ben")):
            await visitor.sign_in(name)
            await visitor.open("/admin/review")
        await ana.press("Approve")
        await ben.press("Approve")
        await ana.confirm("ana")
        first = await ana.told()
        await ben.confirm("ben")
        second = await ben.told()
        kept = await world.memory.get("gm-001")
    assert first == "gm-001 is approved."
    assert second == (
        "Somebody was faster: gm-001 is approved already by ana. Nothing was done."
    )
    assert (kept.status, kept.reviewed_by) == ("approved", "ana")


async def test_what_another_has_rejected_is_not_approved(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        at_port(tmp_path, "ana", "ben") as (base, world),
        visiting(browser, base) as ana,
        visiting(browser, base) as ben,
    ):
        await world.propose("Prices have no tax in them.")
        await world.propose("Names are in English.")
        for visitor, name in ((ana, "ana"), (ben, "ben")):
            await visitor.sign_in(name)
            await visitor.open("/admin/review/list")
        await ana.page.get_by_label("gm-001").check()
        await ana.press("Reject")
        for box in await ben.page.get_by_role("checkbox").all():
            await box.check()
        await ben.press("Reject")
        told = [await ana.told(), await ben.told()]
        counts = await world.memory.counts()
    left = "Changed or decided by somebody else meanwhile, so left as they are: 1."
    assert told == ["Rejected: 1.", f"Rejected: 1. {left}"]
    assert (counts["rejected"], counts["pending"]) == (2, 0)
