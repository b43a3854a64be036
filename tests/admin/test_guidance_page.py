"""Guidance: what a person finds, sees, withdraws, rewrites, exports and imports."""

import base64
import json
import re
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
from admin.admin_world import (
    OWN,
    AdminWorld,
    Browser,
    Reader,
    admin_world,
    form_of,
    text_of,
)
from admin.test_bare import bare
from cli.memory_world import SECRETS
from hypothesis import given
from hypothesis import strategies as st
from server.http_world import TOKEN

from abilities_host.admin.carried import DocumentRefused, look_at, unpack
from abilities_host.admin.remembered import age_of, staleness
from abilities_host.admin.rewording import words_of
from abilities_host.gate import Gate
from abilities_host.ledger import Ledger
from abilities_host.memory import Guidance, Topic
from abilities_host.storage.base import Statement

GUIDANCE = "/admin/guidance"
TOPICS = "/admin/guidance/topics"
ONE = "/admin/guidance/gm-001"
WITHDRAW = f"{ONE}/withdraw"
EDIT = f"{ONE}/edit"
SAVE = f"{EDIT}/save"
IMPORT = f"{GUIDANCE}/import"
PREVIEW = f"{GUIDANCE}/preview"
PUT = f"{TOPICS}/put"
READS = (GUIDANCE, ONE, EDIT, TOPICS, f"{GUIDANCE}/export", "/admin/review/list")
EVIL = "<script>alert(1)</script>\u202e"
DAY = 86_400_000_000
ANA = SECRETS["ana"]


async def approve(browser: Browser, id_: str = "gm-001") -> None:
    done = await browser.submit(
        f"/admin/review?id={id_}", "/admin/review/approve", secret=ANA
    )
    assert done.status_code == 303


async def change(world: AdminWorld, sql: str, **values: Any) -> None:
    await world.host.store.write([Statement(sql, values)], bump=True)


async def upload(browser: Browser, content: bytes) -> Any:
    fields = form_of((await browser.get(GUIDANCE)).text, PREVIEW)
    files = {"document": ("memory.json", content, "application/json")}
    return await browser.http.post(PREVIEW, data=fields, files=files, headers=OWN)


def listed(html: str) -> list[str]:
    return re.findall(r'href="/admin/guidance/(gm-\d+)"', html)


def document(*entries: dict[str, Any]) -> bytes:
    made = [
        {
            "id": f"old-{number}",
            "type": "fact",
            "domain": "shop",
            "text": f"Brought {number}.",
            "rationale": "Known there.",
            **entry,
        }
        for number, entry in enumerate(entries)
    ]
    return json.dumps({"guidance": made, "domains": {"shop": {}}}).encode()


