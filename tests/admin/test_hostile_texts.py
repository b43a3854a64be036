"""Whatever agents and packs write is text on every page, and in every other answer."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from admin.admin_world import OWN, Browser, form_of
from admin.hostile_pages import Strict, faults_of
from admin.hostile_world import (
    PLACE,
    HostileWorld,
    hostile,
    hostile_world,
    plain,
)
from admin.test_log_page import Stream, live_scope
from cli.memory_world import SECRETS
from httpx2 import Response

from abilities_host.admin.formtoken import form_token
from abilities_host.admin.pages import PAGES
from abilities_host.admin.paths import below
from abilities_host.ledger import Ledger, Query

LIVE: Final = "/log/live"
FOR_REVIEWERS: Final = ("/access", "/tools", "/ledger/{seq:int}", "/ledger/session")
FINE: Final = (200, 303, 400, 404)


def names_on(reply: Response) -> set[str]:
    """Give the names of the texts that are read on a page; none of what is none."""
    is_page = reply.headers.get("content-type", "").startswith("text/html")
    return Strict(reply.text).names if is_page else set()


def visits(world: HostileWorld) -> dict[str, list[str]]:
    """Give the addresses that show each page with all that is hostile."""
    entries, told = world.entries, plain("asked")
    topic, pack = hostile("topic"), "plugins_dir/hostile"
    waits = {"definition": world.definition, "write": "wr-001", plain("kind"): "n:1"}
    ids = [f"gm-00{number}" for number in range(1, 6)]
    return {
        "/": [below("/")],
        "/review": [below("/review", id=id_) for id_ in ids],
        "/review/list": [below("/review/list")],
        "/waiting": [below("/waiting"), below("/waiting", kind=plain("kind"))],
        "/waiting/entry": [
            below("/waiting/entry", kind=kind, id=id_) for kind, id_ in waits.items()
        ],
        "/guidance": [below("/guidance"), below("/guidance", q=told, topic=told)],
        "/guidance/export": [below("/guidance/export")],
        "/guidance/topics": [
            below("/guidance/topics", q=told),
            below("/guidance/topics", name=topic),
        ],
        "/guidance/{id}": [below(f"/guidance/{id_}") for id_ in ids],
        "/guidance/{id}/edit": [below(f"/guidance/{id_}/edit") for id_ in ids],
        "/sessions": [below("/sessions"), below("/sessions", agent=told, session=told)],
        "/sessions/{id}": [below("/sessions/ss-0001")],
        "/ledger": [
            below("/ledger"),
            below("/ledger", session=hostile("entry-session")),
            below("/ledger", actor=told, domain=told, target=told, since=told),
        ],
        "/ledger/export": [below("/ledger/export", after="1")],
        "/ledger/{seq:int}": [
            below(f"/ledger/{seq}") for seq in (3, *entries.values())
        ],
        "/ledger/session": [
            below("/ledger/session", id=hostile("entry-session")),
            below("/ledger/session", id=told),
        ],
        "/ledger/{seq:int}/state/{side}": [
            below(f"/ledger/{entries[name]}/state/{side}")
            for name in ("svg", "picture", "text")
            for side in ("before", "after")
        ],
        "/log": [below("/log"), below("/log", client=told, ability=told, since=told)],
        LIVE: [below(LIVE, since=told)],  # for the rest see below
        "/tools": [
            below("/tools"),
            below("/tools", pack=pack, q="hostile"),
            below("/tools", q=told, pattern=told, category=told),
        ],
        "/tools/{namespace}/{name}": [
            below("/tools/hostile/shout"),
            below("/tools/acme/add"),
        ],
        "/tools/{namespace}/{name}/try": [
            below("/tools/hostile/shout/try"),
            below("/tools/hostile/shout/try", **{"as": "json"}),
        ],
        "/access": [below("/access"), below("/access", told="1", server=told)],
    }


FRAME: Final = {"page-name", "site"}
SEEN: Final[Mapping[str, set[str]]] = {
    "/": {"broken", "kind", "module", "topic"},
    "/review": {"proposer", "rationale", "recall", "rule", "scope", "text", "topic"},
    "/review/list": {"proposer", "text", "topic"},
    "/waiting": {"asker", "kind", "note", "wanted"},
    "/waiting/entry": {
        *("arguments", "asker", "changed", "cited", "kind", "note", "wanted"),
    },
    "/guidance": {"asked", "forged", "text", "topic"},
    "/guidance/export": set(),
    "/guidance/topics": {"asked", "exclude", "topic", "word"},
    "/guidance/{id}": {
        *("forged", "historian", "message", "proposer", "rationale", "recall"),
        *("reviewer", "rule", "scope", "text", "topic"),
    },
    "/guidance/{id}/edit": {
        *("forged", "message", "rationale", "recall", "rule", "scope", "text"),
        "topic",
    },
    "/sessions": {"asked", "narrative", "teller"},
    "/sessions/{id}": {
        *("aim", "deed", "digest", "narrative", "sentence", "session", "sort"),
        *("teller", "told"),
    },
    "/ledger": {
        *("actor", "asked", "entry-ability", "entry-action", "entry-actor"),
        *("entry-domain", "entry-session", "file"),
    },
    "/ledger/export": set(),
    "/ledger/{seq:int}": {
        *("actor", "content", "detail", "detail-key", "entry-ability"),
        *("entry-action", "entry-actor", "entry-call", "entry-domain"),
        *("entry-session", "entry-target", "file", "item", "key", "line-after"),
        *("line-before", "other-action", "other-target", "session", "value-after"),
        "value-before",
    },
    "/ledger/session": {
        *("asked", "entry-ability", "entry-action", "entry-domain", "entry-session"),
    },
    "/ledger/{seq:int}/state/{side}": set(),
    "/log": {
        *("asked", "log-ability", "log-actor", "log-client", "log-code"),
        *("log-method", "log-server"),
    },
    "/log/live": set(),
    "/tools": {"asked", "broken", "label", "module"},
    "/tools/{namespace}/{name}": {
        *("changed", "default", "description", "enum", "field", "group", "inner"),
        *("inner-default", "json-default", "json-key", "label", "output"),
        *("property", "schema", "short-default", "title"),
    },
    "/tools/{namespace}/{name}/try": {
        *("default", "enum", "field", "group", "inner", "inner-default"),
        *("json-default", "json-key", "property", "short-default"),
    },
    "/access": {"context", "maker", "only", "role", "scope", "server", "token"},
}
"""What is read on a page of what was written: a page that is not looked at fails."""


BAD: Final = (
    "<zqx>x</zqx>",
    '<a zqx="1">x</a>',
    '<a onclick="x">x</a>',
    '<a href="//evil.example">x</a>',
    '<a href="javascript:zqx(1)">x</a>',
    '<a href="/admin/ q">x</a>',
    '<a title="\u202e">x</a>',
    '<form action="https://evil.example"></form>',
    '<p style="color: red">x</p>',
    "<p>\u202e</p>",
    "<p>60481729</p>",
    "<p>x</textarea></p>",
    "<p>x",
    "<!-- x -->",
    "<script>zqx(1)</script>",
    '<script src="/admin/x.js"></script>',
    "<?zqx?>",
)


@pytest.mark.parametrize("bad", BAD)
def test_no_markup_of_others_goes_unseen(bad: str) -> None:
    script = '<script src="/admin/static/script.js"></script>'
    good = f'<html>{script}<p title="zqx-x">zqx-x &lt;zqx&gt;</p>{{}}</html>'
    assert Strict(good.format("")).faults == []
    assert Strict(good.format(bad)).faults != []


async def test_every_page_shows_hostile_texts_as_text(tmp_path: Path) -> None:
    faults: list[str] = []
    seen: dict[str, set[str]] = {}
    async with hostile_world(tmp_path / "world") as world:
        browser = await world.signed_in()
        secrets = (browser.session, SECRETS["ana"])
        for page, addresses in visits(world).items():
            replies = [await browser.get(address) for address in addresses]
            seen[page] = {name for each in replies for name in names_on(each)}
            faults += [f"{page}: {f}" for r in replies for f in faults_of(r, secrets)]
            faults += [page for each in replies if each.status_code not in FINE]
        reviewer = await world.signed_in("ben")
        for page in FOR_REVIEWERS:
            for address in visits(world)[page]:
                reply = await reviewer.get(address)
                faults += [f"{page} of ben: {fault}" for fault in faults_of(reply)]
    left = {page: SEEN[page] - seen[page] for page in SEEN if SEEN[page] - seen[page]}
    assert (faults, left) == ([], {})
    assert set(seen) == set(SEEN) == {page.path for page in PAGES}


ANSWERED: Final[Mapping[str, set[str]]] = {
    "pack": {"page-title", "page-value"},
    "question": {"form", "form-default", "form-property", "question"},
    "answer": {"result", "result-key"},
    "failure": {"failure"},
    "fields": {"enum", "field", "group", "inner", "inner-default", "property", "sent"},
    "edited": {"sent"},
    "unsuitable": {"sent"},
    "confirm": {"sent", "topic"},
    "token": {
        *("context", "maker", "only", "role", "scope", "sent", "server", "token"),
    },
    "undo": {"content", "file"},
    "session": {"file", "session"},
    "/admin/waiting/entry/reject": {"asker", "kind", "note", "sent", "wanted"},
    "/admin/review/reject": {"rationale", "recall", "text", "topic"},
    "import": {"brought"},
}


async def test_every_answer_to_a_form_shows_hostile_texts_as_text(
    tmp_path: Path,
) -> None:
    faults: list[str] = []
    seen: dict[str, set[str]] = {}
    async with hostile_world(tmp_path / "world") as world:
        browser = await world.signed_in()
        secrets = (browser.session, SECRETS["ana"])
        async for name, reply in answers(browser, world):
            faults += [f"{name}: {fault}" for fault in faults_of(reply, secrets)]
            shown = reply
            while "location" in shown.headers:
                shown = await browser.get(shown.headers["location"])
            faults += [f"{name}: {fault}" for fault in faults_of(shown, secrets)]
            seen[name] = names_on(shown) - FRAME
    assert (faults, seen) == ([], ANSWERED)


async def answers(
    browser: Browser, world: HostileWorld
) -> AsyncIterator[tuple[str, Response]]:
    """Send forms that are answered with what others wrote, or with what was sent."""
    tools, told = "/admin/tools/hostile", plain("sent")
    seq = await _written(world)
    yield "pack", await browser.get(PLACE)
    page = f"{tools}/ask/try"
    asked = await browser.submit(page, f"{page}/read")
    yield "question", asked
    start = asked.text.index("<form", asked.text.index("</nav>"))
    kept = form_of(
        asked.text[start : asked.text.index("</form>", start)], f"{page}/read"
    )
    yield "answer", await browser.post(f"{page}/read", {**kept, "answer": "yes"})
    page = f"{tools}/fail/try"
    yield "failure", await browser.submit(page, f"{page}/read")
    page = f"{tools}/shout/try"
    fields = {f"a{number}": told for number in range(6)} | {
        "a3-0": told,
        "a-rest": told,
    }
    yield "fields", await browser.submit(page, f"{page}/read", **fields)
    page = "/admin/guidance/gm-001/edit"
    wording = dict.fromkeys(("text", "rationale", "recall", "topic", "target"), told)
    given = {**wording, "type": "fact", "priority": "0", "class": "", "rule": ""}
    yield "edited", await browser.submit(page, f"{page}/save", **given)
    given = {**given, "rule": told, "priority": told}
    yield "unsuitable", await browser.submit(page, f"{page}/save", **given)
    page = below("/guidance/topics", name=hostile("topic"))
    given = {"state": told, "recall": told, told: told}
    yield "confirm", await browser.submit(page, "/admin/guidance/topics/put", **given)
    page = "/admin/access"
    given = {"name": told[:64], "scopes": told, "server": told, "role": told}
    given["secret"] = SECRETS["ana"]
    yield "token", await browser.submit(page, f"{page}/create", **given)
    page = f"/admin/ledger/{seq}"
    yield "undo", await browser.submit(page, f"{page}/preview")
    page = below("/ledger/session", id=plain("session"))
    yield "session", await browser.submit(page, "/admin/ledger/session/preview")
    for path in ("/admin/waiting/entry/reject", "/admin/review/reject"):
        token = form_token(browser.session, path)
        sent = dict.fromkeys(("kind", "id", "following", "next"), told)
        yield path, await browser.post(path, {**sent, "token": token})
    yield "import", await _brought(browser)


async def _written(world: HostileWorld) -> int:
    ledger: Ledger = world.admin.host.services.find(Ledger)
    [change] = (await ledger.list_changes(Query(domain="files"))).entries
    return change.entry.seq


async def _brought(browser: Browser) -> Response:
    path = "/admin/guidance/preview"
    entry = dict.fromkeys(
        ("id", "type", "topic", "text", plain("key")), plain("brought")
    )
    document = {"version": 1, "guidance": [entry], "topics": []}
    return await browser.http.post(
        path,
        data={"token": form_token(browser.session, path)},
        files={"document": (plain("name"), json.dumps(document).encode())},
        headers=OWN,
    )


async def test_downloads_and_streams_hold_hostile_texts_as_data(tmp_path: Path) -> None:
    async with hostile_world(tmp_path / "world") as world:
        browser = await world.signed_in()
        record = await browser.get("/admin/ledger/export?after=1")
        memory = await browser.get("/admin/guidance/export")
        live = Stream()
        scope = live_scope(browser, "after=0")
        running = asyncio.create_task(world.admin.app(scope, live.receive, live.send))
        await live.until("zqx-log-code")
        world.admin.host.is_stopping = True
        await running
        entries = world.entries
        places = [
            f"/admin/ledger/{entries[name]}/state/{side}"
            for name in ("svg", "picture")
            for side in ("before", "after")
        ]
        states = [await browser.get(place) for place in places]
    assert faults_of(record) + faults_of(memory) == []
    lines = [json.loads(line) for line in record.text.splitlines()]
    assert hostile("entry-target") in {line["target"] for line in lines}
    assert plain("rationale") in {
        each["rationale"] for each in memory.json()["guidance"]
    }
    events = [line for line in live.text.split("\n") if line]
    assert {line.partition(": ")[0] for line in events[1:-2]} == {"data"}
    cells = [json.loads(line.partition(": ")[2]) for line in events[1:-2]]
    assert [len(row) for row in cells] == [10, 10, 10]
    kinds = [each.headers["content-type"].partition(";")[0] for each in states]
    assert kinds == ["text/html", "text/html", "image/png", "image/gif"]
    assert [each.status_code for each in states] == [404, 404, 200, 200]
