"""What strangers, other pages and agents try; all of it is refused."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from admin.admin_world import (
    OWN,
    URL,
    AdminWorld,
    Browser,
    Reader,
    admin_world,
    form_of,
    text_of,
)
from cli.memory_world import SECRETS
from server.http_world import BEARER, HOST, JSON, Request

from abilities_host.admin.headers import HEADERS

APPROVE = "/admin/review/approve"
REJECT = "/admin/review/reject"


async def status_of(world: AdminWorld, id_: str) -> str:
    return (await world.memory.get(id_)).status


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"token": ""}, 403),
        ({"token": "0" * 64}, 403),
        ({"token": "ü"}, 403),
        ({"seen": "0" * 64}, 403),
    ],
)
async def test_a_form_without_its_own_token_changes_nothing(
    tmp_path: Path, changed: dict[str, str], code: int
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = await world.signed_in()
        reply = await browser.submit("/admin/review", REJECT, **changed)
        status = await status_of(world, "gm-001")
    assert (reply.status_code, status) == (code, "pending")
    assert "not made for your session" in text_of(reply.text)


async def test_tokens_of_another_session_and_of_another_form_are_refused(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        await world.propose("A fact.")
        await world.propose("Another fact.")
        ana, ben = await world.signed_in("ana"), await world.signed_in("ben")
        page = (await ben.get("/admin/review")).text
        of_ben = await ana.post(REJECT, form_of(page, REJECT))
        page = (await ana.get("/admin/review")).text
        of_approve = await ana.post(REJECT, form_of(page, APPROVE))
        other = {
            **form_of(page, REJECT),
            "seen": (await world.memory.review("gm-002")).hash,
        }
        of_other = await ana.post(REJECT, {**other, "id": "gm-002"})
        counts = await world.memory.counts()
    codes = [each.status_code for each in (of_ben, of_approve, of_other)]
    assert codes == [403, 403, 403]
    assert counts["pending"] == 2


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": URL},
        {"sec-fetch-site": "same-origin"},
        {"origin": URL, "sec-fetch-site": "same-site"},
        {"origin": URL, "sec-fetch-site": "none"},
        {"origin": URL, "sec-fetch-site": "cross-site"},
        {"origin": "http://localhost:8765", "sec-fetch-site": "same-origin"},
        {"origin": "https://127.0.0.1:8765", "sec-fetch-site": "same-origin"},
        {"origin": "http://127.0.0.1:9999", "sec-fetch-site": "same-origin"},
        {"origin": "http://evil.example", "sec-fetch-site": "same-origin"},
        {"origin": "null", "sec-fetch-site": "same-origin"},
    ],
    ids=str,
)
async def test_a_change_must_come_from_these_pages(
    tmp_path: Path, headers: Mapping[str, str]
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = await world.signed_in()
        page = (await browser.get("/admin/review")).text
        reply = await browser.post(REJECT, form_of(page, REJECT), headers)
        login = await world.browser().post("/admin/login", {"name": "ana"}, headers)
        status = await status_of(world, "gm-001")
    assert (reply.status_code, login.status_code, status) == (403, 403, "pending")


async def test_a_get_changes_nothing(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = await world.signed_in()
        fields = form_of((await browser.get("/admin/review")).text, REJECT)
        before = world.host.store.generation()
        codes = [
            (await browser.http.get(path, params=fields)).status_code
            for path in ("/admin", "/admin/review", REJECT, APPROVE, "/admin/logout")
        ]
        after, status = world.host.store.generation(), await status_of(world, "gm-001")
    assert codes == [200, 200, 405, 405, 405]
    assert (status, after) == ("pending", before)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/admin"),
        ("GET", "/admin/login"),
        ("GET", "/admin/nothing"),
        ("GET", "/admin/static/nothing.css"),
        ("POST", "/admin/login"),
        ("PUT", "/admin"),
    ],
)
async def test_every_answer_forbids_frames_scripts_of_others_and_caches(
    tmp_path: Path, method: str, path: str
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        reply = await world.browser().http.request(method, path)
    found = {name: reply.headers.get(name) for name, _ in HEADERS}
    assert found == dict(HEADERS)
    assert "frame-ancestors 'none'" in dict(HEADERS)["content-security-policy"]
    assert "unsafe" not in dict(HEADERS)["content-security-policy"]


async def test_no_page_needs_what_the_policy_forbids(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = world.browser()
        pages = [(await browser.get("/admin/login")).text]
        await browser.sign_in()
        pages += [
            (await browser.get(path)).text for path in ("/admin", "/admin/review")
        ]
        found = [tag for page in pages for tag in Reader(page).tags]
        links = {
            attributes.get("src") or attributes.get("href")
            for tag, attributes in found
            if tag in {"script", "link"}
        }
        codes = {link: (await browser.get(str(link))).status_code for link in links}
    assert set(codes.values()) == {200}
    assert len(codes) == 3
    for tag, attributes in found:
        assert tag not in {"style", "iframe", "object", "embed"}
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        assert tag != "script" or attributes.get("src")


HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>" onfocus="alert(3)'


async def test_what_an_agent_wrote_is_text_and_nothing_else(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        old = await world.propose(HOSTILE, rationale=HOSTILE)
        rule = {
            "domain": "files",
            "targets": ["*.txt"],
            "effect": "deny",
            "message": HOSTILE,
        }
        new = await world.propose(
            f"{HOSTILE} again",
            type="guardrail",
            rule=rule,
            recall=("<b>bold</b>",),
            rationale=HOSTILE,
            supersedes=old.id,
        )
        browser = await world.signed_in()
        pages = [
            (await browser.get(path)).text
            for path in ("/admin", "/admin/review", f"/admin/review?id={new.id}")
        ]
    for page in pages:
        tags = Reader(page).tags
        assert [tag for tag, _ in tags].count("script") == 1
        assert "img" not in {tag for tag, _ in tags}
        assert "b" not in {tag for tag, _ in tags}
        assert not [a for _, found in tags for a in found if a.startswith("on")]
    assert "<script>alert(1)</script>" in text_of(pages[1])


@pytest.mark.parametrize("query", ["id", "next", "why", "key", "told"])
async def test_nothing_in_an_address_becomes_markup(tmp_path: Path, query: str) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = world.browser()
        paths = ("/admin/login", "/admin/first", "/admin/nothing")
        pages = [
            await browser.http.get(path, params={query: HOSTILE}) for path in paths
        ]
        await browser.sign_in()
        pages += [
            await browser.http.get(path, params={query: HOSTILE})
            for path in ("/admin", "/admin/review")
        ]
    for page in pages:
        assert "alert(" not in page.text


async def test_a_message_cannot_be_made_by_who_plants_a_cookie(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        name = "abilities-admin-8765-told"
        for value in ("x", "WyJkb25lIl0=.00", ".", "=.x", "%.%"):
            browser.http.cookies.set(name, value, domain="127.0.0.1", path="/admin")
            page = await browser.get("/admin")
            assert page.status_code == 200
            assert 'class="told' not in page.text


@pytest.mark.parametrize("kind", ["text/plain", "application/json", ""])
async def test_what_is_no_form_is_not_read(tmp_path: Path, kind: str) -> None:
    async with admin_world(tmp_path, "ana") as world:
        reply = await world.browser().http.post(
            "/admin/login", content=b"name=ana", headers={**OWN, "content-type": kind}
        )
    assert reply.status_code == 415


async def test_a_form_has_a_limit(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        large = await browser.post(REJECT, {"text": "x" * 65_000})
        many = await browser.post(REJECT, {f"n{number}": "" for number in range(1001)})
    assert (large.status_code, many.status_code) == (413, 400)


async def test_pages_are_never_below_a_server_and_no_server_is_below_them(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        headers = (HOST, BEARER, JSON)
        below = Request(
            path="/admin/mcp", headers=headers, body=json.dumps(message).encode()
        )
        reply = await below.send_to(world.app)
        codes = [
            (await world.browser().get(path)).status_code
            for path in ("/mcp/admin", "/administrator", "/x/admin", "/admin/x")
        ]
    assert reply.status == 403
    assert codes == [404, 404, 404, 404]


async def test_a_port_of_their_own_has_the_pages_and_nothing_else(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana", port=9000) as world:
        seen = {}
        for port in (8765, 9000):
            browser = Browser(world.app, f"http://127.0.0.1:{port}")
            for path in ("/admin/login", "/healthz", "/mcp"):
                seen[port, path] = (await browser.get(path)).status_code
    assert seen == {
        (8765, "/admin/login"): 404,
        (8765, "/healthz"): 200,
        (8765, "/mcp"): 401,
        (9000, "/admin/login"): 200,
        (9000, "/healthz"): 404,
        (9000, "/mcp"): 404,
    }


async def test_no_secret_is_in_a_page_or_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = world.browser()
        wrong = "not the right words"
        replies = [await browser.sign_in("ana", wrong)]
        world.clock.now += 60
        replies.append(await browser.sign_in("ana"))
        replies.append(await browser.submit("/admin/review", APPROVE, secret=wrong))
        world.clock.now += 60
        replies.append(
            await browser.submit("/admin/review", APPROVE, secret=SECRETS["ana"])
        )
        status = await status_of(world, "gm-001")
    said = caplog.text + "".join(each.text + str(each.headers) for each in replies)
    assert status == "approved"
    assert wrong not in said
    assert SECRETS["ana"] not in said
    assert browser.session not in caplog.text
