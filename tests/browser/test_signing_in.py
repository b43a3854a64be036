"""Whoever tries secrets waits, and a session ends by itself; told in a browser."""

from pathlib import Path

from browser.visitor import visiting
from browser.world import at_port
from playwright.async_api import Browser

IDLE = 31 * 60


async def test_who_tries_secrets_waits_and_the_person_is_told(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        at_port(tmp_path, "ana") as (base, world),
        visiting(browser, base) as visitor,
    ):
        visitor.expect(*["403 POST /admin/login"] * 3)
        said = []
        for name, secret in (
            ("nobody", "four words of none"),
            ("ana", "four wrong words"),
            ("ana", "four words of ana"),
        ):
            await visitor.sign_in(name, secret)
            said.append(await visitor.told())
        world.clock.now += 61
        await visitor.sign_in("ana")
        told = await visitor.told()
    wrong = "No account has this name and this secret. "
    wait = "Wait one minute before the next try."
    assert said == [wrong + wait, wrong + wait, wait]
    assert told == (
        "One try for your account failed since the last time. If that was not you, "
        "change your secret: abilities admin secret ana"
    )


async def test_a_session_that_is_not_used_ends_and_changes_nothing(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        at_port(tmp_path, "ana") as (base, world),
        visiting(browser, base) as ana,
    ):
        await world.propose("Prices have no tax in them.")
        await ana.sign_in()
        await ana.open("/admin/review")
        world.clock.now += IDLE
        await ana.press("Reject")
        ended = await ana.told()
        after = (await world.memory.counts())["pending"]
        await ana.sign_in()
        await ana.press("Reject")
        told = await ana.told()
        rejected = (await world.memory.counts())["rejected"]
    assert ended == "Your session has ended. Nothing was changed."
    assert (after, told, rejected) == (1, "gm-001 is rejected.", 1)


async def test_a_secret_that_was_shown_is_asked_for_again_after_five_minutes(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        at_port(tmp_path, "ana") as (base, world),
        visiting(browser, base) as ana,
    ):
        for text in ("One.", "Two.", "Three."):
            await world.propose(text)
        await ana.sign_in()
        await ana.open("/admin/review")
        await ana.press("Approve")
        await ana.confirm()
        first = await ana.told()
        await ana.press("Approve")
        second = await ana.told()
        world.clock.now += 301
        await ana.press("Approve")
        asked = await ana.text("h1")
        await ana.follow("Do not, and go back")
        counts = await world.memory.counts()
    assert (first, second) == ("gm-001 is approved.", "gm-002 is approved.")
    assert asked == "Confirm: gm-003"
    assert (counts["approved"], counts["pending"]) == (2, 1)
    assert ana.path == "/admin/review"
