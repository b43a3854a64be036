"""Sessions: what a person sees of what agents tell, beside what was done."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Final

import pytest
from admin.admin_world import AdminWorld, Browser, Reader, admin_world, text_of
from admin.test_bare import bare
from cli.memory_world import SECRETS
from hypothesis import given
from hypothesis import strategies as st
from server.http_world import TOKEN

from abilities_host import Actor
from abilities_host.admin.narrative import Note, Piece, mark
from abilities_host.storage.base import Statement

AGENT: Final = Actor("agent", "agent", frozenset({"*", "*:*"}))
OTHER: Final = Actor("other", "agent", AGENT.scopes)
SESSIONS: Final = "/admin/sessions"
ONE: Final = f"{SESSIONS}/ss-0001"
EVIL: Final = "<script>alert(1)</script>\u202e"
COPY: Final = """
    INSERT INTO memory_summary SELECT :number, saved_at, session_start, session_end,
        actor, session, narrative, digest, divergences, is_partial, last_entry,
        is_divergent
    FROM memory_summary WHERE number = 1
"""


def told_world(folder: Path, *names: str) -> AbstractAsyncContextManager[AdminWorld]:
    return admin_world(folder, *names, blocked=("core", "database", "dispatcher"))


async def do(
    world: AdminWorld,
    name: str,
    given: Mapping[str, Any],
    actor: Actor = AGENT,
    session: str = "s1",
) -> Any:
    done = await world.host.execute(name, dict(given), actor=actor, session=session)
    assert done.status == "ok", done
    return done.result


async def write(world: AdminWorld, path: str, actor: Actor = AGENT) -> None:
    await do(world, "files/write", {"path": path, "text": "new"}, actor)


async def save(
    world: AdminWorld,
    narrative: str,
    actor: Actor = AGENT,
    session: str = "s1",
    **parts: Any,
) -> Any:
    told = {"narrative": narrative, **parts}
    return await do(world, "memory/save-session-summary", told, actor, session)


async def change(world: AdminWorld, sql: str, **values: Any) -> None:
    await world.host.store.write([Statement(sql, values)])


def listed(html: str) -> list[str]:
    return re.findall(r'href="/admin/sessions/(ss-\d+)"', html)


def kinds(told: Mapping[str, Any]) -> list[str]:
    return [each["kind"] for each in told["divergences"]]


async def page_of(browser: Browser, path: str = ONE) -> str:
    page = await browser.get(path)
    assert page.status_code == 200
    assert len(page.content) < 100_000
    assert "style=" not in page.text
    return page.text


async def test_a_session_told_as_it_was_is_listed_with_its_counts(
    tmp_path: Path,
) -> None:
    async with told_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        before = await page_of(browser, SESSIONS)
        await write(world, "a.txt")
        await write(world, "b.txt")
        await save(world, "I created a.txt and b.txt.")
        page = await page_of(browser, SESSIONS)
        one = await page_of(browser)
    assert "No agent has told of a session yet." in text_of(before)
    assert 'aria-current="page">Sessions' in page
    assert listed(page) == ["ss-0001"]
    assert "agent 2 2 no I created a.txt and b.txt." in text_of(page)
    assert "<mark" not in one
    assert "Nothing that the agent tells differs from the record" in text_of(one)
    assert "Changes 2 Targets 2 Not as the ability said 0" in text_of(one)
    assert "files:a.txt" in text_of(one)
    assert 'href="/admin/ledger?session=s1"' in one


async def test_each_divergence_leads_to_its_sentence_and_its_entry(
    tmp_path: Path,
) -> None:
    async with told_world(tmp_path, "ana") as world:
        await write(world, "b.txt", OTHER)
        await write(world, "a.txt")
        told = await save(
            world,
            "I looked around. I deleted b.txt. All is well.",
            claims=[{"action": "updated", "target": "files:c.txt"}],
        )
        browser = await world.signed_in()
        one = await page_of(browser)
        page = await page_of(browser, SESSIONS)
        [entry] = [each["entry"] for each in told["divergences"] if "entry" in each]
        ledger = await browser.get(f"/admin/ledger/{entry}")
        [span] = re.findall(r'href="(/admin/ledger\?actor=[^"]+)"', one)
        of_span = await browser.get(span.replace("&amp;", "&"))
    assert kinds(told) == [
        "claimed_not_recorded",
        "claimed_not_recorded",
        "recorded_not_claimed",
    ]
    assert (
        'I looked around. <mark id="said-1">I deleted b.txt.</mark>'
        '<sup><a href="#note-1" aria-label="Difference 1">1</a></sup> All is well.'
    ) in one
    assert 'id="note-1"' in one
    assert '<a href="#said-1"><q>I deleted b.txt.</q></a>' in one
    assert f'href="/admin/ledger/{entry}">Entry {entry}</a>' in one
    assert "/admin/ledger?target=files%3Ab.txt" in one
    said = text_of(one)
    assert "told, not in the record : deleted files:b.txt" in said
    assert "told, not in the record : updated files:c.txt" in said
    assert "in the record, not told : created files:a.txt" in said
    assert "in 3 places" in text_of(page)
    assert ledger.status_code == 200
    assert re.findall(r'"/admin/ledger/(\d+)"', of_span.text) == [str(entry)]


async def test_a_sentence_that_is_not_in_the_text_is_shown_apart(
    tmp_path: Path,
) -> None:
    async with told_world(tmp_path, "ana") as world:
        await write(world, "b.txt", OTHER)
        await save(world, "I deleted b.txt.")
        await change(world, "UPDATE memory_summary SET narrative = 'Another text.'")
        browser = await world.signed_in()
        one = await page_of(browser)
    assert "<mark" not in one
    assert "This sentence is not in the text as it is kept: I deleted b.txt." in (
        text_of(one)
    )


async def test_what_an_agent_tells_is_never_markup(tmp_path: Path) -> None:
    told = f"I deleted b.txt, as {EVIL} said. {EVIL} </blockquote><h1>Approved</h1>"
    sql = """
        UPDATE memory_summary SET actor = :e, session = :e, divergences = :divergences,
            digest = json_set(digest, '$.targets[0]', :e, '$.by_action', json(:by))
    """
    async with told_world(tmp_path, "ana") as world:
        await write(world, "b.txt", OTHER)
        await save(world, told)
        browser = await world.signed_in()
        as_told = await page_of(browser), await page_of(browser, SESSIONS)
        divergence = {"kind": EVIL, "action": EVIL, "target": EVIL, "sentence": EVIL}
        written = json.dumps([divergence])
        await change(world, sql, e=EVIL, divergences=written, by=json.dumps({EVIL: 1}))
        changed = await page_of(browser), await page_of(browser, SESSIONS)
    assert '<mark id="said-1">I deleted b.txt, as &lt;script&gt;alert' in as_told[0]
    assert "<h1>Approved" not in as_told[0]
    for page in (*as_told, *changed):
        scripts = [found for tag, found in Reader(page).tags if tag == "script"]
        assert len(scripts) == 1
        assert "&lt;script&gt;alert(1)&lt;/script&gt;\\u202e" in page
        assert "\u202e" not in page


async def test_the_list_goes_on_page_by_page(tmp_path: Path) -> None:
    async with told_world(tmp_path, "ana") as world:
        await save(world, "Done.")
        numbers = range(2, 131)
        copies = [Statement(COPY, {"number": number}) for number in numbers]
        await world.host.store.write(copies)
        browser = await world.signed_in()
        found, path = [], f"{SESSIONS}?agent=agent"
        for _ in range(3):
            page = await page_of(browser, path)
            found.append(listed(page))
            [path] = re.findall(r'rel="next" href="([^"]+)"', page) or [""]
            path = path.replace("&amp;", "&")
        odd = await page_of(browser, f"{SESSIONS}?after=%00{'9' * 400}_1&agent=&x=1")
    assert [len(each) for each in found] == [50, 50, 30]
    assert [*found[0], *found[1], *found[2]] == [
        f"ss-{number:04}" for number in range(130, 0, -1)
    ]
    assert path == ""
    assert listed(odd) == found[0]


async def test_filters_narrow_the_list_and_are_kept(tmp_path: Path) -> None:
    async with told_world(tmp_path, "ana") as world:
        lie = [{"action": "updated", "target": "files:a.txt"}]
        await save(world, "Done.")
        await save(world, "Done.", claims=lie)
        await save(world, "Done.", OTHER, "s2")
        browser = await world.signed_in()
        found = {
            query: listed(await page_of(browser, f"{SESSIONS}?{query}"))
            for query in ("only=yes", "agent=agent", "session=s2", "agent=nobody")
        }
        kept = await page_of(browser, f"{SESSIONS}?only=yes&agent=other")
    assert found == {
        "only=yes": ["ss-0002"],
        "agent=agent": ["ss-0002", "ss-0001"],
        "session=s2": ["ss-0003"],
        "agent=nobody": [],
    }
    assert "No session fits." in text_of(kept)
    assert '<option value="yes" selected>' in kept
    assert 'name="agent" value="other"' in kept


async def test_many_differences_go_on_page_by_page(tmp_path: Path) -> None:
    long = "x" * 900
    claims = [
        {"action": "updated", "target": f"files:{number}{long}"}
        for number in range(150)
    ]
    async with told_world(tmp_path, "ana") as world:
        await save(world, "Done.", claims=claims)
        browser = await world.signed_in()
        first = await page_of(browser)
        [more] = re.findall(r'rel="next" href="([^"]+)"', first)
        second = await page_of(browser, more)
        beyond = await page_of(browser, f"{ONE}?after=99999")
    assert more == f"{ONE}?after=100"
    assert "Differences 1 to 100 of 150." in text_of(first)
    assert "Differences 101 to 150 of 150." in text_of(second)
    assert (first + second).count("told, not in the record") == 150
    assert 'rel="next"' not in second + beyond


async def test_what_was_verified_otherwise_is_said(tmp_path: Path) -> None:
    sql = """
        UPDATE memory_summary SET is_partial = 1, is_divergent = 1, session = '',
            digest = json_set(digest, '$.divergences', 1, '$.divergence', json('true'),
                '$.first', 3, '$.last', 7)
    """
    async with told_world(tmp_path, "ana") as world:
        await save(world, "Done.")
        await change(world, sql)
        browser = await world.signed_in()
        page, one = await page_of(browser, SESSIONS), await page_of(browser)
    assert "one run ended otherwise than it said; not compared whole" in text_of(page)
    said = text_of(one)
    assert "differs from the record not compared whole" in said
    assert re.search("Entries Entry 3 . Entry 7", said)
    assert "there may be others" in said
    assert "Ledger of the whole session" not in said


@pytest.mark.parametrize(
    "id_", ["ss-0002", "ss-1", "gm-001", "%00", "%2e%2e", "ss-" + "9" * 5000, "<b>"]
)
async def test_what_is_not_there_is_not_found(tmp_path: Path, id_: str) -> None:
    async with told_world(tmp_path, "ana") as world:
        await save(world, "Done.")
        browser = await world.signed_in()
        page = await browser.get(f"{SESSIONS}/{id_}")
    assert page.status_code == 404


async def test_without_a_memory_there_is_nothing_to_see(tmp_path: Path) -> None:
    async with bare(tmp_path) as (app, _):
        browser = Browser(app)
        await browser.sign_in("ana", SECRETS["ana"])
        page, one = await browser.get(SESSIONS), await browser.get(ONE)
    assert page.status_code == 200
    assert "No healthy pack keeps the project's memory here." in text_of(page.text)
    assert one.status_code == 404


async def test_a_reviewer_sees_them_and_nobody_else_gets_in(tmp_path: Path) -> None:
    async with told_world(tmp_path, "ana", "ben") as world:
        await save(world, "Done.")
        ben, stranger = await world.signed_in("ben"), world.browser()
        seen = [(await ben.get(path)).status_code for path in (SESSIONS, ONE)]
        bearer = {"authorization": f"Bearer {TOKEN}"}
        agents = [
            (await stranger.get(path, **bearer)).status_code for path in (SESSIONS, ONE)
        ]
        nobody = [(await stranger.get(path)).status_code for path in (SESSIONS, ONE)]
    assert (seen, agents, nobody) == ([200, 200], [403, 403], [303, 303])


def said(*sentences: str) -> list[dict[str, Any]]:
    return [{"kind": "any", "sentence": each} if each else {} for each in sentences]


@pytest.mark.parametrize(
    ("narrative", "sentences", "pieces"),
    [
        ("A b. C d.", ("C d.",), [Piece("A b. "), Piece("C d.", 1, is_first=True)]),
        ("", ("A.",), []),
        # What is twice in the text is marked twice, and has one note.
        ("A. A.", ("A.",), [Piece("A.", 1, is_first=True), Piece(" "), Piece("A.", 1)]),
        # The words of one sentence inside of another are not that sentence.
        (
            "I have not done a. Done a.",
            ("Done a.", "done a."),
            [
                Piece("I have not "),
                Piece("done a.", 1, is_first=True),
                Piece(" "),
                Piece("Done a.", 2, is_first=True),
            ],
        ),
        ("Never b. b.", ("b.",), [Piece("Never b. "), Piece("b.", 1, is_first=True)]),
        # The longer one is there, whatever comes first.
        ("A b.", ("b.", "A b."), [Piece("A b.", 1, is_first=True)]),
        # The order of the notes is that of the text.
        (
            "A.\nB.",
            ("B.", "", "A."),
            [Piece("A.", 1, is_first=True), Piece("\n"), Piece("B.", 2, is_first=True)],
        ),
    ],
)
def test_sentences_are_marked_where_they_are(
    narrative: str, sentences: Sequence[str], pieces: Sequence[Piece]
) -> None:
    assert list(mark(narrative, said(*sentences)).pieces) == pieces


def test_notes_gather_what_is_said_of_one_sentence() -> None:
    one, lost, two, bare_one = said("A.", "Gone.", "A.", "")
    marked = mark("A.", [one, lost, two, bare_one])
    assert marked.notes == (
        Note(1, "A.", (one, two), is_found=True),
        Note(2, "Gone.", (lost,), is_found=False),
    )
    assert marked.untold == (bare_one,)


@given(st.text("ab. \n"), st.lists(st.text("ab. \n"), max_size=6))
def test_nothing_of_a_narrative_is_lost(narrative: str, sentences: list[str]) -> None:
    marked = mark(narrative, said(*sentences))
    first = [each.number for each in marked.pieces if each.is_first]
    assert "".join(each.text for each in marked.pieces) == narrative
    assert first == [each.number for each in marked.notes if each.is_found]
    assert {each.sentence for each in marked.notes} == {*sentences} - {""}
