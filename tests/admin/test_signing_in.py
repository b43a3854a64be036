"""Who signs in, who does not, and what a session is worth."""

import asyncio
from pathlib import Path

import pytest
from admin.admin_world import (
    NOON,
    OWN,
    SESSION,
    URL,
    Browser,
    admin_world,
    form_of,
    text_of,
)
from cli.memory_world import SECRETS
from server.http_world import TOKEN

from abilities_host.admin.links import FirstLinks
from abilities_host.admin.sessions import Sessions, digest_of
from abilities_host.ledger import Ledger
from abilities_host.storage.base import Statement


async def test_who_is_not_signed_in_is_asked_to_and_comes_back(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = world.browser()
        sent = await browser.get("/admin/review?id=gm-001")
        where = sent.headers["location"]
        shown = await browser.submit(
            where, "/admin/login", name="Ána", secret=SECRETS["ana"]
        )
        page = await browser.get(shown.headers["location"])
    assert (sent.status_code, where) == (
        303,
        "/admin/login?next=/admin/review%3Fid%3Dgm-001",
    )
    assert (shown.status_code, shown.headers["location"]) == (
        303,
        "/admin/review?id=gm-001",
    )
    assert "Signed in as ana, operator" in text_of(page.text)


async def test_a_session_is_kept_by_its_hash_in_a_cookie_for_these_pages_only(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = world.browser()
        reply = await browser.sign_in()
        kept = await world.host.store.read("SELECT digest FROM admin_session")
    [cookie] = [
        each
        for each in reply.headers.get_list("set-cookie")
        if each.startswith(f"{SESSION}=")
    ]
    value, *attributes = cookie.partition("=")[2].split("; ")
    assert sorted(attributes) == ["HttpOnly", "Path=/admin", "SameSite=strict"]
    assert kept == [(digest_of(value),)]
    assert len(value) == 43  # 256 bits


async def test_a_session_id_that_was_there_before_is_never_used_on(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        planted = await world.signed_in("ben")
        victim = world.browser()
        shown = await victim.get("/admin/login")
        victim.plant(planted.session)
        fields = form_of(shown.text, "/admin/login")
        await victim.post(
            "/admin/login", {**fields, "name": "ana", "secret": SECRETS["ana"]}
        )
        after = await planted.get("/admin")
    assert victim.session not in {"", planted.session}
    assert after.status_code == 303  # what was planted has ended


async def test_wrong_secrets_make_the_name_wait_and_are_told_at_the_next_time(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = world.browser()
        wrong = await browser.sign_in("ana", "not the right words")
        unknown = await browser.sign_in("zoe", "not the right words")
        early = await browser.sign_in("ana")
        world.clock.now += 61
        late = await browser.sign_in("ana")
        page = await browser.get("/admin")
        again = await browser.get("/admin")
    said = "No account has this name and this secret. Wait one minute"
    assert [each.status_code for each in (wrong, unknown, early)] == [403, 403, 403]
    assert said in text_of(wrong.text)
    assert said in text_of(unknown.text)
    assert "Wait one minute" in text_of(early.text)
    assert late.status_code == 303
    assert "One try for your account failed since the last time." in text_of(page.text)
    assert "failed since" not in text_of(again.text)


async def test_one_address_may_not_try_many_names(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = world.browser()
        codes = [
            (await browser.sign_in(f"name{number}", "some secret words")).status_code
            for number in range(11)
        ]
    assert codes == [403] * 10 + [429]


async def test_a_session_ends_after_half_an_hour_without_use(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        codes = []
        for seconds in (29 * 60, 29 * 60, 31 * 60):
            world.clock.now += seconds
            codes.append((await browser.get("/admin")).status_code)
    assert codes == [200, 200, 303]


async def test_a_session_ends_after_eight_hours_however_it_is_used(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser, codes = await world.signed_in(), []
        while world.clock.now < NOON + 8 * 3600 + 1200:
            world.clock.now += 1200
            codes.append((await browser.get("/admin")).status_code)
    assert codes == [200] * 23 + [303, 303]


async def test_a_session_ends_with_the_account_and_with_its_secret(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        ana, ben = await world.signed_in("ana"), await world.signed_in("ben")
        world.clock.now += 1
        await world.accounts.change_secret("ana", SECRETS["ana"], "another secret")
        by = await world.accounts.verify("ana", "another secret")
        await world.accounts.disable("ben", by=by)
        codes = [(await each.get("/admin")).status_code for each in (ana, ben)]
    assert codes == [303, 303]


async def test_signing_out_ends_the_session_in_the_store(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        id_ = browser.session
        reply = await browser.submit("/admin", "/admin/logout")
        browser.plant(id_)
        after = await browser.get("/admin")
        bare = await world.browser().post("/admin/logout", {"token": "any"})
    assert reply.headers["location"] == "/admin/login?why=out"
    assert after.status_code == 303
    assert bare.status_code == 303


async def test_an_account_has_twenty_sessions_and_they_can_be_listed_and_ended(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        first = await world.signed_in()
        sessions = Sessions(world.host.store, world.clock)
        for _ in range(20):
            world.clock.now += 1
            await sessions.open("ana", address="192.0.2.7", browser="x" * 300)
        listed = await sessions.list()
        is_ended = await sessions.end_by_id(listed[0].id)
        left = await sessions.list()
        again = await sessions.end_by_id(listed[0].id)
        gone = await first.get("/admin")
    assert len(listed) == 20
    assert (listed[0].account, listed[0].address) == ("ana", "192.0.2.7")
    assert len(listed[0].browser) == 200
    assert (is_ended, again) == (True, False)
    assert left == listed[1:]
    assert gone.status_code == 303


@pytest.mark.parametrize(
    "wish",
    [
        "https://evil.example",
        "//evil.example/admin",
        "/admin//evil.example",
        "/administrator",
        "/admin/../mcp",
        "/admin\\evil",
        "/admin/x\r\nset-cookie: a=b",
        "javascript:alert(1)",
        "/mcp",
        "/admin?" + "x" * 600,
    ],
)
async def test_nobody_is_sent_out_of_the_pages(tmp_path: Path, wish: str) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = world.browser()
        shown = await browser.submit(
            "/admin/login",
            "/admin/login",
            name="ana",
            secret=SECRETS["ana"],
            next=wish,
        )
        signed = await browser.http.get("/admin/login", params={"next": wish})
    assert shown.headers["location"] == "/admin"
    assert signed.headers["location"] == "/admin"


async def test_a_token_of_a_program_opens_nothing(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        bearer = f"Bearer {TOKEN}"
        alone = await world.browser().get("/admin", authorization=bearer)
        beside = await browser.get("/admin/review", authorization=bearer)
        style = await browser.get("/admin/static/x.css", authorization=bearer)
    assert [each.status_code for each in (alone, beside, style)] == [403, 403, 403]
    assert "Tokens of programs open nothing here" in text_of(alone.text)


async def test_the_first_account_is_made_by_a_link_that_works_once(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path) as world:
        browser, second = world.browser(), world.browser()
        nobody = await browser.get("/admin/login")
        links = FirstLinks(world.host.store, world.clock)
        gone, key = await links.make(), await links.make()
        earlier = await browser.get(f"/admin/first?key={gone}")
        page = f"/admin/first?key={key}"
        given = {"name": "ana", "secret": "four words of ana"}
        differ = await browser.submit(page, "/admin/first", **given, again="other")
        short = await browser.submit(
            page, "/admin/first", **{**given, "secret": "short"}, again="short"
        )
        waiting = form_of((await second.get(page)).text, "/admin/first")
        made = await browser.submit(
            page, "/admin/first", **given, again=given["secret"]
        )
        home = await browser.get(made.headers["location"])
        late = {**waiting, **given, "name": "eve", "again": given["secret"]}
        other = await second.post("/admin/first", late)
        after = await second.get(page)
        names = [(each.name, each.role) for each in await world.accounts.list()]
    assert "abilities admin link" in text_of(nobody.text)
    assert [each.status_code for each in (earlier, other, after)] == [403, 403, 403]
    assert "not the same" in text_of(differ.text)
    assert (short.status_code, made.status_code) == (400, 303)
    assert "Your account is made." in text_of(home.text)
    assert names == [("ana", "operator")]


async def test_a_link_is_of_no_use_after_a_quarter_of_an_hour(tmp_path: Path) -> None:
    async with admin_world(tmp_path) as world:
        browser = world.browser()
        await browser.get("/admin/login")
        key = await FirstLinks(world.host.store, world.clock).make()
        world.clock.now += 15 * 60
        late = await browser.get(f"/admin/first?key={key}")
    assert late.status_code == 403


async def test_coming_and_going_is_in_the_record_and_no_secret_is(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await browser.submit("/admin", "/admin/logout")
        ledger = world.host.services.find(Ledger)
        entries = [each async for each in ledger.export()]
    access = [each for each in entries if each["kind"] == "access"]
    assert [(each["actor"], each["action"]) for each in access] == [
        ("ana", "login"),
        ("ana", "logout"),
    ]
    assert SECRETS["ana"] not in str(entries)


async def test_over_https_the_cookie_is_for_this_host_alone(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = Browser(world.app, "https://127.0.0.1:8765")
        shown = await browser.get("/admin/login")
        given = {"name": "ana", "secret": SECRETS["ana"]}
        reply = await browser.post(
            "/admin/login",
            {**form_of(shown.text, "/admin/login"), **given},
            {**OWN, "origin": URL.replace("http:", "https:")},
        )
    [cookie] = [
        each
        for each in reply.headers.get_list("set-cookie")
        if each.startswith("__Host-abilities-admin-8765-session=")
    ]
    assert sorted(cookie.split("; ")[1:]) == [
        "HttpOnly",
        "Path=/",
        "SameSite=strict",
        "Secure",
    ]


async def test_what_goes_wrong_is_said_without_details(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await world.host.store.write([Statement("DROP TABLE admin_session")])
        broken = await browser.get("/admin")
        await asyncio.to_thread(world.host.loaded.store_path.unlink)
        missing = await world.browser().get("/admin/login")
    assert (broken.status_code, missing.status_code) == (500, 503)
    assert "The log of the host says what." in text_of(broken.text)
    assert "admin_session" not in broken.text
    assert str(tmp_path) not in missing.text
