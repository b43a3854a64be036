"""What the frame does for whoever writes a page."""

import re
from pathlib import Path

from admin.admin_world import OWN, admin_world, form_of, text_of
from admin.test_ledger_page import write
from cli.memory_world import SECRETS
from starlette.responses import Response

from abilities_host.accounts import Role
from abilities_host.admin import Action, Confirm, Content, Done, Form, Page, Visit
from abilities_host.admin.formtoken import form_token
from abilities_host.admin.pages.home import HOME
from abilities_host.admin.paths import marks_of
from abilities_host.errors import CallError
from abilities_host.ledger import Ledger


class Notes:
    """A page that a test writes: it keeps what its actions were given."""

    def __init__(self) -> None:
        self.forms: list[Form] = []
        self.visits: list[Visit] = []

    async def show(self, visit: Visit) -> Content | Response:
        self.visits.append(visit)
        if visit.query.get("as") == "file":
            return Response("a,b", media_type="text/csv")
        if visit.query.get("as") == "taken":
            return Content("refused.html", {"title": "Mine", "problem": "plain"})
        shown = {"problem": "error.404", "about": {}}
        return Content("refused.html", shown, title="Notes", status=404)

    async def keep(self, visit: Visit, form: Form) -> Done:
        self.forms.append(form)
        await visit.note("setting", "kept", "note:1", size=len(form.files))
        return Done("plain", {"sentence": "Kept it."}, to="/admin/notes/1?as=is")

    async def hand_out(self, visit: Visit, form: Form) -> Response:
        return Response("secret once", media_type="text/plain")

    async def fail(self, visit: Visit, form: Form) -> Done:
        raise Refusing("<b>No</b> and " + "x" * 900)

    async def sign(self, visit: Visit, form: Form) -> Done:
        return Done("plain", {"sentence": form.unlocked.name}, to="//evil.example")

    def page(self, path: str = "/notes", role: Role = Role.REVIEWER) -> Page:
        return Page(
            path=path,
            title="review.title",
            render=self.show,
            role=role,
            actions={
                "keep": Action(run=self.keep),
                "hand-out": Action(run=self.hand_out, role=Role.OPERATOR),
                "fail": Action(run=self.fail),
                "sign": Action(run=self.sign),
                "confirm": Action(run=self.sign, confirm=Confirm.TOKEN),
            },
        )


class Refusing(CallError):
    code = "refusing"


def token_of(visit_session: str, path: str, seen: str = "") -> str:
    return form_token(visit_session, path, seen)


async def test_a_page_may_give_a_file_a_status_and_a_title(tmp_path: Path) -> None:
    notes = Notes()
    pages = (HOME, notes.page("/notes/{number:int}"))
    async with admin_world(tmp_path, "ana", pages=pages) as world:
        browser = await world.signed_in()
        page = await browser.get("/admin/notes/7")
        file = await browser.get("/admin/notes/7?as=file")
        taken = await browser.get("/admin/notes/7?as=taken")
        wrong = await browser.get("/admin/notes/seven")
    assert (page.status_code, file.status_code) == (404, 200)
    assert "<title>Notes · Abilities</title>" in page.text
    assert (file.text, file.headers["x-frame-options"]) == ("a,b", "DENY")
    assert (taken.status_code, wrong.status_code) == (500, 404)
    assert notes.visits[0].parameters == {"number": 7}
    assert notes.visits[0].actor.kind == "human"
    assert notes.visits[0].actor.may("anything:at-all")


async def test_an_action_gets_fields_and_files_and_notes_who_did_it(
    tmp_path: Path,
) -> None:
    notes, path = Notes(), "/admin/notes/keep"
    async with admin_world(tmp_path, "ana", pages=(HOME, notes.page())) as world:
        browser = await world.signed_in()
        reply = await browser.http.post(
            path,
            data={
                "token": token_of(browser.session, path, "v1"),
                "seen": "v1",
                "a": ["1", "2"],
            },
            files={"document": ("name.json", b"\xff\x00")},
            headers=OWN,
        )
        page = await browser.get("/admin")
        ledger = world.host.services.find(Ledger)
        [entry] = [e async for e in ledger.export() if e["kind"] == "setting"]
    [form] = notes.forms
    assert reply.headers["location"] == "/admin/notes/1?as=is"
    assert "Kept it." in text_of(page.text)
    assert (form.seen, form.get("a"), form.every("a")) == ("v1", "2", ("1", "2"))
    assert (form.get("none", "-"), form.every("none")) == ("-", ())
    assert form.files == {"document": b"\xff\x00"}
    assert (entry["actor"], entry["action"]) == ("ana", "kept")


