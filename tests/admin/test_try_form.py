"""The form that calls an ability: what a person fills in, and how the call ended."""

import re
from pathlib import Path
from typing import Any

import pytest
from admin.admin_world import OWN, AdminWorld, Browser, admin_world, form_of, text_of
from cli.memory_world import SECRETS
from hypothesis import given
from hypothesis import strategies as st
from server.http_world import TOKEN

from abilities_host.admin.formtoken import form_token
from abilities_host.admin.trial import RESULT, cut, shown_outcome
from abilities_host.admin.weight import weight_of
from abilities_host.calls import Outcome
from abilities_host.ledger import Ledger

WRITE = "/admin/tools/files/write/try"
ECHO = "/admin/tools/trying/echo/try"
FILE = {"path": "a.txt", "text": "<b>new</b>"}
PACK = r"""
from abilities_host import AbilityFailed, Answer, Call, NeedsInput, hookimpl

PROPERTIES = {
    "text": {"type": "string", "description": "Say <i>it</i>.", "default": "hi"},
    "count": {"type": "integer", "minimum": 1, "maximum": 9},
    "mode": {"enum": ["a", "<script>alert(1)</script>"]},
    "is_on": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "place": {"type": "object", "properties": {"x": {"type": "number"}}},
    "token": {"type": "string"},
    '"><script>alert(2)</script>\u202e': {"type": "integer"},
}
FORM = {"type": "object", "properties": {"why": {"type": "string"}}}


async def ask(arguments, call):
    if call.answer is None:
        raise NeedsInput("Which <b>one</b>?", form=FORM)
    return {"yes": call.answer.is_accepted, "said": call.answer.content}


async def fail(arguments):
    raise AbilityFailed("It <b>failed</b>.", code="demo_failed")


ALL = {
    "echo": (lambda arguments: arguments, {"type": "object", "properties": PROPERTIES}),
    "needs": (
        lambda arguments: arguments,
        {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    ),
    "large": (lambda: "line \u202e\n" * 20_000, None),
    "fail": (fail, {"type": "object"}),
    "ask": (ask, {"type": "object", "properties": {"n": {"type": "integer"}}}),
    "deep": (lambda a: {"a": [1, None]}, {"type": "object", "properties": {}}),
}


REGISTRY = []


def change():
    REGISTRY[-1].unregister_ability("trying/echo")
    add(REGISTRY[-1], "echo", "Does something else.", *ALL["echo"])


def add(registry, name, description, work, schema):
    registry.register_ability(
        "trying/" + name, label=name, category="trying", description=description,
        execute_callback=work, permission_callback=lambda: True,
        input_schema=schema, meta={"annotations": {"readonly": True}})


@hookimpl
def register_categories(registry):
    registry.register_category("trying", label="Trying", description="For the tests.")


@hookimpl
def register_abilities(registry):
    REGISTRY.append(registry)
    for name, (work, schema) in {**ALL, "change": (change, None)}.items():
        add(registry, name, "Does it.", work, schema)
"""


def prepare(config: Path) -> None:
    plugin = config.parent / "plugins" / "trying.py"
    plugin.write_text(PACK, encoding="utf-8")


def names(html: str) -> dict[str, str]:
    """Give the names of properties to the fields of a page."""
    found = re.findall(r'<label for="(a[^"]+)">(.*?)(?: <span.*?)?</label>', html)
    return {name: key for key, name in found}


async def call(browser: Browser, page: str, **values: str) -> str:
    """Fill in the form of something that changes nothing; give the answer."""
    shown = (await browser.get(page)).text
    fields = names(shown)
    written = {fields[name]: value for name, value in values.items()}
    action = f"{page.partition('?')[0]}/read"
    reply = await browser.post(action, {**form_of(shown, action), **written})
    assert reply.status_code == 200, reply.text
    return reply.text


async def write_in(browser: Browser, **more: str) -> Any:
    """Fill in the form of files/write; give the page that answers."""
    fields = names((await browser.get(WRITE)).text)
    written = {fields[name]: value for name, value in FILE.items()}
    return await browser.submit(WRITE, f"{WRITE}/write", **written, **more)


async def changes(world: AdminWorld) -> list[tuple[Any, ...]]:
    ledger = world.host.services.find(Ledger)
    return [
        (each["actor"], each["ability"], each["target"])
        async for each in ledger.export()
        if each["kind"] == "change"
    ]


