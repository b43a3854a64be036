"""Pages that packs add are in the frame, and harm nothing but themselves."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from admin.admin_world import Reader, form_of, text_of
from admin.guest_world import (
    HERE,
    Seen,
    a_page,
    adding,
    guest_world,
    tokened,
)
from cli.memory_world import SECRETS
from server.world import READ, described, pack

from abilities_host.accounts import Accounts
from abilities_host.admin.guests.fragment import Templates
from abilities_host.admin.headers import POLICY
from abilities_host.errors import AbilitiesError, CallError
from abilities_host.hooks.finder import find_packs
from abilities_host.host import Host
from abilities_host.pages import (
    Action,
    Confirm,
    Content,
    Done,
    Form,
    Page,
    SeenOther,
    Visit,
    read_templates,
)
from docs import bookmark_page, bookmarks

REFUSED = (
    "is not marked read-only, and showing a page changes nothing. Call it in an action "
    "of the page."
)
EVIL = "<script>alert(1)</script>\u202e"


def links_of(html: str) -> list[tuple[str, str | None]]:
    """Give where the pages' navigation leads, and what is marked."""
    found, is_inside = list[tuple[str, str | None]](), False
    for tag, given in Reader(html).tags:
        is_inside = tag == "nav" or (is_inside and tag != "main")
        if tag == "a" and is_inside:
            found.append((given["href"] or "", given.get("aria-current")))
    return found


async def test_a_page_is_in_the_frame_and_in_the_navigation_behind_the_hosts(
    tmp_path: Path,
) -> None:
    async def show(visit: Visit) -> Content:
        return Content("page.html", {"text": EVIL})

    own = adding(
        a_page(show),
        a_page(path="/packs/notes/entry/{number:int}", is_listed=False),
        a_page(path="/packs/notes/more", title="<b>More</b>"),
    )
    async with guest_world(tmp_path, own) as world:
        browser = await world.signed_in()
        page = await browser.get(HERE)
        home = await browser.get("/admin")
        inner = await browser.get(f"{HERE}/more")
    links = links_of(page.text)
    assert (page.status_code, page.headers["content-security-policy"]) == (200, POLICY)
    assert "<title>Notes of all · Abilities</title>" in page.text
    assert "<h1>Notes of all</h1>" in page.text
    assert "From the pack local/notes" in text_of(page.text)
    assert "<p>&lt;script&gt;alert(1)&lt;/script&gt;\\u202e</p>" in page.text
    assert links[-2:] == [(HERE, "page"), (f"{HERE}/more", None)]
    assert links[0] == ("/admin", None)
    assert [to for to, _ in links_of(home.text)] == [to for to, _ in links]
    assert "<h1>&lt;b&gt;More&lt;/b&gt;</h1>" in inner.text


async def test_nobody_sees_it_who_is_not_signed_in(tmp_path: Path) -> None:
    seen = Seen()

    async def show(visit: Visit) -> Content:
        seen.visits.append(visit)
        return Content("page.html", {"text": "secret"})

    async with guest_world(tmp_path, adding(a_page(show))) as world:
        page = await world.browser().get(HERE)
        agent = await world.browser().get(HERE, authorization="Bearer x")
    assert (page.status_code, agent.status_code) == (303, 403)
    assert page.headers["location"].startswith("/admin/login")
    assert seen.visits == []


