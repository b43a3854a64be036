"""The whole story of approval: a connected agent proposes, a person decides."""

from pathlib import Path

import pytest
from browser.visitor import visiting
from browser.world import call, refused, serving
from playwright.async_api import Browser

pytestmark = pytest.mark.timeout(180)  # a server, a client and a browser

TEXT = "Nobody touches the prices in data/fruit.csv."
FACT = {
    "type": "fact",
    "text": "Prices have no tax in them.",
    "rationale": "Finance says so.",
    "domain": "shop",
    "recall": ["prices"],
}
GUARDRAIL = {
    "type": "guardrail",
    "text": TEXT,
    "rationale": "Finance owns them.",
    "domain": "shop",
    "recall": ["prices"],
    "rule": {"domain": "files", "targets": ["data/fruit.csv"], "effect": "deny"},
}
HINT = {"intent_hint": "change the prices"}
PRICES = {"path": "data/fruit.csv", "text": "apple,1", "make_folders": True}


async def test_what_is_approved_in_a_browser_is_told_to_a_connected_agent(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        serving(tmp_path, "ana") as served,
        served.client() as agent,
        visiting(browser, served.base) as ana,
    ):
        await ana.sign_in()
        titles = [await ana.page.title()]

        # What an agent proposes waits for a person, and nobody is told or held to it.
        await call(agent, "memory_remember", **FACT)
        await ana.open("/admin")
        titles.append(await ana.page.title())
        await call(agent, "memory_remember", **GUARDRAIL)
        await ana.open("/admin")
        titles.append(await ana.page.title())
        before = (await call(agent, "memory_recall", **HINT))["guidance"]
        await call(agent, "files_write", **PRICES)

        # The person approves both, and shows the secret once.
        await ana.follow("Decide")
        fact = await ana.text()
        await ana.press("Approve")
        about = await ana.text("h1")
        await ana.confirm()
        told = [await ana.told()]
        guardrail = await ana.text()
        await ana.press("Approve")
        told.append(await ana.told())
        titles.append(await ana.page.title())

        # The client that is connected is told, and held to it.
        after = (await call(agent, "memory_recall", **HINT))["guidance"]
        vetoed = await refused(agent, "files_write", **PRICES)
        await call(agent, "files_write", path="data/other.csv", text="pear,1")
        await ana.open("/admin/guidance/gm-002")
        kept = await ana.text()

        # Withdrawn, it holds nobody any more.
        await ana.press("Withdraw")
        await ana.confirm()
        told.append(await ana.told())
        await call(agent, "files_write", **PRICES)

    assert titles == [
        "Home · Abilities",
        "(1) Home · Abilities",
        "(2) Home · Abilities",
        "Review · Abilities",
    ]
    assert before == []
    assert "Prices have no tax in them." in fact
    assert about == "Confirm: gm-001"
    assert TEXT in guardrail
    assert "One change in the last 30 days." in guardrail
    assert told == [
        "gm-001 is approved.",
        "gm-002 is approved.",
        "gm-002 is withdrawn, and has no effect any more.",
    ]
    assert {(each["id"], each["reviewed_by"]) for each in after} == {
        ("gm-001", "ana"),
        ("gm-002", "ana"),
    }
    assert "gm-002" in vetoed
    assert TEXT in vetoed
    assert "by ana" in kept
