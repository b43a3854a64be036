"""The first day of a reviewer can be followed to the letter, with its own commands."""

import asyncio
import shlex
import sys
from asyncio.subprocess import PIPE, create_subprocess_exec
from pathlib import Path

import pytest
from acceptance.over_http import HttpSite
from browser.visitor import visiting
from browser.world import Served
from cli.memory_world import make_people
from docs.pages import blocks, page
from playwright.async_api import Browser

pytestmark = pytest.mark.timeout(180)  # a server, six commands and a browser

PAGE = "how-to/first-day-of-a-reviewer.md"
COMMAND = "../../.venv/bin/abilities"


def lines_of(mark: str) -> list[str]:
    """Give the commands of one block of the page."""
    [block] = [each for each in blocks(page(PAGE)) if each.mark == mark]
    lines = block.text.strip().splitlines()
    return [line for line in lines if line.startswith(COMMAND)]


async def run(host: Path, *words: str) -> tuple[int, str]:
    """Run a command in the folder of the host; give its exit code and what it says."""
    command = (sys.executable, "-m", "abilities_host", *words)
    process = await create_subprocess_exec(*command, cwd=host, stdout=PIPE, stderr=PIPE)
    _, told = await process.communicate()
    assert process.returncode is not None
    return process.returncode, told.decode()


async def play(host: Path, mark: str) -> list[tuple[int, str]]:
    """Play the agent as the page says."""
    given = [shlex.split(line)[1:] for line in lines_of(mark)]
    return [await run(host, *words) for words in given]


async def test_the_first_day_goes_as_the_page_says(
    tmp_path: Path, browser: Browser
) -> None:
    host = tmp_path / "demo-host"
    made = await run(tmp_path, "init", "--json", str(host))
    site = HttpSite(host)
    await asyncio.to_thread(make_people, site.config, "ana")
    welcome = site.content / "welcome.md"
    text = welcome.read_text(encoding="utf-8")
    async with site.served() as server:
        served = Served(site, server)
        worked = await play(host, "the agent of the trial")
        async with visiting(browser, served.base) as ana:
            await ana.sign_in()
            await ana.follow("Decide")
            review = await ana.text()
            await ana.press("Approve")
            await ana.confirm()
            [(code, stopped)] = await play(host, "the agent is stopped")

            await ana.open("/admin/sessions")
            await ana.follow("ss-0001")
            session = await ana.text()

            await ana.open("/admin/ledger")
            row = ana.page.get_by_role("row").filter(has_text="files:welcome.md")
            await ana.go(row.get_by_role("link"))
            await ana.press("Preview the undo")
            tried = welcome.read_text(encoding="utf-8")
            await ana.press("Undo it")
            await ana.confirm()
            told = [await ana.told()]
            await ana.press("Sign out")
            told.append(await ana.told())
    assert made == (0, "")
    assert [code for code, _ in worked] == [0, 0, 0, 0, 0]
    assert "Nobody writes to data/fruit.csv by hand." in review
    assert "One change in the last 30 days." in review
    assert code != 0
    assert "guidance gm-001 forbids it" in stopped
    assert "told, not in the record: deleted files:notes/ideas.md" in session
    assert tried == "# Hello\n"
    assert told == ["Put back: files:welcome.md", "You are signed out."]
    assert welcome.read_text(encoding="utf-8") == text