async def test_an_action_is_confirmed_and_recorded_with_the_person(
    tmp_path: Path,
) -> None:
    seen = Seen()

    async def clear(visit: Visit, form: Form) -> Done:
        seen.forms.append(form)
        return Done("Cleared {what}.", {"what": form.get("what")})

    actions = {"clear": Action(run=clear, confirm=Confirm.APPROVE)}
    form = '{% call form("clear", seen="v1") %}<input name="what">{% endcall %}'
    one = adding(a_page(actions=actions, template=form))
    other = adding(
        a_page(path="/packs/other", actions=actions, template=form), name="other"
    )
    path = f"{HERE}/clear"
    async with guest_world(tmp_path, one, other) as world:
        browser = await world.signed_in("ben")
        asked = await browser.submit(HERE, path, what="<all>")
        before = await world.record()
        done = await browser.post(
            path, {**form_of(asked.text, path), "secret": SECRETS["ben"]}
        )
        told = await browser.get(HERE)
        again = await browser.submit(HERE, path, what="more")
        elsewhere = [
            await browser.post(each, tokened(browser, each))
            for each in ("/admin/packs/other/clear", "/admin/review/approve")
        ]
        entries = await world.record()
    assert (asked.status_code, before) == (200, [])
    assert "Secret of ben" in text_of(asked.text)
    assert (done.status_code, done.headers["location"]) == (303, HERE)
    assert "Cleared &lt;all&gt;." in told.text
    assert again.status_code == 303
    assert [each.status_code for each in elsewhere] == [200, 200]
    assert all("Secret of ben" in text_of(each.text) for each in elsewhere)
    assert "From the pack local/notes" in text_of(asked.text)
    assert "From the pack" not in text_of(elsewhere[1].text)
    assert [(e["actor"], e["action"], e["target"]) for e in entries] == [
        ("ben", "clear", HERE)
    ] * 2
    assert entries[0]["details"] == {"pack": "local/notes", "by": "human"}
    assert [sorted(form.fields) for form in seen.forms] == [["seen", "what"]] * 2
    assert seen.forms[0].seen == "v1"
    assert not hasattr(seen.forms[0], "unlocked")


async def test_roles_keep_a_reviewer_from_what_an_operator_may(tmp_path: Path) -> None:
    seen = Seen()

    def keep(visit: Visit, form: Form) -> Done:
        seen.forms.append(form)
        return Done("Kept.")

    own = adding(
        a_page(actions={"keep": Action(run=keep, role="operator")}),
        a_page(path="/packs/notes/closed", role="operator"),
    )
    path = f"{HERE}/keep"
    async with guest_world(tmp_path, own) as world:
        ana, ben = await world.signed_in("ana"), await world.signed_in("ben")
        refused = await ben.post(path, tokened(ben, path))
        closed = await ben.get(f"{HERE}/closed")
        links = [to for to, _ in links_of((await ben.get(HERE)).text)]
        kept = await ana.post(path, tokened(ana, path))
        entries = await world.record()
    assert [r.status_code for r in (refused, closed, kept)] == [403, 403, 303]
    assert links[-1] == HERE
    assert [entry["actor"] for entry in entries] == ["ana"]
    assert len(seen.forms) == 1


# --- what goes wrong ----------------------------------------------------------


def raises(visit: Visit) -> Content:
    raise RuntimeError("a secret of the pack")


async def ends(visit: Visit) -> Content:
    raise SystemExit


async def hangs(visit: Visit) -> Content:
    await asyncio.Event().wait()
    return Content("page.html")


async def swallows(visit: Visit) -> Content:
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            continue


async def refuses(visit: Visit) -> Content:
    raise SeenOther


def gives(answer: Any) -> Callable[[Visit], Any]:
    return lambda _visit: answer


LINE = "." * 10_000
LOOP = f"{{% for a in range(90000) %}}{{{{ text }}}}{LINE}{{% endfor %}}"
BROKEN: dict[str, tuple[Callable[[Visit], Any] | None, str, int]] = {
    "raises": (raises, "", 500),
    "ends": (ends, "", 500),
    "hangs": (hangs, "", 504),
    "swallows": (swallows, "", 504),
    "refuses": (refuses, "", 500),
    "no content": (gives("<b>"), "", 500),
    "nothing": (gives(None), "", 500),
    "a done": (gives(Done("x")), "", 500),
    "no such template": (gives(Content("none.html")), "", 500),
    "a template of the host": (gives(Content("home.html")), "", 500),
    "odd values": (gives(Content("page.html", [1])), "", 500),  # type: ignore[arg-type]  # what a pack may do
    "odd status": (gives(Content("page.html", status=99)), "", 500),
    "no template at all": (None, "{% if %}", 500),
    "an unknown name": (None, "{{ site }}", 500),
    "the frame's visit": (None, "{{ visit.host }}", 500),
    "the frame's token": (None, '{{ token("/admin/review/approve") }}', 500),
    "the frame's templates": (None, '{% include "frame.html" %}', 500),
    "out of the sandbox": (None, "{{ text.__class__.__mro__ }}", 500),
    "an action of others": (None, '{% call form("/x") %}{% endcall %}', 500),
    "too long": (None, '{{ "x" * 2000000 }}', 500),
    "without end": (None, LOOP, 500),
}