async def test_what_a_service_refuses_is_told_as_text_at_the_page(
    tmp_path: Path,
) -> None:
    notes, path = Notes(), "/admin/notes/fail"
    async with admin_world(tmp_path, "ana", pages=(HOME, notes.page())) as world:
        browser = await world.signed_in()
        reply = await browser.post(path, {"token": token_of(browser.session, path)})
        page = await browser.get("/admin")
    assert reply.headers["location"] == "/admin/notes"
    assert "&lt;b&gt;No&lt;/b&gt; and xxx" in page.text


async def test_a_reviewer_is_kept_from_what_an_operator_may(tmp_path: Path) -> None:
    notes, path = Notes(), "/admin/notes/hand-out"
    closed = notes.page("/closed", Role.OPERATOR)
    pages = (HOME, notes.page(), closed)
    async with admin_world(tmp_path, "ana", "ben", pages=pages) as world:
        ana, ben = await world.signed_in("ana"), await world.signed_in("ben")
        allowed = await ana.post(path, {"token": token_of(ana.session, path)})
        refused = await ben.post(path, {"token": token_of(ben.session, path)})
        page = await ben.get("/admin/closed")
        inside = "/admin/closed/keep"
        kept = await ben.post(inside, {"token": token_of(ben.session, inside)})
        listed = (await ben.get("/admin")).text
        actor = notes.visits
    assert (allowed.status_code, allowed.text) == (200, "secret once")
    assert [each.status_code for each in (refused, page, kept)] == [403, 403, 403]
    assert "This needs the role operator." in text_of(refused.text)
    assert 'href="/admin/closed"' not in listed
    assert notes.forms == []
    assert actor == []


async def test_the_navigation_says_where_a_person_is(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        guidance, seq = (
            await world.propose("Prices are in euro."),
            await write(world, "1"),
        )
        browser = await world.signed_in()
        found = {
            path: re.findall(r'aria-current="(\w+)">([^<]+)', page.text)
            for path in (
                "",
                "/ledger",
                f"/ledger/{seq}",
                "/ledger/session",
                f"/guidance/{guidance.id}/edit",
                "/guidance/topics",
                "/tools/files/write",
                "/nothing",
            )
            for page in (await browser.get(f"/admin{path}"),)
        }
        path = f"/admin/ledger/{seq}"
        tried = await browser.submit(path, f"{path}/preview")
    assert found == {
        "": [("page", "Home")],
        "/ledger": [("page", "Ledger")],
        f"/ledger/{seq}": [("true", "Ledger")],
        "/ledger/session": [("true", "Ledger")],
        f"/guidance/{guidance.id}/edit": [("true", "Guidance")],
        "/guidance/topics": [("true", "Guidance")],
        "/tools/files/write": [("true", "Tools")],
        "/nothing": [],
    }
    assert 'aria-current="true">Ledger' in tried.text


def test_a_page_belongs_to_the_nearest_section() -> None:
    listed = ("/", "/a", "/a/b", "/ab")
    found = {path: marks_of(path, listed) for path in ("/a/b/c", "/a/b", "/abc", "/")}
    assert found == {
        "/a/b/c": {"/": "", "/a": "", "/a/b": "true", "/ab": ""},
        "/a/b": {"/": "", "/a": "", "/a/b": "page", "/ab": ""},
        "/abc": {"/": "", "/a": "", "/a/b": "", "/ab": ""},
        "/": {"/": "page", "/a": "", "/a/b": "", "/ab": ""},
    }


async def test_nobody_signs_without_having_confirmed(tmp_path: Path) -> None:
    notes = Notes()
    async with admin_world(tmp_path, "ana", pages=(HOME, notes.page())) as world:
        browser = await world.signed_in()
        replies = []
        for name in ("sign", "confirm"):
            path = f"/admin/notes/{name}"
            fields = {"token": token_of(browser.session, path), "note": "<b>"}
            replies.append(await browser.post(path, fields))
        kept = form_of(replies[1].text, "/admin/notes/confirm")
        done = await browser.post(
            "/admin/notes/confirm", {**kept, "secret": SECRETS["ana"]}
        )
        page = await browser.get("/admin")
    assert replies[0].status_code == 500
    assert (replies[1].status_code, kept["note"]) == (200, "<b>")
    assert done.headers["location"] == "/admin/notes"  # and not out of the pages
    assert "ana" in text_of(page.text)


async def test_a_reviewer_calls_as_somebody_who_only_reads(tmp_path: Path) -> None:
    notes = Notes()
    async with admin_world(tmp_path, "ana", "ben", pages=(HOME, notes.page())) as world:
        browser = await world.signed_in("ben")
        await browser.get("/admin/notes")
    [visit] = notes.visits
    assert (visit.name, visit.role) == ("ben", Role.REVIEWER)
    assert (visit.actor.may("read"), visit.actor.may("write")) == (True, False)
    assert visit.find(Ledger) is not None
    assert visit.find(Notes) is None
