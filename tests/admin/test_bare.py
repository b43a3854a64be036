"""The pages of a host without packs, behind a proxy, and with what goes wrong."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from admin.admin_world import OWN, URL, Browser, Clock, admin_world, form_of, text_of
from cli.memory_world import SECRETS
from server.http_world import TOKEN
from server.world import running
from starlette.responses import Response, StreamingResponse

from abilities_host.accounts import Accounts, Cost
from abilities_host.admin import Action, AdminApp, Done, Form, Page, Visit
from abilities_host.admin.annex import admin_annex
from abilities_host.admin.formtoken import form_token
from abilities_host.admin.pages import PAGES
from abilities_host.host import Host
from abilities_host.server.annex import Annex
from abilities_host.server.http import HttpApp, serve_host

PUBLIC = "https://abilities.example.org"


async def note(visit: Visit, form: Form) -> Done:
    await visit.note("setting", "noted")
    return Done("review.approved", {"id": "it"})


async def show_breaking(visit: Visit) -> Response:
    async def parts() -> AsyncIterator[bytes]:
        yield b"a part"
        raise RuntimeError

    return StreamingResponse(parts())


async def show_waiting(visit: Visit) -> Response:
    await asyncio.Event().wait()
    return Response()


def page(name: str, show: Callable[[Visit], Awaitable[Response]]) -> Page:
    return Page(
        path=f"/{name}",
        title="home.title",
        render=show,
        actions={"note": Action(run=note)},
    )


@asynccontextmanager
async def bare(folder: Path, config: str = "") -> AsyncIterator[tuple[HttpApp, Host]]:
    """Serve a host without packs that somebody has an account of."""
    clock = Clock()
    async with running(folder, config=config) as host:
        cost = Cost(memory=8, passes=1, lanes=1)
        accounts = Accounts(host.store, cost=cost, clock=clock)
        await accounts.migrate()
        await accounts.add("ana", SECRETS["ana"], by=None)
        pages = (*PAGES, page("breaks", show_breaking), page("waits", show_waiting))
        admin = AdminApp(host, accounts, pages=pages, clock=clock, steady=clock)
        app = serve_host(host, URL, token=TOKEN, annex=Annex(admin, "/admin"))
        async with app.running():
            yield app, host


async def test_without_packs_there_is_nothing_to_decide_and_no_record(
    tmp_path: Path,
) -> None:
    async with bare(tmp_path, "kill_switch = true\nread_only = true") as (app, _):
        browser = Browser(app)
        await browser.sign_in()
        home = text_of((await browser.get("/admin")).text)
        review = text_of((await browser.get("/admin/review")).text)
        path = "/admin/review/reject"
        fields = {"token": form_token(browser.session, path), "id": "gm-001"}
        rejected = await browser.post(path, fields)
        told = text_of((await browser.get("/admin/review")).text)
        path = "/admin/waits/note"
        noted = await browser.post(path, {"token": form_token(browser.session, path)})
    assert "The kill switch is on: no server answers." in home
    assert "Every write is off." in home
    assert "No healthy pack keeps the project's memory here." in review
    assert rejected.status_code == 303
    assert "memory" in told
    assert noted.headers["location"] == "/admin/waits"


async def test_who_is_signed_in_is_not_asked_again(tmp_path: Path) -> None:
    async with bare(tmp_path) as (app, _):
        browser = Browser(app)
        await browser.sign_in()
        reply = await browser.get("/admin/login?next=/admin/review")
    assert (reply.status_code, reply.headers["location"]) == (303, "/admin/review")


async def test_an_account_that_is_off_is_told_so_who_knows_its_secret(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        by = await world.accounts.verify("ana", SECRETS["ana"])
        await world.accounts.disable("ben", by=by)
        off = await world.browser().sign_in("ben")
        none = await world.browser().sign_in("no name!", "some secret words")
    assert "This account is switched off, for good." in text_of(off.text)
    assert "No account has this name and this secret." in text_of(none.text)


async def test_behind_a_proxy_the_public_address_is_the_origin(tmp_path: Path) -> None:
    config = f'[http]\npublic_url = "{PUBLIC}"\ntrusted_proxies = ["127.0.0.1"]\n'
    async with bare(tmp_path, config) as (app, _):
        browser = Browser(app)
        shown = await browser.get("/admin/login")
        visitor = shown.headers["set-cookie"].partition(";")[0]
        fields = {
            **form_of(shown.text, "/admin/login"),
            "name": "ana",
            "secret": SECRETS["ana"],
        }
        forwarded = {
            "x-forwarded-proto": "https",
            "x-forwarded-host": "abilities.example.org",
            "cookie": visitor,
        }
        replies = [
            await Browser(app).post(
                "/admin/login", fields, {**OWN, **forwarded, "origin": origin}
            )
            for origin in (PUBLIC, URL, "https://app.example.org")
        ]
    assert visitor.startswith("__Host-")
    assert [each.status_code for each in replies] == [303, 403, 403]


async def test_what_breaks_in_the_middle_is_not_ended_as_if_it_were_whole(
    tmp_path: Path,
) -> None:
    async with bare(tmp_path) as (app, _):
        browser = Browser(app)
        await browser.sign_in()
        with pytest.raises(RuntimeError):
            await browser.get("/admin/breaks")


async def test_a_page_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    async with bare(tmp_path, "[limits]\nrequest_seconds = 0.2\n") as (app, _):
        browser = Browser(app)
        await browser.sign_in()
        reply = await browser.get("/admin/waits")
    assert reply.status_code == 504


async def test_the_first_requests_may_come_at_once(tmp_path: Path) -> None:
    async with bare(tmp_path) as (app, _):
        replies = await asyncio.gather(
            *(Browser(app).get("/admin/login") for _ in range(5))
        )
    assert [each.status_code for each in replies] == [200] * 5


@pytest.mark.parametrize(
    ("config", "port"),
    [("", 0), ("port = 9000", 9000), ("port = 8765", 0), ("enabled = false", None)],
)
async def test_the_configuration_says_where_the_pages_are(
    tmp_path: Path, config: str, port: int | None
) -> None:
    async with running(tmp_path, config=f"[admin]\n{config}\n") as host:
        annex = admin_annex(host)
    assert (annex.port if annex else None) == port
