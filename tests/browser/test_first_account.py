"""The first account is made in a browser with a link, others sign in with theirs."""

import asyncio
import os
import re
import socket
from pathlib import Path

import pytest
from browser.visitor import visiting
from browser.world import serving
from cli.at_terminal import Ended, at_terminal
from cli.record_world import ANA
from playwright.async_api import Browser

pytestmark = pytest.mark.timeout(180)  # two servers, a terminal, and real secrets


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def at_the_terminal(folder: Path, *words: str, **answers: str) -> Ended:
    """Run a command; what is asked with a word is answered as that says."""
    typed = [(word.encode(), f"{say}\n".encode()) for word, say in answers.items()]
    state = {"XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]}
    return await asyncio.to_thread(
        lambda: at_terminal(folder, *words, answers=typed, **state)
    )


async def test_the_first_account_is_made_with_a_link_that_is_gone_then(
    tmp_path: Path, browser: Browser
) -> None:
    port = free_port()
    async with (
        serving(tmp_path, config=f"[http]\nport = {port}", port=port) as served,
        visiting(browser, served.base) as ana,
        visiting(browser, served.base) as other,
    ):
        await ana.open("/admin")
        nobody = await ana.text()
        shown = await at_the_terminal(served.site.folder, "admin", "link", Type="link")
        [link] = re.findall(r"http://\S+", shown.screen)
        await ana.open(link)
        await ana.fill("Name", "ana")
        await ana.fill("Secret", ANA)
        await ana.fill("The same again", "another one")
        ana.expect("400 POST /admin/first")
        await ana.press("Make the account")
        differ = await ana.text("[role=alert]")
        await ana.fill("Secret", ANA)
        await ana.fill("The same again", ANA)
        await ana.press("Make the account")
        told, who = await ana.told(), await ana.text("header")
        other.expect("403 GET /admin/first")
        await other.open(link)
        gone = await other.text()
        await other.sign_in("ana")
        assert "Nobody has an account here yet." in nobody
        assert link.startswith(f"{served.base}/admin/first?key=")
        assert differ == "The two secrets are not the same."
        assert (told, ana.path) == ("Your account is made.", "/admin")
        assert "Signed in as ana, operator" in who
        assert "This link does not work any more." in gone
        assert other.path == "/admin"


async def test_who_has_an_account_signs_in_and_out(
    tmp_path: Path, browser: Browser
) -> None:
    async with (
        serving(tmp_path) as served,
        visiting(browser, served.base) as ana,
    ):
        made = await at_the_terminal(
            served.site.folder, "admin", "add", "ana", characters=ANA, again=ANA
        )
        await ana.open("/admin/ledger?actor=ana")
        asked = ana.path
        await ana.sign_in()
        wished = ana.page.url
        await ana.press("Sign out")
        out = await ana.told()
        await ana.open("/admin/ledger")
        assert made.code == 0, made.screen
        assert asked == "/admin/login"
        assert wished == f"{served.base}/admin/ledger?actor=ana"
        assert out == "You are signed out."
        assert ana.path == "/admin/login"
