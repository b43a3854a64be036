"""What people without a session try, what sessions give away, and what agents reach."""

import asyncio
import json
from collections.abc import Mapping
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from admin.admin_world import (
    OWN,
    SESSION,
    URL,
    AdminWorld,
    Browser,
    admin_world,
    form_of,
)
from admin.hostile_pages import faults_of
from admin.test_every_action import SHOWN
from admin.test_ledger_page import write
from admin.test_ledger_states import png, put
from admin.test_waiting_page import noted
from cli.memory_world import SECRETS
from server.http_world import TOKEN, client_of

from abilities_host.admin.formtoken import form_token
from abilities_host.admin.pages import PAGES
from abilities_host.admin.streams import PER_SESSION

LOGIN: Final = "/admin/login"
HTTPS: Final = URL.replace("http:", "https:")
WRONG: Final = "not the right words"
PLAIN: Final = {"path": "/admin", "samesite": "strict", "httponly": True, "secure": ""}
SECURE: Final = {**PLAIN, "path": "/", "secure": True}


async def test_one_name_waits_from_wherever_it_is_tried(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        codes = []
        for number in range(30):
            world.clock.now += {10: 61, 20: 121}.get(number, 0)
            browser = Browser(world.app, address=f"192.0.2.{number}")
            is_right = number % 10 == 9
            secret = SECRETS["ana"] if is_right else WRONG
            codes.append((await browser.sign_in("ana", secret)).status_code)
        other = await world.browser().sign_in("ben")
        [[tries]] = await world.host.store.read(
            "SELECT failures FROM account_try WHERE name = 'ana'"
        )
    assert codes == [403] * 30
    assert tries == 3  # of thirty, the others were not even looked at
    assert other.status_code == 303


async def test_who_forwards_is_not_believed_and_one_address_tries_ten_times(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        codes = []
        for number in range(12):
            browser = world.browser()
            browser.http.headers["x-forwarded-for"] = f"192.0.2.{number}"
            browser.http.headers["forwarded"] = f"for=192.0.2.{number}"
            reply = await browser.sign_in(f"name-{number}", WRONG)
            codes.append(reply.status_code)
        elsewhere = await Browser(world.app, address="192.0.2.1").sign_in("ana")
    assert codes == [403] * 10 + [429] * 2
    assert elsewhere.status_code == 303


@pytest.mark.parametrize(("url", "marks"), [(URL, PLAIN), (HTTPS, SECURE)])
async def test_every_cookie_is_for_these_pages_and_no_script(
    tmp_path: Path, url: str, marks: Mapping[str, Any]
) -> None:
    prefix = "__Host-" if url == HTTPS else ""
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser, own = Browser(world.app, url), {**OWN, "origin": url}
        replies = [await browser.get(LOGIN)]
        given = {"name": "ana", "secret": SECRETS["ana"]}
        fields = {**form_of(replies[0].text, LOGIN), **given}
        replies.append(await browser.post(LOGIN, fields, own))
        for page, path in (("/review", "/review/reject"), ("", "/logout")):
            shown = await browser.get(f"/admin{page}")
            sent = form_of(shown.text, f"/admin{path}")
            replies += [shown, await browser.post(f"/admin{path}", sent, own)]
    cookies = {
        f"{cookie.key} {bool(cookie.value)}": dict(cookie)
        for reply in replies
        for header in reply.headers.get_list("set-cookie")
        for cookie in SimpleCookie(header).values()
    }
    names = [f"{prefix}abilities-admin-8765-{each}" for each in _KEPT]
    assert sorted(cookies) == sorted(f"{n} {kept}" for n in names for kept in _BOTH)
    for found in cookies.values():
        assert {name: found[name] for name in marks} == marks
        assert found["domain"] == ""


_KEPT: Final = ("session", "told", "visitor")
_BOTH: Final = (False, True)


async def test_a_session_is_only_what_these_pages_gave(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        id_ = browser.session
        planted = world.browser()
        planted.plant("x" * 43)
        await planted.sign_in()
        secure = Browser(world.app, HTTPS)
        secure.plant(id_)  # without the prefix anybody beside can have set it
        bare, long = world.browser(), world.browser()
        long.plant(id_ + "x" * 4_000)
        forms = {SESSION: id_, "session": id_, "id": id_}
        codes = {
            "over https": await secure.get("/admin"),
            "in the address": await bare.http.get("/admin", params=forms),
            "in a header": await bare.get("/admin", **{SESSION: id_, "x-session": id_}),
            "too long": await long.get("/admin"),
            "its hash": await _with(world, (await _kept(world))[0]),
            "in a form": await bare.post("/admin/review/reject", forms),
        }
    assert {reply.status_code for reply in codes.values()} == {303}
    assert {reply.headers["location"][:12] for reply in codes.values()} == {LOGIN}
    assert planted.session not in {"", "x" * 43}


async def _with(world: AdminWorld, id_: str) -> httpx2.Response:
    browser = world.browser()
    browser.plant(id_)
    return await browser.get("/admin")


async def _kept(world: AdminWorld) -> list[str]:
    rows = await world.host.store.read("SELECT digest FROM admin_session")
    return [digest for [digest] in rows]


async def every_answer(world: AdminWorld, browser: Browser) -> dict[str, Any]:
    """Have an answer of every sort that the pages give."""
    seq = await put(world, png(), png(3, 3))
    reject = "/admin/review/reject"
    many = {f"n{number}": "" for number in range(1_001)}
    token = {"token": form_token(browser.session, reject)}
    style = (await browser.get("/admin")).text.split('rel="stylesheet" href="')[1]
    return {
        "200": await browser.get("/admin"),
        "outside": await world.browser().get(LOGIN),
        "first": await world.browser().get("/admin/first?key=x"),
        "redirect": await world.browser().get("/admin/review"),
        "told": await browser.post(reject, {**token, "id": "gm-001"}),
        "400": await browser.post(reject, many),
        "400 of a filter": await browser.get("/admin/ledger?since=x"),
        "403": await browser.post(reject, {}),
        "403 of a program": await browser.get("/admin", authorization="Bearer x"),
        "404": await browser.get("/admin/none"),
        "405": await browser.http.request("PUT", "/admin", headers=OWN),
        "413": await browser.post(reject, {"a": "x" * 65_000}),
        "415": await browser.http.post(reject, content=b"x", headers=OWN),
        "static": await browser.get(style.partition('"')[0]),
        "static 404": await browser.get("/admin/static/none.js"),
        "export": await browser.get("/admin/ledger/export"),
        "memory": await browser.get("/admin/guidance/export"),
        "picture": await browser.get(f"/admin/ledger/{seq}/state/before"),
        "slash": await browser.get("/admin/"),
        "streams": await _full(world, browser),
    }


async def _full(world: AdminWorld, browser: Browser) -> httpx2.Response:
    """Have all places of a session taken, and ask for one more."""
    address = "/admin/log/live"
    taken = [asyncio.create_task(browser.get(address)) for _ in range(PER_SESSION + 1)]
    done, going = await asyncio.wait(taken, return_when=asyncio.FIRST_COMPLETED)
    world.host.is_stopping = True
    streams = await asyncio.gather(*going)
    assert {len(faults_of(each)) for each in streams} == {0}
    world.host.is_stopping = False
    return done.pop().result()


async def test_every_sort_of_answer_is_sealed_and_gives_no_secret_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    async with admin_world(tmp_path, "ana", prepare=noted) as world:
        await world.propose("A fact.")
        await write(world, "new")
        browser = await world.signed_in()
        secrets = (browser.session, SECRETS["ana"], WRONG)
        found = await every_answer(world, browser)
        approve = "/admin/review/approve"
        await world.propose("Another.")
        for secret in (WRONG, SECRETS["ana"]):
            world.clock.now += 61
            reply = await browser.submit("/admin/review", approve, secret=secret)
            found[f"secret {reply.status_code}"] = reply
        for page in PAGES:
            if "{" not in page.path and page.path != "/log/live":
                address = SHOWN.get(page.path, page.path)
                found[address] = await browser.get(f"/admin{address}")
        kept = [
            await world.host.store.read(f"SELECT * FROM {table}")  # noqa: S608 - a name of ours
            for [table] in await world.host.store.read(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            )
        ]
    faults = {name: faults_of(reply, secrets) for name, reply in found.items()}
    assert {name: fault for name, fault in faults.items() if fault} == {}
    codes = {reply.status_code for reply in found.values()}
    assert codes == {200, 303, 400, 403, 404, 405, 413, 415, 429}
    said = caplog.text + repr(kept) + repr(await _files(world))
    assert [secret for secret in secrets if secret in said] == []


async def _files(world: AdminWorld) -> list[bytes]:
    """Give what is written anywhere near the host: the store, its log, the record."""

    def read() -> list[bytes]:
        folder = world.config.parent.parent
        return [each.read_bytes() for each in folder.rglob("*") if each.is_file()]

    return await asyncio.to_thread(read)


async def test_nothing_that_an_agent_is_given_leads_to_the_pages(
    tmp_path: Path,
) -> None:
    blocked = ("database",)
    async with admin_world(tmp_path, "ana", blocked=blocked) as world:
        await world.propose("A fact.")
        await world.signed_in()
        codes = {}
        async with client_of(world.app, "auto") as client:
            tools = (await client.list_tools()).tools
            resources = (await client.list_resources()).resources
            templates = (await client.list_resource_templates()).resource_templates
            prompts = (await client.list_prompts()).prompts
            told = [*tools, *resources, *templates, *prompts]
            said = json.dumps([each.model_dump(mode="json") for each in told])
            names = {tool.name for tool in tools}
        browser = world.browser()
        browser.http.headers["authorization"] = f"Bearer {TOKEN}"
        for page in PAGES:
            for path in (page.path, *(f"{page.path}/{name}" for name in page.actions)):
                for place in (f"/mcp/admin{path}", f"/mcp{path}"):
                    for method in ("GET", "POST"):
                        reply = await browser.http.request(method, place, headers=OWN)
                        codes[f"{method} {place}"] = reply.status_code
    assert "/admin" not in said
    assert "admin_session" not in said
    assert {"files_read", "files_search", "memory_remember"} <= names
    assert {place: code for place, code in codes.items() if code < 400} == {}
