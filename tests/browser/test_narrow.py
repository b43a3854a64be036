"""Every page fits on the screen of a telephone, and leads to every other."""

from pathlib import Path

from browser.visitor import Visitor, picture, visiting
from browser.world import at_port
from cli.memory_world import RULE
from playwright.async_api import Browser

from abilities_host import Actor

SIZE = (360, 740)
SOME_BYTES = 10_000
AGENT = Actor("agent", "agent", frozenset({"*", "*:*"}))
LONG = "an_extremely_long_name_without_any_space_" * 4
OTHERS = (
    "/admin/guidance/gm-001",
    "/admin/guidance/gm-001/edit",
    "/admin/guidance/topics",
    "/admin/ledger/1",
    "/admin/review/list",
    "/admin/tools/files/read",
)


async def beyond(visitor: Visitor) -> int:
    """Give how many pixels of a page are beyond the right edge of the window."""
    found = await visitor.page.evaluate(
        "document.scrollingElement.scrollWidth - window.innerWidth"
    )
    return int(found)


async def test_no_page_is_wider_than_the_screen_of_a_telephone(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        at_port(tmp_path, "ana") as (base, world),
        visiting(browser, base, size=SIZE, scheme="dark") as ana,
    ):
        await world.propose(f"Never write {LONG}.", type="guardrail", rule=RULE)
        given = {"path": f"{LONG}.txt", "text": LONG}
        await world.host.execute("files/write", given, actor=AGENT)
        await ana.open("/admin/login")
        wide = {"/admin/login": await beyond(ana)}
        await ana.sign_in()
        links = ana.page.get_by_role("navigation", name="Pages").get_by_role("link")
        names = [name.rstrip(" 0123456789") for name in await links.all_inner_texts()]
        reached = []
        for number, _ in enumerate(names):
            await ana.go(links.nth(number))
            current = await ana.page.locator("nav.pages [aria-current]").inner_text()
            reached.append(current.rstrip(" 0123456789"))
            wide[ana.path] = await beyond(ana)
        for path in OTHERS:
            await ana.open(path)
            wide[path] = await beyond(ana)
        await ana.open("/admin/review")
        kept = await picture(ana.page, "narrow-review")
    assert kept.name == "narrow-review-dark.png"
    assert kept.stat().st_size > SOME_BYTES
    assert reached == names
    assert len(names) > 5
    assert {path: pixels for path, pixels in wide.items() if pixels > 0} == {}
