"""The access: servers, tokens and site context, as a person sees and changes them."""

import html as markup
import logging
import re
from dataclasses import replace
from pathlib import Path

import pytest
from admin.admin_world import AdminWorld, admin_world, form_of, text_of
from cli.memory_world import SECRETS
from server.http_world import TOKEN

from abilities_host.ledger import Ledger
from abilities_host.tokens import Tokens

ACCESS = "/admin/access"
CREATE = f"{ACCESS}/create"
SECRET = SECRETS["ana"]
NEW = {"name": "ci-bot", "role": "agent", "days": "30"}


async def _entries(world: AdminWorld) -> list[tuple[str, str, str]]:
    ledger = world.host.services.find(Ledger)
    return [
        (each["actor"], each["action"], each["target"])
        async for each in ledger.export()
        if each["action"] not in {"signed in", "switched"}
    ]


async def test_a_person_sees_servers_tokens_and_what_agents_are_told(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        first = (await browser.get(ACCESS)).text
        [address] = re.findall(r'href="([^"]+)#told"', first)
        html = (await browser.get(markup.unescape(address))).text
    page = text_of(html)
    assert len(html.encode()) < 100_000
    assert "A policy may stop a write" not in text_of(first)
    for said in (
        "/mcp",
        "No token is valid.",
        "What an agent at",
        "A policy may stop a write",
        '"mcpServers"',
    ):
        assert said in page, said


async def test_a_token_is_shown_once_and_written_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        asked = await browser.submit(ACCESS, CREATE, **NEW)
        none = await Tokens(world.host.store).list_tokens()
        kept = form_of(asked.text, CREATE)
        made = await browser.post(CREATE, {**kept, "secret": SECRET})
        again = await browser.get(ACCESS)
        [record] = await Tokens(world.host.store).list_tokens()
        ledger = world.host.services.find(Ledger)
        recorded = [each async for each in ledger.export()]
    [value] = set(re.findall(r"abl_[a-z0-9]{8}_[A-Za-z0-9_-]{43}", made.text))
    assert none == ()
    assert (record.name, record.role, record.created_by) == ("ci-bot", "agent", "ana")
    assert record.expires_at is not None
    assert "ci-bot" in text_of(again.text)
    assert value not in again.text
    assert value not in str(dict(made.headers))
    assert value not in caplog.text
    assert value not in str(recorded)
    created = [each for each in recorded if each["target"] == "ci-bot"]
    assert [(each["actor"], each["action"]) for each in created] == [("ana", "created")]


async def test_a_token_is_replaced_and_revoked(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await browser.submit(ACCESS, CREATE, **NEW, secret=SECRET)
        rotated = await browser.submit(ACCESS, f"{ACCESS}/rotate")
        stale = form_of((await browser.get(ACCESS)).text, f"{ACCESS}/revoke")
        done = await browser.submit(ACCESS, f"{ACCESS}/revoke")
        late = await browser.post(f"{ACCESS}/revoke", stale)
        told = text_of((await browser.get(late.headers["location"])).text)
        records = await Tokens(world.host.store).list_tokens()
    assert "abl_" in rotated.text
    assert done.status_code == 303
    assert all(each.revoked_at for each in records)
    assert len(records) == 2
    assert "changed by somebody else" in told
    assert "2 tokens have ended." in told


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": "ana"}, "the account of a person"),
        ({"name": "<script>"}, "A token's name is"),
        ({"scopes": "no-such:scope"}, "Nothing here asks for the scope"),
        ({"role": "king"}, "king"),
        ({"server": "elsewhere"}, "elsewhere"),
    ],
)
async def test_what_cannot_be_a_token_is_refused(
    tmp_path: Path, fields: dict[str, str], said: str
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        given = {**NEW, **fields, "secret": SECRET}
        reply = await browser.submit(ACCESS, CREATE, **given)
        page = (await browser.get(reply.headers["location"])).text
        records = await Tokens(world.host.store).list_tokens()
    assert said in text_of(page)
    assert "<script>" not in page.split("<body", 1)[1].split("</main>")[0]
    assert records == ()


async def test_the_kill_switch_stops_at_once_and_goes_back_with_the_secret(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await browser.submit(ACCESS, f"{ACCESS}/stop")
        stopped = world.host.config.kill_switch
        asked = await browser.submit(ACCESS, f"{ACCESS}/go-on")
        still = world.host.config.kill_switch
        await browser.submit(ACCESS, f"{ACCESS}/go-on", secret=SECRET)
        after = world.host.config.kill_switch
        entries = await _entries(world)
    assert (stopped, still, after) == (True, True, False)
    assert asked.status_code == 200
    assert [each for each in entries if each[2] == "kill_switch"] == [
        ("ana", "set", "kill_switch"),
        ("ana", "unset", "kill_switch"),
    ]


async def test_a_server_is_switched_and_made_compact(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        stale = form_of((await browser.get(ACCESS)).text, f"{ACCESS}/server-off")
        await browser.submit(ACCESS, f"{ACCESS}/server-off")
        off = world.host.config.server.enabled
        late = await browser.post(f"{ACCESS}/server-off", stale)
        told = text_of((await browser.get(late.headers["location"])).text)
        await browser.submit(ACCESS, f"{ACCESS}/server-on", secret=SECRET)
        on = world.host.config.server.enabled
        await browser.submit(ACCESS, f"{ACCESS}/compact", compact="on")
        mode = world.host.config.server.compact
        wrong = await browser.submit(ACCESS, f"{ACCESS}/compact", compact="maybe")
        refused = text_of((await browser.get(wrong.headers["location"])).text)
    assert (off, on, mode) == (False, True, "on")
    assert "changed by somebody else" in told
    assert "maybe" in refused


async def test_the_site_context_is_written_and_escaped(tmp_path: Path) -> None:
    evil = "A shop.\n</textarea><script>alert(1)</script>"
    async with admin_world(tmp_path, "ana") as world:
        first, second = await world.signed_in(), await world.signed_in()
        path = f"{ACCESS}/context"
        stale = form_of((await second.get(ACCESS)).text, path)
        asked = await first.submit(ACCESS, path, context=evil.replace("\n", "\r\n"))
        kept = form_of(asked.text, path)
        await first.post(path, {**kept, "secret": SECRET})
        found = world.host.config.context
        page = (await first.get(ACCESS)).text
        fields = {**stale, "context": "Another.", "secret": SECRET}
        late = await second.post(path, fields)
        told = text_of((await second.get(late.headers["location"])).text)
    assert found == evil
    assert "<script>alert" not in page
    assert markup.escape(evil.splitlines()[1]) in page
    assert "changed by somebody else" in told


async def test_a_reviewer_and_a_token_change_nothing(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        ana, ben = await world.signed_in("ana"), await world.signed_in("ben")
        html = (await ben.get(ACCESS)).text
        statuses = []
        page = (await ana.get(ACCESS)).text
        for name in ("stop", "server-off", "compact", "context", "create"):
            fields = form_of(page, f"{ACCESS}/{name}")
            reply = await ben.post(f"{ACCESS}/{name}", fields)
            statuses.append(reply.status_code)
        token = await world.browser().get(ACCESS, authorization=f"Bearer {TOKEN}")
        entries = await _entries(world)
    assert "Only an operator changes something here." in text_of(html)
    assert "/access/" not in html
    assert statuses == [403] * 5
    assert token.status_code in {303, 403}
    assert [each for each in entries if each[1] in {"set", "created"}] == []


async def test_what_the_file_says_cannot_be_changed_here(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        fields = form_of((await browser.get(ACCESS)).text, f"{ACCESS}/context")
        sources = {**world.host.loaded.sources, "context": "file"}
        world.host.loaded = replace(world.host.loaded, sources=sources)
        html = (await browser.get(ACCESS)).text
        reply = await browser.post(
            f"{ACCESS}/context", {**fields, "context": "New.", "secret": SECRET}
        )
        told = text_of((await browser.get(reply.headers["location"])).text)
    assert "It comes from: file, and cannot be changed here." in text_of(html)
    assert f"{ACCESS}/context" not in html
    assert "context cannot be changed here: file says it." in told
