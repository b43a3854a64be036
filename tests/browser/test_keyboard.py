"""Whoever has only a keyboard reaches everything, sees where, and is quick."""

from pathlib import Path
from typing import Any

from browser.visitor import Visitor, visiting
from browser.world import at_port
from cli.memory_world import RULE
from playwright.async_api import Browser

from abilities_host import Actor

AGENT = Actor("agent", "agent", frozenset({"*", "*:*"}))
FOCUSED = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const style = getComputedStyle(at), box = at.getClientRects()[0];
  const middle = (from, to, most) => (Math.max(from, 0) + Math.min(to, most)) / 2;
  const top = document.elementFromPoint(
    middle(box.left, box.right, innerWidth), middle(box.top, box.bottom, innerHeight));
  return {
    index: [...document.querySelectorAll("*")].indexOf(at),
    name: at.innerText || at.id,
    seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
      && at.contains(top),
  };
}"""
REACHABLE = """() => [...document.querySelectorAll(
  "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']"
)].filter((each) => each.tabIndex >= 0 && each.checkVisibility()).length"""


async def tabbed(visitor: Visitor, count: int) -> list[Any]:
    """Press the key for the next element this often; give what had the focus."""
    found = []
    for _ in range(count):
        await visitor.page.keyboard.press("Tab")
        found.append(await visitor.page.evaluate(FOCUSED))
    return found


async def test_every_element_is_reached_by_tab_in_order_and_seen(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        at_port(tmp_path, "ana") as (base, world),
        visiting(browser, base, size=(1280, 600)) as ana,
    ):
        for number in range(12):
            await world.propose(f"Number {number}.", type="guardrail", rule=RULE)
            given = {"path": f"{number}.txt", "text": "x"}
            await world.host.execute("files/write", given, actor=AGENT)
        await ana.sign_in()
        trapped, unseen = {}, {}
        links = ana.page.get_by_role("navigation", name="Pages").get_by_role("link")
        paths = [str(await link.get_attribute("href")) for link in await links.all()]
        for path in paths:
            await ana.open(path)
            count = await ana.page.evaluate(REACHABLE)
            reached = await tabbed(ana, count)
            order = [each["index"] for each in reached if each]
            if order != sorted(set(order)) or len(order) != count:
                trapped[path] = reached
            unseen[path] = [
                each["name"] for each in reached if each and not each["seen"]
            ]
            assert reached[0]["name"] == "Skip to the content"
            # After the last the browser has its turn, so that nobody is held.
            [last] = await tabbed(ana, 1)
            assert last is None or last["index"] == order[0]
    assert trapped == {}
    assert unseen == {path: [] for path in unseen}


async def test_the_first_tab_leads_past_the_navigation(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        at_port(tmp_path, "ana") as (base, world),
        visiting(browser, base) as ana,
    ):
        await world.propose("One.")
        await ana.sign_in()
        await ana.open("/admin")
        await ana.page.keyboard.press("Tab")
        await ana.page.keyboard.press("Enter")
        at = await ana.page.evaluate("document.activeElement.id")
        await ana.page.keyboard.press("Tab")
        focused = await ana.page.evaluate("document.activeElement.innerText")
    assert (at, focused) == ("content", "Decide")


async def test_a_person_signs_in_and_decides_with_keys_alone(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        at_port(tmp_path, "ana") as (base, world),
        visiting(browser, base) as ana,
    ):
        for text in ("One.", "Two.", "Three.", "Four."):
            await world.propose(text)
        keyboard = ana.page.keyboard
        await ana.open("/admin/login?next=/admin/review")
        await ana.page.locator("#name:focus").wait_for()
        await keyboard.type("ana")
        await keyboard.press("Tab")
        await keyboard.type("four words of ana")
        await ana.strike("Enter")
        seen = [await ana.text("h1")]
        for key in ("j", "j", "k"):
            await ana.strike(key)
            seen.append(await ana.text("h1"))
        await ana.strike("r")
        told = [await ana.told()]
        await ana.strike("a")
        seen.append(await ana.text("h1"))
        await ana.page.locator("#secret:focus").wait_for()
        await keyboard.type("four words of ana")  # the keys of this are no commands
        await ana.strike("Enter")
        told.append(await ana.told())
        await ana.strike("x")
        told.append(await ana.told())
        await ana.strike("e")
        seen.append(await ana.text("h1"))
    assert seen == [
        *("gm-001", "gm-002", "gm-003", "gm-002", "Confirm: gm-003"),
        "Another version of gm-001",
    ]
    assert told == [
        "gm-002 is rejected.",
        "gm-003 is approved.",
        "gm-004 is archived.",
    ]
