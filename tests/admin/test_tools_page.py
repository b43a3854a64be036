"""The tools: what a person sees of abilities and packs, and switches."""

from pathlib import Path
from typing import Any

from admin.admin_world import AdminWorld, admin_world, form_of, text_of
from cli.memory_world import SECRETS
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from server.http_world import TOKEN

from abilities_host import Actor
from abilities_host.ledger import Ledger

TOOLS = "/admin/tools"
READ = "/admin/tools/files/read"
AGENT = Actor("agent", "agent", frozenset({"*", "*:*"}))


async def _settings(world: AdminWorld) -> list[tuple[Any, ...]]:
    ledger = world.host.services.find(Ledger)
    return [
        (each["actor"], each["action"], each["target"])
        async for each in ledger.export()
        if each["kind"] == "setting"
    ]


async def test_a_person_sees_abilities_packs_and_modules(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        html = (await browser.get(TOOLS)).text
        one = text_of((await browser.get(READ)).text)
    page = text_of(html)
    assert len(html.encode()) < 100_000
    for said in ("files/read", "files/write", "healthy", "files/search Search active"):
        assert said in page, said
    for said in ("Scope", "Tool name files_read", "Changes nothing yes", "Switch off"):
        assert said in one, said
    assert "Switch on" not in one


async def test_a_search_leaves_what_fits(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        some = text_of((await browser.get(f"{TOOLS}?pattern=files/re*")).text)
        none = text_of((await browser.get(f"{TOOLS}?q=nothing-like-this")).text)
        gone = await browser.get("/admin/tools/no/such")
    assert "files/write" not in some
    assert "files/re* means" in some
    assert "No ability fits." in none
    assert gone.status_code == 404


async def test_off_needs_no_secret_and_on_does(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        off = await browser.submit(READ, f"{READ}/off")
        told = text_of((await browser.get(off.headers["location"])).text)
        call = await world.host.execute("files/read", {"path": "a"}, actor=AGENT)
        asked = await browser.submit(READ, f"{READ}/on")
        still = world.host.denylist.choices["files/read"]
        kept = form_of(asked.text, f"{READ}/on")
        done = await browser.post(f"{READ}/on", {**kept, "secret": SECRETS["ana"]})
        choice = world.host.denylist.choices["files/read"]
        entries = await _settings(world)
    assert "files/read is off now." in told
    assert call.error is not None
    assert call.error.code == "ability_not_found"
    assert (asked.status_code, still) == (200, False)
    assert (done.status_code, choice) == (303, True)
    assert entries == [
        ("ana", "switched off", "files/read"),
        ("ana", "switched on", "files/read"),
    ]


async def test_a_client_that_is_connected_sees_a_switched_pattern(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser, other = await world.signed_in(), world.browser()
        other.http.headers["authorization"] = f"Bearer {TOKEN}"
        url = "http://127.0.0.1:8765/mcp"
        async with Client(
            streamable_http_client(url, http_client=other.http)
        ) as client:
            before = [tool.name for tool in (await client.list_tools()).tools]
            path = f"{TOOLS}?pattern=files/*"
            await browser.submit(path, f"{TOOLS}/off")
            listed = await client.list_tools(cache_mode="refresh")
            after = [tool.name for tool in listed.tools]
    assert "files_read" in before
    assert [name for name in after if name.startswith("files_")] == []


async def test_a_pack_is_switched_by_its_namespaces(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        ability = world.host.registry.find_ability("files/read")
        assert ability is not None
        path = f"{TOOLS}?pack={ability.pack}"
        await browser.submit(path, f"{TOOLS}/off")
        choices = dict(world.host.denylist.choices)
        back = await browser.submit(path, f"{TOOLS}/default", secret=SECRETS["ana"])
        after = dict(world.host.denylist.choices)
    assert choices == {"files/*": False}
    assert (back.status_code, after) == (303, {})


async def test_the_second_of_two_people_is_told(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        first, second = await world.signed_in(), await world.signed_in()
        seen = form_of((await second.get(READ)).text, f"{READ}/off")
        await first.submit(READ, f"{READ}/off")
        late = await second.post(f"{READ}/off", seen)
        told = text_of((await second.get(late.headers["location"])).text)
        entries = await _settings(world)
    assert "changed by somebody else since you looked at it" in told
    assert len(entries) == 1


async def test_a_reviewer_reads_and_switches_nothing(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        ana, ben = await world.signed_in("ana"), await world.signed_in("ben")
        page = (await ben.get(READ)).text
        form = form_of((await ana.get(READ)).text, f"{READ}/off")
        forged = await ben.post(f"{READ}/off", form)
        token = world.browser()
        agent = await token.get(TOOLS, authorization=f"Bearer {TOKEN}")
        choices = dict(world.host.denylist.choices)
    assert "Only an operator switches." in text_of(page)
    assert f"{READ}/off" not in page
    assert forged.status_code == 403
    assert agent.status_code in {303, 403}
    assert choices == {}


async def test_what_is_no_ability_is_refused(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        seen = form_of((await browser.get(READ)).text, f"{READ}/off")
        replies = []
        for field in ("no/such", "x" * 300):
            sent = await browser.post(f"{READ}/off", {**seen, "pattern": field})
            replies.append(text_of((await browser.get(sent.headers["location"])).text))
        choices = dict(world.host.denylist.choices)
    assert "no/such" in replies[0]
    assert choices == {}


async def test_text_of_packs_is_escaped(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    async with admin_world(tmp_path, "ana") as world:
        pack = world.host.packs[0]
        pack.set_aside(evil)
        browser = await world.signed_in()
        pages = [
            (await browser.get(TOOLS)).text,
            (await browser.get(f"{TOOLS}?pack={pack.identity}")).text,
            (await browser.get(f"{TOOLS}?q={evil}&pattern={evil}")).text,
        ]
    for page in pages:
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page