@pytest.mark.parametrize("way", BROKEN)
async def test_a_broken_page_names_its_pack_and_nothing_else_breaks(
    tmp_path: Path, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    render, template, status = BROKEN[way]
    broken = a_page(render, template=template or "<p></p>")
    own = adding(broken, a_page(path="/packs/notes/good"))
    config = "[limits]\nhook_seconds = 0.5\n"
    async with guest_world(tmp_path, own, config=config) as world:
        browser = await world.signed_in()
        page = await browser.get(HERE)
        others = [await browser.get(to) for to in ("/admin", f"{HERE}/good")]
    assert page.status_code == status
    assert page.headers["content-security-policy"] == POLICY
    assert "belongs to the pack local/notes" in text_of(page.text)
    assert links_of(page.text)[-2] == (HERE, "page")
    assert "a secret of the pack" not in page.text
    assert [each.status_code for each in others] == [200, 200]
    assert own.state == "healthy"
    assert "page /admin/packs/notes of pack local/notes failed" in caplog.text


async def test_a_template_that_never_puts_anything_out_is_given_up(
    tmp_path: Path,
) -> None:
    going, entered = threading.Event(), threading.Event()

    def stand() -> str:
        entered.set()
        going.wait(30)
        return "late"

    own = adding(
        a_page(gives(Content("page.html", {"stand": stand})), template="{{ stand() }}")
    )
    config = "[limits]\nhook_seconds = 0.5\n"
    async with guest_world(tmp_path, own, config=config) as world:
        browser = await world.signed_in()
        first = await browser.get(HERE)
        second = await browser.get(HERE)
        was_entered = entered.is_set()
        going.set()
        async with asyncio.timeout(10):
            while (third := await browser.get(HERE)).status_code != 200:
                pass
    assert (first.status_code, second.status_code) == (504, 500)
    assert was_entered
    assert "late" in text_of(third.text)


def fails(visit: Visit, form: Form) -> Done:
    raise RuntimeError("a secret of the pack")


class Full(CallError):
    code = "full"

    def __init__(self) -> None:
        super().__init__("The shelf is full.")


def is_full(visit: Visit, form: Form) -> Done:
    raise Full


def gives_rubbish(visit: Visit, form: Form) -> Done:
    return Done(5)  # type: ignore[arg-type]  # what a pack may do


async def waits(visit: Visit, form: Form) -> Done:
    await asyncio.Event().wait()
    return Done("x")


async def previews(visit: Visit, form: Form) -> Content:
    return Content("page.html", {"text": form.get("text")}, title="A look")


async def test_what_an_action_does_wrong_is_told_and_recorded(tmp_path: Path) -> None:
    runs: dict[str, Callable[[Visit, Form], Any]] = {
        "fail": fails,
        "full": is_full,
        "rubbish": gives_rubbish,
        "wait": waits,
        "preview": previews,
    }
    own = adding(a_page(actions={n: Action(run=run) for n, run in runs.items()}))
    config = "[limits]\ncall_seconds = 0.5\n"
    async with guest_world(tmp_path, own, config=config) as world:
        browser = await world.signed_in()
        replies = {}
        for name in runs:
            path = f"{HERE}/{name}"
            fields = tokened(browser, path, text="<i>")
            replies[name] = await browser.post(path, fields)
        entries = await world.record()
    statuses = {name: reply.status_code for name, reply in replies.items()}
    assert statuses == {
        "fail": 500,
        "full": 303,
        "rubbish": 500,
        "wait": 504,
        "preview": 200,
    }
    assert "belongs to the pack local/notes" in text_of(replies["fail"].text)
    assert "<h1>A look</h1>" in replies["preview"].text
    assert "<p>&lt;i&gt;</p>" in replies["preview"].text
    assert "The shelf is full." in text_of(replies["rubbish"].text)
    said = [(e["action"], e["details"].get("failed", "")) for e in entries]
    assert said == [
        ("fail", ""),
        ("fail", "RuntimeError"),
        ("full", ""),
        ("full", "Full"),
        ("rubbish", ""),
        ("rubbish", "Rubbish"),
        ("wait", ""),
        ("wait", "TimeoutError"),
        ("preview", ""),
    ]


async def test_a_form_of_one_action_is_none_of_another(tmp_path: Path) -> None:
    seen = Seen()

    def keep(visit: Visit, form: Form) -> Done:
        seen.forms.append(form)
        return Done("Kept.")

    own = adding(a_page(actions={n: Action(run=keep) for n in ("one", "two")}))
    async with guest_world(tmp_path, own) as world:
        browser = await world.signed_in()
        fields = tokened(browser, f"{HERE}/one")
        replies = [
            await browser.post(f"{HERE}/two", fields),
            await browser.post(f"{HERE}/one", fields, headers={}),
            await browser.post(f"{HERE}/three", tokened(browser, f"{HERE}/three")),
        ]
    assert [reply.status_code for reply in replies] == [403, 403, 404]
    assert seen.forms == []


async def test_who_goes_away_meanwhile_leaves_nothing_running_and_blames_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    entered, ended = asyncio.Semaphore(0), list[str]()

    async def wait(what: str) -> None:
        entered.release()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(what)

    async def show(visit: Visit) -> Content:
        await wait("show")
        return Content("page.html")

    async def act(visit: Visit, form: Form) -> Done:
        await wait("act")
        return Done("x")

    own = adding(a_page(show, actions={"act": Action(run=act)}))
    async with guest_world(tmp_path, own) as world:
        browser = await world.signed_in()
        path = f"{HERE}/act"
        for going in (browser.get(HERE), browser.post(path, tokened(browser, path))):
            request = asyncio.create_task(going)
            await entered.acquire()
            request.cancel()
            with pytest.raises(asyncio.CancelledError):
                await request
        entries = await world.record()
    assert ended == ["show", "act"]
    assert len(entries) == 1
    assert "failed" not in caplog.text


# --- coming and going ---------------------------------------------------------


async def test_pages_of_a_pack_that_is_off_or_set_aside_are_gone_at_once(
    tmp_path: Path,
) -> None:
    run = described(lambda value: value, meta=READ)
    own = adding(
        a_page(actions={"clear": Action(run=fails)}), abilities=(("notes/look", run),)
    )
    async with guest_world(tmp_path, own) as world:
        browser = await world.signed_in()
        looks = []

        async def look() -> None:
            path = f"{HERE}/clear"
            page = await browser.get(HERE)
            acted = await browser.post(path, tokened(browser, path))
            home = await browser.get("/admin")
            is_listed = HERE in dict(links_of(home.text))
            looks.append((page.status_code, acted.status_code, is_listed))

        await look()
        for is_on in (False, True):
            await world.host.toggles.set("notes/*", is_on, by="ana")
            await look()
        own.set_aside("import: it broke")
        await look()
        entries = await world.record()
    there, gone = (200, 500, True), (404, 404, False)
    assert looks == [there, gone, there, gone]
    assert len(entries) == 4


async def test_a_host_that_only_reads_has_the_pages_of_packs_that_write(
    tmp_path: Path,
) -> None:
    write = ("notes/add", described(lambda value: value))
    own = adding(a_page(), abilities=(write,))
    async with guest_world(tmp_path, own, config="read_only = true") as world:
        browser = await world.signed_in()
        page = await browser.get(HERE)
    assert page.status_code == 200


async def test_a_pack_that_opens_wrongly_has_no_pages(tmp_path: Path) -> None:
    own = adding(a_page(), open_pack=lambda: 5)
    async with guest_world(tmp_path, own) as world:
        browser = await world.signed_in()
        page = await browser.get(HERE)
        pages = world.host.admin_pages
    assert (own.state, page.status_code, dict(pages)) == ("set aside", 404, {})


# --- what a page is given -----------------------------------------------------


async def test_a_visit_has_what_is_the_packs_business_and_no_more(
    tmp_path: Path,
) -> None:
    seen = Seen()

    async def show(visit: Visit) -> Content:
        seen.visits.append(visit)
        return Content("page.html", {"text": visit.text("Hello {who}", who="you")})

    own = adding(a_page(show, "/packs/notes/{kind}/{number:int}", is_listed=False))
    async with guest_world(tmp_path, own) as world:
        browser = await world.signed_in("ben")
        page = await browser.get(f"{HERE}/old/7?as=x")
        odd = await browser.get(f"{HERE}/a%20b/7")
    [visit] = seen.visits
    assert (page.status_code, odd.status_code) == (200, 404)
    assert "Hello you" in page.text
    assert {each for each in dir(visit) if not each.startswith("_")} == {
        *("actor", "call", "find", "language", "name", "note", "parameters", "query"),
        *("role", "text"),
    }
    assert (visit.name, visit.role, visit.language) == ("ben", "reviewer", "en")
    assert (visit.parameters, visit.query) == (
        {"kind": "old", "number": 7},
        {"as": "x"},
    )
    assert (visit.actor.kind, visit.actor.may("write")) == ("human", False)
    assert (visit.find(Host), visit.find(Accounts)) == (None, None)
    assert repr(visit) == "Visit('ben')"


async def test_showing_changes_nothing_and_acting_calls_as_the_person(
    tmp_path: Path,
) -> None:
    told: list[str] = []

    async def call(visit: Visit, name: str) -> str:
        try:
            outcome = await visit.call(name, {"a": 1})
        except AbilitiesError as error:
            return error.sentence
        return outcome.code or str(outcome.result)

    async def show(visit: Visit) -> Content:
        names = ("notes/look", "notes/add", "notes/none")
        told.extend([await call(visit, name) for name in names])
        return Content("page.html", {"text": ""})

    async def add(visit: Visit, form: Form) -> Done:
        told.append(await call(visit, "notes/add"))
        await visit.note("added", "note:1", size=1)
        return Done("Added.", to="//evil.example")

    given = (
        ("notes/look", described(lambda value: value, meta=READ)),
        ("notes/add", described(lambda value: value)),
    )
    own = adding(a_page(show, actions={"add": Action(run=add)}), abilities=given)
    path = f"{HERE}/add"
    async with guest_world(tmp_path, own) as world:
        browser = await world.signed_in()
        await browser.get(HERE)
        done = await browser.post(path, tokened(browser, path))
        entries = await world.record()
    assert told == [
        "{'a': 1}",
        f"'notes/add' {REFUSED}",
        "ability_not_found",
        "{'a': 1}",
    ]
    assert done.headers["location"] == HERE
    assert [(e["actor"], e["action"], e["target"]) for e in entries] == [
        ("ana", "add", HERE),
        ("ana", "added", "note:1"),
    ]


async def test_the_words_are_in_a_language_that_the_browser_asks_for(
    tmp_path: Path,
) -> None:
    words = {"de": {"Notes of all": "Notizen", "{count} of them": "{count:,} davon"}}
    page = a_page(
        words=words,
        template='<p>{{ t("{count} of them", count=1234) }} {{ t("Hm") }}</p>',
    )
    async with guest_world(tmp_path, adding(page)) as world:
        browser = await world.signed_in()
        german = await browser.get(
            HERE, **{"accept-language": "fr, de-AT;q=0.8, en;q=0.5"}
        )
        english = await browser.get(HERE, **{"accept-language": "fr;q=x"})
    assert '<h1 lang="de">Notizen</h1>' in german.text
    assert "<p>1,234 davon Hm</p>" in german.text
    assert f'<a href="{HERE}" lang="de" aria-current="page">Notizen</a>' in german.text
    assert '<html lang="en">' in german.text
    assert "<h1>Notes of all</h1>" in english.text
    assert "<p>1234 of them Hm</p>" in english.text


# --- packs as they come -------------------------------------------------------

FILE = """
from pathlib import Path
from abilities_host import hookimpl
from abilities_host.pages import Content, Page

def show(visit):
    return Content("page.html", {"at": 0, "row": "x"})

@hookimpl
def admin_pages():
    templates = {
        "page.html": '{% include "row.html" %} {{ at|moment }} {{ below("/log") }}',
        "row.html": "<b>{{ row }}</b>",
    }
    return [Page(path="/packs/single", title="One", render=show, templates=templates)]
"""


async def test_a_pack_of_one_file_adds_a_page(tmp_path: Path) -> None:
    folder = tmp_path / "plugins"

    def write() -> Any:
        folder.mkdir(mode=0o700)
        (folder / "single.py").write_text(FILE, encoding="utf-8")
        (folder / "single.py").chmod(0o600)
        return [p for p in find_packs(folder) if p.distribution == "plugins_dir"]

    packs = await asyncio.to_thread(write)
    async with guest_world(tmp_path / "host", *packs) as world:
        browser = await world.signed_in()
        page = await browser.get("/admin/packs/single")
    assert "<b>x</b>" in page.text
    assert (
        '<time datetime="1970-01-01T00:00:00Z">1970-01-01 00:00 UTC</time>' in page.text
    )
    assert "/admin/log" in text_of(page.text)


def test_a_template_that_goes_on_is_stopped_when_its_time_is_over() -> None:
    templates = Templates({"page.html": "{% for a in range(9) %}{{ a }}{% endfor %}"})

    assert templates.write("page.html", {}, 60) == "012345678"
    with pytest.raises(TimeoutError):
        templates.write("page.html", {}, -1)


def test_the_templates_of_a_package_are_those_of_its_folder() -> None:
    read = read_templates("abilities_host.admin")

    assert {"frame.html", "forms.html"} <= read.keys()
    assert read["forms.html"].startswith("{% macro form(")
    assert all(name.endswith(".html") for name in read)


async def test_the_page_of_the_how_to_shows_and_saves(tmp_path: Path) -> None:
    hooks = {
        name: getattr(bookmarks, name)
        for name in ("declare_pack", "register_categories", "register_abilities")
    }
    own = pack(name="bookmarks", admin_pages=bookmark_page.admin_pages, **hooks)
    at, path = "/admin/packs/bookmarks", "/admin/packs/bookmarks/save"
    good, bad = "https://example.org", "http://example.org"
    async with guest_world(tmp_path, own) as world:
        browser = await world.signed_in()
        page = await browser.get(at)
        asked = await browser.submit(at, path, url=good)
        kept = {**form_of(asked.text, path), "secret": SECRETS["ana"]}
        saved = await browser.post(path, kept)
        told = text_of((await browser.get(at)).text)
        stale = await browser.post(path, kept)
        after = text_of((await browser.get(at)).text)
        await browser.submit(at, path, url=bad)
        refused = text_of((await browser.get(at)).text)
    assert "Keep it" in text_of(page.text)
    assert (saved.status_code, stale.status_code) == (303, 303)
    assert "home leads to another address now." in told
    assert good in told
    assert "changed by somebody else" in after
    assert "Only https addresses are kept." in refused
    assert isinstance(bookmark_page.admin_pages()[0], Page)