async def test_a_form_has_a_field_for_each_argument(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", prepare=prepare) as world:
        browser = await world.signed_in()
        page = (await browser.get(ECHO)).text
        tool = (await browser.get("/admin/tools/trying/echo")).text
    fields = names(page)
    assert f'href="{ECHO}"' in tool
    assert [*fields][:5] == ["text", "count", "mode", "is_on", "tags"]
    assert "<legend>place</legend>" in page
    assert [fields[name] for name in ("x", "token")] == ["a5-0", "a6"]
    assert "<script>alert" not in page
    assert "Say &lt;i&gt;it&lt;/i&gt;." in page
    assert "alert(2)&lt;/script&gt;\\u202e" in page
    assert re.search(
        r'<input step="1" min="1" max="9" id="a1"[^>]* type="number"', page
    )
    assert ">\nhi</textarea>" in page
    assert "It changes nothing." in text_of(page)


async def test_what_is_filled_in_arrives_and_the_result_is_shown(
    tmp_path: Path,
) -> None:
    given_ = {"text": "a\nb", "count": "3", "mode": "1", "is_on": "false"}
    given_ |= {"tags": '["x"]', "x": "1.5", "token": "mine"}
    async with admin_world(tmp_path, "ana", prepare=prepare) as world:
        browser = await world.signed_in()
        page = await call(browser, ECHO, **given_)
        entries = await changes(world)
    said = text_of(page)
    for part in (
        "It went well Result {",
        '"text": "a\\nb"',
        '"count": 3',
        '"mode": "<script>alert(1)</script>"',
        '"is_on": false',
        '"tags": [ "x" ]',
        '"place": { "x": 1.5 }',
        '"token": "mine"',
    ):
        assert part in said, part
    assert "<script>alert" not in page
    assert ">\na\nb</textarea>" in page
    assert '<option value="1" selected>' in page
    assert entries == []


async def test_all_arguments_may_be_json(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", prepare=prepare) as world:
        browser = await world.signed_in()
        fields = (await browser.get(ECHO)).text
        page = f"{ECHO}?as=json"
        good = await browser.submit(page, f"{ECHO}/read", **{"a-all": '{"text": ""}'})
        bad = await browser.submit(page, f"{ECHO}/read", **{"a-all": '{"text": }'})
    assert f'href="{page}"' in fields
    assert 'Result { "text": "" }' in text_of(good.text)
    assert "This is not JSON at line 1, column 10." in text_of(bad.text)
    assert 'aria-invalid="true"' in bad.text
    assert "{&#34;text&#34;: }</textarea>" in bad.text
    assert "Result" not in text_of(bad.text)


async def test_what_is_no_number_calls_nothing(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", prepare=prepare) as world:
        page = await call(await world.signed_in(), ECHO, count="many")
    assert "This is no whole number." in text_of(page)
    assert 'value="many"' in page
    assert "Result" not in text_of(page)


async def test_a_refusal_has_its_code_and_its_message(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", prepare=prepare) as world:
        browser = await world.signed_in()
        invalid = text_of(await call(browser, "/admin/tools/trying/needs/try"))
        failed = await call(browser, "/admin/tools/trying/fail/try")
    assert "It was refused ability_invalid_input Ability 'trying/needs'" in invalid
    assert "It failed demo_failed It <b>failed</b>." in text_of(failed)
    assert "<b>failed" not in failed


async def test_a_large_result_is_cut_and_says_so(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", prepare=prepare) as world:
        browser = await world.signed_in()
        page = await call(browser, "/admin/tools/trying/large/try")
        none = text_of(await call(browser, "/admin/tools/trying/deep/try"))
    assert "There is more than is shown here." in page
    assert len(page.encode()) < RESULT + 10_000
    assert "It takes no arguments." in text_of(page)
    assert 'Result { "a": [ 1, null ] }' in none


async def test_a_question_of_the_ability_is_answered_in_a_form(tmp_path: Path) -> None:
    path = "/admin/tools/trying/ask/try"
    async with admin_world(tmp_path, "ana", prepare=prepare) as world:
        browser = await world.signed_in()
        asked = await call(browser, path, n="4")
        kept = _first_form(asked, f"{path}/read")
        given_ = {**kept, "answer": "yes", "c0": "So."}
        answered = await browser.post(f"{path}/read", given_)
        again = await browser.post(f"{path}/read", given_)
        broken = {**given_, "answer-schema": '{"type": "object"}', "c-all": "{"}
        refused = await browser.post(f"{path}/read", broken)
        told = text_of((await browser.get(refused.headers["location"])).text)
        no_form = {**given_, "answer-schema": "{", "answer": "no"}
        unread = await browser.post(f"{path}/read", no_form)
    assert "You are asked first Which <b>one</b>?" in text_of(asked)
    assert kept["a0"] == "4"
    assert 'Result { "yes": true, "said": { "why": "So." } }' in text_of(answered.text)
    assert "You are asked first" in text_of(again.text)
    assert "The answer was not understood" in told
    assert "You are asked first" in text_of(unread.text)


def _first_form(html: str, action: str) -> dict[str, str]:
    """Give the hidden fields of the first of two forms to one address."""
    start = html.index("<form", html.index("</nav>"))
    return form_of(html[start : html.index("</form>", start)], action)


async def test_a_write_asks_for_the_secret_and_is_in_the_record_with_the_person(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana", prepare=prepare) as world:
        browser = await world.signed_in()
        page = text_of((await browser.get(WRITE)).text)
        asked = await write_in(browser)
        before = await changes(world)
        kept = form_of(asked.text, f"{WRITE}/write")
        done = await browser.post(f"{WRITE}/write", {**kept, "secret": SECRETS["ana"]})
        after = await changes(world)
        content = (world.config.parent / "content" / "a.txt").read_text()
        ledger = await browser.get("/admin/ledger")
    assert "Your secret is asked for, and the record names you." in page
    assert (asked.status_code, before) == (200, [])
    assert "It went well" in text_of(done.text)
    assert "created: files:a.txt" in text_of(done.text)
    assert after == [("ana", "files/write", "a.txt")]
    assert content == "<b>new</b>"
    assert "files/write" in ledger.text


async def test_a_write_is_not_called_as_if_it_were_a_read(tmp_path: Path) -> None:
    path = f"{WRITE}/read"
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        shown = form_of((await browser.get(WRITE)).text, f"{WRITE}/write")
        moved = await browser.post(path, shown)
        token = form_token(browser.session, path, shown["seen"])
        reply = await browser.post(path, {**shown, "token": token, "a0": "a.txt"})
        told = text_of((await browser.get(reply.headers["location"])).text)
        entries = await changes(world)
    assert moved.status_code == 403
    assert "'files/write' may change something, so it was not called" in told
    assert entries == []


async def test_what_waits_for_a_person_is_linked(tmp_path: Path) -> None:
    rule = {"domain": "files", "targets": ["*.txt"], "effect": "approve"}
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await world.propose("Ask.", type="guardrail", rule=rule)
        review = "/admin/review"
        await browser.submit(review, f"{review}/approve", secret=SECRETS["ana"])
        page = (await write_in(browser, secret=SECRETS["ana"])).text
        entries = await changes(world)
    assert "It was refused write_vetoed" in text_of(page)
    assert 'href="/admin/waiting/entry?kind=write&amp;id=wr-001"' in page
    assert entries == []


@pytest.mark.parametrize("answer", ["yes", "no"])
async def test_a_rule_that_asks_a_person_is_answered_at_once(
    answer: str, tmp_path: Path
) -> None:
    rule = {"domain": "files", "targets": ["*.txt"], "effect": "confirm"}
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await world.propose("Mind it.", type="guardrail", rule=rule)
        review = "/admin/review"
        await browser.submit(review, f"{review}/approve", secret=SECRETS["ana"])
        asked = (await write_in(browser, secret=SECRETS["ana"])).text
        kept = _first_form(asked, f"{WRITE}/write")
        done = await browser.post(f"{WRITE}/write", {**kept, "answer": answer})
        entries = await changes(world)
    assert "Let files/write change files:a.txt?" in text_of(asked)
    assert ("It went well" in done.text) is (answer == "yes")
    assert len(entries) == (answer == "yes")


async def test_what_is_off_cannot_be_tried_and_says_why(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", prepare=prepare) as world:
        browser = await world.signed_in()
        shown = (await browser.get(ECHO)).text
        await browser.submit("/admin/tools/trying/echo", "/admin/tools/trying/echo/off")
        off = (await browser.get(ECHO)).text
        reply = await browser.post(f"{ECHO}/read", form_of(shown, f"{ECHO}/read"))
        told = text_of((await browser.get(reply.headers["location"])).text)
    assert "It is off, so it cannot be tried." in text_of(off)
    assert f"{ECHO}/read" not in off
    assert "'trying/echo' is off, so it was not called." in told


async def test_another_definition_than_was_shown_is_not_called(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", prepare=prepare) as world:
        browser = await world.signed_in()
        shown = (await browser.get(ECHO)).text
        await call(browser, "/admin/tools/trying/change/try")
        reply = await browser.post(f"{ECHO}/read", form_of(shown, f"{ECHO}/read"))
        told = text_of((await browser.get(reply.headers["location"])).text)
    assert "changed by somebody else since you looked at it" in told
    assert "Result" not in told


async def test_only_an_operator_tries(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", "ben", prepare=prepare) as world:
        ana, ben = await world.signed_in("ana"), await world.signed_in("ben")
        shown = form_of((await ana.get(ECHO)).text, f"{ECHO}/read")
        tool = (await ben.get("/admin/tools/trying/echo")).text
        replies = [await ben.get(ECHO), await ben.post(f"{ECHO}/read", shown)]
        gone = await ana.get("/admin/tools/no/such/try")
        agent = await world.browser().http.post(
            f"{ECHO}/read", headers={**OWN, "authorization": f"Bearer {TOKEN}"}
        )
    assert ECHO not in tool
    assert [each.status_code for each in replies] == [403, 403]
    assert gone.status_code == 404
    assert agent.status_code in {303, 403}


@given(st.text(), st.integers(0, 100))
def test_what_is_cut_is_the_beginning_and_fits(text: str, size: int) -> None:
    some = cut(text, size)
    assert text.startswith(some)
    assert weight_of(some) <= size
    assert some == text or weight_of(text[: len(some) + 1]) > size


def test_an_unknown_end_without_a_result_is_shown() -> None:
    shown = shown_outcome(Outcome("unknown", "a/b", "1", flags=frozenset({"x", "c"})))
    assert (shown.status, shown.result, shown.flags) == ("unknown", "", ("c", "x"))