async def test_without_guidance_the_pages_say_so(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        page = await browser.get(GUIDANCE)
        topics = await browser.get(TOPICS)
        gone = [await browser.get(path) for path in (ONE, EDIT)]
    assert "Nothing was proposed yet." in text_of(page.text)
    assert 'aria-current="page">Guidance' in page.text
    assert "There is no topic yet." in text_of(topics.text)
    assert [each.status_code for each in gone] == [404, 404]


async def test_without_a_memory_the_pages_say_so(tmp_path: Path) -> None:
    async with bare(tmp_path) as (app, _):
        browser = Browser(app)
        await browser.sign_in()
        pages = [
            await browser.get(path)
            for path in (GUIDANCE, TOPICS, "/admin/review/list", ONE)
        ]
        export = await browser.get(f"{GUIDANCE}/export")
    assert [each.status_code for each in pages] == [200, 200, 200, 404]
    for each in pages[:3]:
        assert "No healthy pack keeps the project's memory" in text_of(each.text)
    assert export.status_code == 404


async def test_guidance_is_found_by_what_it_is(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("Prices have two digits.")
        await world.propose("Say thank you.", type="convention", topic="voice")
        await world.propose("Prices are in francs.", topic="money")
        await world.memory.reject("gm-003", by="ana")
        browser = await world.signed_in()
        found = {
            query: listed((await browser.get(f"{GUIDANCE}?{query}")).text)
            for query in (
                "",
                "q=PRICES",
                "q=prices+francs",
                "q=nowhere",
                "topic=Voice",
                "type=convention",
                "status=rejected",
                "type=fact&status=pending",
                "status=nonsense&stale=7&after=-1",
            )
        }
        nothing = (await browser.get(f"{GUIDANCE}?q=nowhere")).text
    every = ["gm-001", "gm-002", "gm-003"]
    assert found == {
        "": every,
        "q=PRICES": ["gm-001", "gm-003"],
        "q=prices+francs": ["gm-003"],
        "q=nowhere": [],
        "topic=Voice": ["gm-002"],
        "type=convention": ["gm-002"],
        "status=rejected": ["gm-003"],
        "type=fact&status=pending": ["gm-001"],
        "status=nonsense&stale=7&after=-1": every,
    }
    assert "No guidance fits." in text_of(nothing)


async def test_what_nobody_looked_at_for_long_is_marked(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        now = time.time_ns() // 1000
        for number, days in enumerate((1, 61, 91), start=1):
            await world.propose(f"Fact {number}.")
            await approve(browser, f"gm-00{number}")
            sql = "UPDATE memory_guidance SET reviewed_at = :at WHERE number = :number"
            await change(world, sql, at=now - days * DAY, number=number)
        page = (await browser.get(GUIDANCE)).text
        old = listed((await browser.get(f"{GUIDANCE}?stale=60")).text)
        older = listed((await browser.get(f"{GUIDANCE}?stale=90")).text)
        await world.propose("Fact 4.")
        sql = "UPDATE memory_guidance SET proposed_at = :at WHERE number = :number"
        await change(world, sql, at=now - 99 * DAY, number=4)
        waiting = listed(
            (await browser.get(f"{GUIDANCE}?stale=60&status=pending")).text
        )
    said = text_of(page)
    assert "61 days ; not reviewed for 60 days" in said.replace("days;", "days ;")
    assert "91 days ; not reviewed for 90 days" in said.replace("days;", "days ;")
    assert (old, older, waiting) == (["gm-002", "gm-003"], ["gm-003"], [])


async def test_pages_follow_each_other_without_gap_or_repetition(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        for number in range(120):
            await world.propose(f"Fact {number}.", topic=f"t{number % 2}")
        browser = await world.signed_in()
        walked: dict[str, list[str]] = {}
        for start in (GUIDANCE, f"{GUIDANCE}?q=fact"):
            address, walked[start] = start, []
            while address:
                page = (await browser.get(address)).text
                walked[start] += listed(page)
                assert len(page) < 100_000
                more = re.findall(r'rel="next" href="([^"]+)"', page)
                address = more[0].replace("&amp;", "&") if more else ""
    every = [f"gm-{number:03}" for number in range(1, 121)]
    assert walked == {GUIDANCE: every, f"{GUIDANCE}?q=fact": every}


async def test_one_piece_shows_its_versions_and_who_decided(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await world.propose("Prices have two digits.")
        await approve(browser)
        await world.propose("Prices have three digits.", supersedes="gm-001")
        await approve(browser, "gm-002")
        old = text_of((await browser.get(ONE)).text)
        html = (await browser.get(f"{GUIDANCE}/gm-002")).text
    new = text_of(html)
    assert "What it says; it has no effect Prices have two digits." in old
    assert re.search(r"agent proposed .* ana approved .* ana replaced by", old)
    assert "What agents are told Prices have three digits." in new
    assert "Decided by ana" in new
    assert "gm-001 , archived Prices have two digits." in new
    assert "-text: Prices have two digits. +text: Prices have three digits." in new
    assert "Withdraw" not in old
    assert form_of(html, f"{GUIDANCE}/gm-002/withdraw")["id"] == "gm-002"


async def test_withdrawing_needs_the_secret_and_then_ends_the_effect(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await world.propose("A fact.")
        await approve(browser)
        asked = await browser.submit(ONE, WITHDRAW)
        before = (await world.memory.get("gm-001")).status
        kept = form_of(asked.text, WITHDRAW)
        wrong = await browser.post(WITHDRAW, {**kept, "secret": "not the right words"})
        still = (await world.memory.get("gm-001")).status
        world.clock.now += 60
        done = await browser.post(WITHDRAW, {**kept, "secret": ANA})
        told = await browser.get(done.headers["location"])
        after = await world.memory.get("gm-001")
        ledger = world.host.services.find(Ledger)
        noted = [e async for e in ledger.export() if e["kind"] == "review"]
        context = await world.memory.context(1000)
    assert (asked.status_code, before) == (200, "approved")
    assert (wrong.status_code, still) == (403, "approved")
    assert (after.status, after.reviewed_by, context) == ("archived", "ana", "")
    assert "gm-001 is withdrawn" in text_of(told.text)
    assert (noted[-1]["actor"], noted[-1]["target"]) == ("ana", "guidance:gm-001")


async def test_what_changed_since_it_was_seen_is_not_withdrawn(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        ana, ben = await world.signed_in("ana"), await world.signed_in("ben")
        await world.propose("A fact.")
        await world.propose("Another fact.")
        await approve(ana)
        await approve(ana, "gm-002")
        late = form_of((await ben.get(ONE)).text, WITHDRAW)
        other = "/admin/guidance/gm-002/withdraw"
        stale = form_of((await ben.get("/admin/guidance/gm-002")).text, other)
        await ana.submit(ONE, WITHDRAW, secret=ANA)
        await change(world, "UPDATE memory_guidance SET text = 'X' WHERE number = 2")
        secret = {"secret": SECRETS["ben"]}
        told = []
        for path, seen in ((WITHDRAW, late), (other, stale)):
            reply = await ben.post(path, {**seen, **secret})
            told.append((await ben.get(reply.headers["location"])).text)
        found = [await world.memory.get(id_) for id_ in ("gm-001", "gm-002")]
    assert all('class="told problem"' in each for each in told)
    assert found[0].reviewed_by == "ana"
    assert found[1].status == "approved"


async def test_an_edit_of_what_waits_is_another_proposal(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.", recall=("one", "two"))
        browser = await world.signed_in()
        fields = {
            "type": "convention",
            "topic": "Voice",
            "text": "Better\r\nsaid.",
            "rationale": "Clearer.",
            "recall": "one\r\n\r\nthree",
            "target": "files:*.txt",
            "priority": "5",
        }
        shown = (await browser.get(EDIT)).text
        done = await browser.submit(EDIT, SAVE, **fields)
        old = await world.memory.get("gm-001")
        new = await world.memory.get("gm-002")
    assert "one\ntwo</textarea>" in shown
    assert done.headers["location"] == "/admin/review?id=gm-002"
    assert (old.status, old.reviewed_by) == ("archived", "ana")
    assert (new.status, new.type, new.topic) == ("pending", "convention", "voice")
    assert (new.text, new.recall) == ("Better\nsaid.", ("one", "three"))
    assert (new.priority, new.scope.site_wide) == (5, False)
    assert (new.scope.target, new.supersedes) == ("files:*.txt", "")
    assert (new.proposed_by, new.source) == ("ana", "manual")


async def test_an_edit_of_what_is_in_force_leaves_it_so(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = await world.signed_in()
        await approve(browser)
        fields = {"type": "fact", "topic": "shop", "text": "A.", "rationale": "B."}
        await browser.submit(EDIT, SAVE, site_wide="yes", **fields)
        found = [await world.memory.get(id_) for id_ in ("gm-001", "gm-002")]
    assert [each.status for each in found] == ["approved", "pending"]
    assert found[1].supersedes == "gm-001"


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("text", "", "The text cannot be taken"),
        ("text", "x" * 700, "The text cannot be taken"),
        ("type", "law", "The type is one of"),
        ("class", "law", "The class is one of"),
        ("priority", "much", "The priority is no whole number"),
        ("post_id", "1.5", "The number is no whole number"),
        ("rule", "{", "The rule is not JSON"),
        ("rule", "[" * 9000, "The rule is not JSON"),
        ("rule", "[1]", "The rule is not one JSON object"),
    ],
)
async def test_a_form_that_is_refused_keeps_what_was_written(
    tmp_path: Path, field: str, value: str, said: str
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = await world.signed_in()
        good = {"type": "fact", "topic": "shop", "text": "A.", "rationale": "Kept <b>."}
        reply = await browser.submit(EDIT, SAVE, **{**good, field: value})
        counts = await world.memory.counts()
    assert reply.status_code == 400
    assert said in text_of(reply.text)
    assert "Kept &lt;b&gt;.</textarea>" in reply.text
    assert (counts["pending"], counts["archived"]) == (1, 0)


async def test_an_edit_of_what_was_decided_meanwhile_is_refused(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = await world.signed_in()
        fields = form_of((await browser.get(EDIT)).text, SAVE)
        await world.memory.reject("gm-001", by="ana")
        given = {"type": "fact", "topic": "shop", "text": "A.", "rationale": "B."}
        reply = await browser.post(SAVE, {**fields, **given})
        told = await browser.get(reply.headers["location"])
        counts = await world.memory.counts()
    assert "changed by somebody else" in text_of(told.text)
    assert counts["pending"] == 0


async def test_an_export_is_a_document_that_can_be_imported(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = await world.signed_in()
        reply = await browser.get(f"{GUIDANCE}/export")
        exported = await world.memory.export()
    assert reply.headers["content-type"] == "application/json"
    assert "attachment" in reply.headers["content-disposition"]
    assert json.loads(reply.text) == exported
    assert look_at(reply.content).count == 1


async def test_an_import_is_shown_first_and_then_waits(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        content = document({"status": "approved"}, {"text": EVIL[:-1]})
        shown = await upload(browser, content)
        before = await world.memory.counts()
        done = await browser.post(IMPORT, form_of(shown.text, IMPORT))
        told = await browser.get(done.headers["location"])
        page = await world.memory.list()
    assert before["pending"] == 0
    assert "The file has 2 entries. Topics in it: 1." in text_of(shown.text)
    assert "old-0 fact shop Brought 0." in text_of(shown.text)
    assert "<script>alert" not in shown.text
    assert "2 imported; they wait for a review." in text_of(told.text)
    assert {(e.status, e.proposed_by, e.source) for e in page.entries} == {
        ("pending", "ana", "manual")
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty, or none was chosen"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "is no document of a memory"),
        (b'{"a": 1}', "is no document of a memory"),
        (b" " * 8_000_001, "is larger than 8 MB"),
    ],
)
async def test_garbage_is_refused_before_anything_is_shown(
    tmp_path: Path, content: bytes, said: str
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        reply = await upload(browser, content)
        told = await browser.get(reply.headers["location"])
        counts = await world.memory.counts()
    assert said in text_of(told.text)
    assert set(counts.values()) == {0}


async def test_a_document_with_one_broken_entry_is_refused_as_a_whole(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        shown = await upload(browser, document({}, {"type": 5}))
        reply = await browser.post(IMPORT, form_of(shown.text, IMPORT))
        told = await browser.get(reply.headers["location"])
        counts = await world.memory.counts()
    assert "The document cannot be taken" in text_of(told.text)
    assert set(counts.values()) == {0}


async def test_only_what_was_shown_is_imported(tmp_path: Path) -> None:
    other = base64.b64encode(zlib.compress(document({}, {}))).decode()
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        fields = form_of((await upload(browser, document({}))).text, IMPORT)
        told = []
        for written in (other, "no base64", base64.b64encode(b"no zip").decode()):
            reply = await browser.post(IMPORT, {**fields, "document": written})
            told.append(text_of((await browser.get(reply.headers["location"])).text))
        counts = await world.memory.counts()
    assert "is not the one that was shown" in told[0]
    assert "did not arrive whole" in told[1]
    assert "did not arrive whole" in told[2]
    assert set(counts.values()) == {0}


def test_what_would_become_huge_is_never_unpacked() -> None:
    bomb = base64.b64encode(zlib.compress(b" " * 50_000_000)).decode()
    with pytest.raises(DocumentRefused, match="not the one that was shown"):
        unpack(bomb, "0" * 64)


async def test_a_topic_is_changed_with_the_secret_as_it_was_seen(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await world.propose("A fact.", topic="a/b & c")
        await approve(browser)
        world.clock.now += 301
        page = (await browser.get(TOPICS)).text
        [address] = re.findall(r'href="(/admin/guidance/topics\?name=[^"]+)"', page)
        fields = form_of((await browser.get(address)).text, PUT)
        given = {"state": "inactive", "always_on": "yes", "recall": "x\r\ny"}
        asked = await browser.post(PUT, {**fields, **given})
        before = await world.memory.topics()
        kept = form_of(asked.text, PUT)
        done = await browser.post(PUT, {**kept, "secret": ANA})
        shown = text_of((await browser.get(done.headers["location"])).text)
        stale = await browser.post(PUT, {**fields, **given, "state": "active"})
        refused = text_of((await browser.get(stale.headers["location"])).text)
        after = await world.memory.topics()
    assert before == (Topic(name="a/b & c"),)
    assert after == (
        Topic(name="a/b & c", state="inactive", always_on=True, recall=("x", "y")),
    )
    assert "The topic a/b & c is as you said." in shown
    assert "changed , by ana" in shown.replace("changed,", "changed ,")
    assert "changed by somebody else" in refused


async def test_a_topic_that_cannot_be_so_stays_as_it_is(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await world.propose("A fact.")
        await approve(browser)
        path = f"{TOPICS}?name=shop"
        told = []
        for given in (
            {"state": "asleep"},
            {"state": "active", "recall": "x" * 500},
            {"state": "active", "id": "none"},
        ):
            reply = await browser.submit(path, PUT, **given)
            told.append(text_of((await browser.get(reply.headers["location"])).text))
        topics = await world.memory.topics()
    assert "The state is one of" in told[0]
    assert "cannot be taken" in told[1]
    assert "none" in told[2]
    assert topics == (Topic(name="shop"),)


async def test_topics_go_on_and_are_found(tmp_path: Path) -> None:
    sql = "INSERT INTO memory_topic VALUES (:name, 'active', 0, '[]', '[]')"
    names = [f"topic {number:02}" for number in range(60)]
    async with admin_world(tmp_path, "ana") as world:
        statements = [Statement(sql, {"name": name}) for name in names]
        await world.host.store.write(statements, bump=True)
        browser = await world.signed_in()
        first = (await browser.get(TOPICS)).text
        [more] = re.findall(r'rel="next" href="([^"]+)"', first)
        second = (await browser.get(more)).text
        some = (await browser.get(f"{TOPICS}?q=IC+07")).text
        none = (await browser.get(f"{TOPICS}?q=zz")).text
    said = [re.findall(r">(topic \d\d)</a>", each) for each in (first, second, some)]
    assert [*said[0], *said[1]] == names
    assert said[2] == ["topic 07"]
    assert "No topic fits." in text_of(none)


async def test_what_an_agent_writes_is_never_markup(tmp_path: Path) -> None:
    sql = """
        UPDATE memory_guidance SET text = :e, rationale = :e, topic = :e, target = :e,
            proposed_by = :e, recall = :words, reviewed_by = :e
    """
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        words = json.dumps([EVIL])
        await change(world, sql, e=EVIL, words=words)
        topic = "INSERT INTO memory_topic VALUES (:e, 'active', 0, :words, :words)"
        await change(world, topic, e=EVIL, words=words)
        await change(world, "UPDATE memory_history SET by = :e", e=EVIL)
        browser = await world.signed_in()
        topics = f"{TOPICS}?name=%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AE"
        paths = (GUIDANCE, ONE, EDIT, topics, "/admin/review/list", "/admin/review")
        pages = {path: (await browser.get(path)).text for path in paths}
    for path, page in pages.items():
        scripts = [found for tag, found in Reader(page).tags if tag == "script"]
        assert len(scripts) == 1, path
        assert "&lt;script&gt;alert(1)" in page, path


async def test_looking_changes_nothing(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await world.propose("A fact.")
        await approve(browser)
        before = world.host.store.generation(), await world.memory.export()
        codes = [(await browser.get(path)).status_code for path in READS]
        writes = (WITHDRAW, SAVE, IMPORT, PREVIEW, PUT, "/admin/review/archive")
        refused = [(await browser.get(path)).status_code for path in writes]
        after = world.host.store.generation(), await world.memory.export()
    assert codes == [200] * 6
    assert refused == [405, 405, 404, 404, 405, 405]
    assert after == before


async def test_no_token_of_an_agent_opens_these_pages(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        stranger = world.browser()
        bearer = {"authorization": f"Bearer {TOKEN}"}
        codes = {(await stranger.get(path, **bearer)).status_code for path in READS}
        plain = {(await stranger.get(path)).status_code for path in READS}
        browser = await world.signed_in()
        fields = form_of((await browser.get(EDIT)).text, SAVE)
        reply = await browser.post(SAVE, fields, {**OWN, **bearer})
        counts = await world.memory.counts()
    assert 200 not in codes
    assert plain == {303}
    assert reply.status_code in {401, 403}
    assert counts["pending"] == 1


def made(status: Any, reviewed_at: int | None) -> Guidance:
    return Guidance(
        id="gm-001",
        type="fact",
        topic="shop",
        text="A fact.",
        rationale="Known.",
        status=status,
        proposed_by="agent",
        proposed_at=0,
        reviewed_at=reviewed_at,
    )


async def test_what_is_not_as_it_was_left_says_so_and_is_withdrawn(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("Prices have two digits.")
        browser = await world.signed_in()
        await approve(browser)
        before = text_of((await browser.get(ONE)).text)
        await change(world, "UPDATE memory_guidance SET text = 'Prices are free.'")
        await world.host.services.find(Gate).survey("guidance")
        home = (await browser.get("/admin")).text
        altered = text_of((await browser.get(ONE)).text)
        listed = text_of((await browser.get(GUIDANCE)).text)
        await browser.submit(ONE, WITHDRAW, secret=ANA)
        after = (await browser.get("/admin")).text
    assert "What agents are told Prices have two digits." in before
    assert f'href="{ONE}"' in home
    assert "Find out who can do that before you approve anything." in home
    assert "guidance gm-001 is not what was approved; it has no effect." in altered
    assert "What it says; it has no effect Prices are free." in altered
    assert "gm-001 alarm Prices are free." in listed
    assert f'href="{ONE}"' not in after


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 0), (59, 0), (60, 60), (89, 60), (90, 90), (900, 90)]
)
def test_only_what_is_in_force_gets_stale(days: int, expected: int) -> None:
    now = 2_000_000_000.0
    at = int(now * 1_000_000) - days * DAY
    assert age_of(made("approved", at), now=now) == days
    assert staleness(made("approved", at), now=now) == expected
    assert staleness(made("rejected", at), now=now) == 0
    assert age_of(made("pending", None), now=-5.0) == 0


@given(st.text())
def test_words_are_never_empty(written: str) -> None:
    assert all(word == word.strip() != "" for word in words_of(written))


@given(st.binary(max_size=200))
def test_a_file_is_refused_or_arrives_as_it_was(content: bytes) -> None:
    try:
        brought = look_at(content)
    except DocumentRefused:
        return
    assert unpack(brought.written, brought.digest) == json.loads(content)
