"""What waits besides guidance: what a person sees of it, decides and confirms."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from admin.admin_world import AdminWorld, Browser, admin_world, form_of, text_of
from cli.memory_world import SECRETS
from cli.test_queue import NOTES
from pins.world import ANN
from plugins.ledger.undo_world import Notes

from abilities_host import Actor, Outcome
from abilities_host.admin.awaited import PART, Section, laid_out
from abilities_host.admin.targets_now import TargetNow, targets_now
from abilities_host.admin.weight import weight_of
from abilities_host.cli.running import load
from abilities_host.gate import Gate
from abilities_host.ledger import Ledger
from abilities_host.opening import open_host
from abilities_host.storage.base import Statement
from abilities_host.testing import build_host

LIST = "/admin/waiting"
ENTRY = "/admin/waiting/entry"
APPROVE = f"{ENTRY}/approve"
REJECT = f"{ENTRY}/reject"
AGENT = Actor("agent", "agent", frozenset({"*", "*:*"}))
RULE = {"domain": "files", "targets": ["*.txt"], "effect": "approve"}
WRITE = f"{ENTRY}?kind=write&id=wr-001"
ACME = """
from abilities_host import hookimpl


@hookimpl
def register_categories(registry):
    registry.register_category("acme", label="Acme", description="For the tests.")


@hookimpl
def register_abilities(registry):
    for name, description in {said!r}.items():
        registry.register_ability(
            "acme/" + name, label=name, category="acme", description=description,
            execute_callback=lambda: "done", permission_callback=lambda: True,
            meta={{"annotations": {{"readonly": True}}}})
"""
FIRST = {"add": "Does it.", "same": "Stays."}
OTHER = {"add": "Does it,\n<script>alert(1)</script>\u202e", "same": "Stays."}


def upgraded(config: Path, now: dict[str, str] = OTHER) -> None:
    """Have a pack that was seen before say otherwise now, and be held back."""
    text = config.read_text(encoding="utf-8")
    hold = '[plugins]\nchanged_definitions = "hold"\n'
    config.write_text(text.replace("[plugins]\n", hold), encoding="utf-8")
    plugin = config.parent / "plugins" / "acme.py"
    plugin.write_text(ACME.format(said=FIRST), encoding="utf-8")
    loaded = load(config)

    async def see() -> None:
        async with open_host(loaded):
            pass

    asyncio.run(see())
    plugin.write_text(ACME.format(said=now), encoding="utf-8")


def noted(config: Path) -> None:
    plugin = config.parent / "plugins" / "notes.py"
    plugin.write_text(NOTES, encoding="utf-8")


async def write(world: AdminWorld, text: str = "new") -> Outcome:
    given = {"path": "a.txt", "text": text}
    return await world.host.execute("files/write", given, actor=AGENT)


async def guard(world: AdminWorld, browser: Browser) -> None:
    """Have a rule that wants every write of a text approved."""
    await world.propose("Ask <b>first</b>.", type="guardrail", rule=RULE)
    page = "/admin/review"
    await browser.submit(page, f"{page}/approve", secret=SECRETS["ana"])


async def changes_waiting(world: AdminWorld) -> list[str]:
    gate: Gate = world.host.services.find(Gate)
    return [each.id for each in (await gate.waiting())["definition"]]


async def told(browser: Browser, reply: Any) -> str:
    """Follow where a person is sent, to the end; give what is read there."""
    while "location" in reply.headers:
        reply = await browser.get(reply.headers["location"])
    return text_of(reply.text)


async def reviews(world: AdminWorld) -> list[tuple[Any, ...]]:
    ledger = world.host.services.find(Ledger)
    return [
        (each["actor"], each["action"], each["target"].partition(":")[0])
        async for each in ledger.export()
        if each["kind"] == "review"
    ]


async def test_every_kind_is_listed_with_how_many_wait(tmp_path: Path) -> None:
    def prepare(config: Path) -> None:
        upgraded(config)
        noted(config)

    async with admin_world(tmp_path, "ana", "ben", prepare=prepare) as world:
        browser = await world.signed_in("ben")
        await world.propose("A fact.")
        page = (await browser.get(LIST)).text
        home = (await browser.get("/admin")).text
        one = text_of((await browser.get(f"{LIST}?kind=note")).text)
        review = await browser.get(f"{ENTRY}?kind=guidance&id=gm-001")
    counts = re.findall(r'>([^<>]+) <span class="count">(\d+)</span></h2>', page)
    assert sorted(counts) == [
        ("Changed definitions", "1"),
        ("Guidance", "1"),
        ("note", "1"),
    ]
    assert "<title>(3) Waiting · Abilities</title>" in page
    assert 'Review <span class="count">1</span>' in page
    assert 'Waiting <span class="count">2</span>' in page
    assert f'href="{ENTRY}?kind=note&amp;id=n%3A1"' in page
    assert "Buy\\u202e milk agent 1970-01-01 00:00 UTC" in one
    assert "Changed definitions" not in one
    assert review.headers["location"] == "/admin/review?id=gm-001"
    for kind in ("definition", "note"):
        assert f'href="{LIST}?kind={kind}"' in home
    assert "changed definition of an ability" in text_of(home)


async def test_a_changed_definition_is_shown_as_a_difference_and_approved(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana", prepare=upgraded) as world:
        browser = await world.signed_in()
        [id_] = await changes_waiting(world)
        page = f"{ENTRY}?kind=definition&id={id_}"
        held = await world.host.execute("acme/add", actor=ANN)
        shown = (await browser.get(page)).text
        asked = await browser.submit(page, APPROVE)
        still = await world.host.execute("acme/add", actor=ANN)
        kept = form_of(asked.text, APPROVE)
        done = await browser.post(APPROVE, {**kept, "secret": SECRETS["ana"]})
        sentence = await told(browser, done)
        served = await world.host.execute("acme/add", actor=ANN)
        after = await changes_waiting(world)
        entries = await reviews(world)
        tools = text_of((await browser.get("/admin/tools/acme/add")).text)
    said = text_of(shown)
    assert "Pack plugins_dir/acme" in said
    assert re.search(r"<del>-.*Does it\.&#34;", shown)
    assert "<ins>+" in shown
    assert "Does it,\\n&lt;script&gt;alert(1)&lt;/script&gt;\\u202e" in shown
    assert "<script>alert" not in shown
    assert "acme/same" not in shown
    assert [each.code for each in (held, still)] == ["ability_not_found"] * 2
    assert asked.status_code == 200
    assert f"definition {id_} is approved." in sentence
    assert served.result == "done"
    assert after == []
    assert entries == [("ana", "approved", "definition")]
    assert "has changed, and waits for you" not in tools


async def test_a_pack_with_changed_definitions_leads_to_them(tmp_path: Path) -> None:
    def prepare(config: Path) -> None:
        upgraded(config, {"add": "Other.", "same": "Other.", "more": "New."})

    async with admin_world(tmp_path, "ana", prepare=prepare) as world:
        browser = await world.signed_in()
        [id_] = await changes_waiting(world)
        pack = world.host.registry.get_ability("acme/add").pack
        page = f"{ENTRY}?kind=definition&id={id_}".replace("&", "&amp;")
        addresses = ("", f"?pack={pack}", "/acme/add")
        pages = [(await browser.get(f"/admin/tools{each}")).text for each in addresses]
        shown = (await browser.get(page.replace("&amp;", "&"))).text
    assert [f'href="{page}"' in each for each in pages] == [True, True, True]
    assert "One waits for you" in text_of(pages[0])
    headings = re.findall(r"<h2>(acme/\w+)(?: <span[^>]*>(\w+)</span>)?</h2>", shown)
    assert headings == [("acme/add", ""), ("acme/more", "new"), ("acme/same", "")]


async def test_a_rejected_definition_stays_held(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", "ben", prepare=upgraded) as world:
        browser = await world.signed_in("ben")
        [id_] = await changes_waiting(world)
        page = f"{ENTRY}?kind=definition&id={id_}"
        sentence = await told(browser, await browser.submit(page, REJECT))
        held = await world.host.execute("acme/add", actor=ANN)
        after = (await browser.get(page)).text
        entries = await reviews(world)
    assert f"definition {id_} is rejected." in sentence
    assert held.code == "ability_not_found"
    assert "This does not wait for anybody." in text_of(after)
    assert APPROVE not in after
    assert entries == [("ben", "rejected", "definition")]


async def test_a_write_is_shown_with_all_it_is_about_and_approved(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await write(world, "old & gold")
        await guard(world, browser)
        stopped = await write(world)
        page = (await browser.get(WRITE)).text
        done = await browser.submit(WRITE, APPROVE, secret=SECRETS["ana"])
        sentence = await told(browser, done)
        passed = await write(world)
        again = await write(world, "newer")
        entries = await reviews(world)
    said = text_of(page)
    assert stopped.code == "write_vetoed"
    for part in (
        "files/write on files:a.txt",
        "Actor agent",
        "Why a person is asked gm-001 Ask <b>first</b>.",
        "files:a.txt old & gold",
        "Good until 20",
        "With these arguments {",
        '"path": "a.txt",',
    ):
        assert part in said, part
    assert 'data-key="a"' in page
    assert 'data-key="r"' in page
    assert "write wr-001 is approved." in sentence
    assert passed.is_ok
    assert again.code == "write_vetoed"
    assert entries[-1] == ("ana", "approved", "write")


async def test_of_long_arguments_it_is_said_that_there_is_more(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await guard(world, browser)
        await write(world, "x" * 5_000)
        page = text_of((await browser.get(WRITE)).text)
    assert "The ticket has only the beginning of them." in page


async def test_what_is_not_there_any_more_is_said(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await guard(world, browser)
        await write(world)
        missing = text_of((await browser.get(WRITE)).text)
        change = (
            "UPDATE enforcer_ticket SET targets = '[\"gone:x\"]', rules = '[\"?\"]'"
        )
        await world.host.store.write([Statement(change)], bump=True)
        unknown = text_of((await browser.get(WRITE)).text)
    assert "files:a.txt It is not there." in missing
    assert "gone:x It cannot be read now." in unknown
    assert "? This guidance is not there any more." in unknown


async def test_targets_are_shown_as_a_person_reads_them(tmp_path: Path) -> None:
    notes = Notes()
    notes.secrets = {"hidden"}
    notes.kept = {
        "hidden": "x",
        "picture": b"\xff\x00",
        "text": b"bytes",
        "json": {"password": "x", "n": 1},
        "long": "line\n" * 2_000,
    }
    names = [f"notes:{name}" for name in ("Hidden", "picture", "text", "json", "long")]
    async with build_host(tmp_path, packs=[("notes", notes)]) as host:
        found = await targets_now(host, [*names, "notes:sixth"])
        other = await targets_now(host, ["notes:none", "gone:x", ""])
    assert found[:4] == [
        TargetNow("notes:Hidden", "there", "(hidden)"),
        TargetNow("notes:picture", "binary", size=2),
        TargetNow("notes:text", "there", "bytes"),
        TargetNow("notes:json", "there", '{\n  "password": "(hidden)",\n  "n": 1\n}'),
    ]
    assert (len(found), found[4].is_cut) == (5, True)
    assert [each.state for each in other] == ["missing", "unknown", "unknown"]


async def test_what_changed_since_it_was_seen_is_neither_approved_nor_rejected(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await guard(world, browser)
        await write(world)
        page = (await browser.get(WRITE)).text
        change = "UPDATE enforcer_ticket SET ability = 'files/delete'"
        await world.host.store.write([Statement(change)], bump=True)
        given = form_of(page, APPROVE)
        approved = await browser.post(APPROVE, {**given, "secret": SECRETS["ana"]})
        first = await told(browser, approved)
        rejected = await browser.post(REJECT, form_of(page, REJECT))
        second = await told(browser, rejected)
        gate: Gate = world.host.services.find(Gate)
        waiting = [each.id for each in (await gate.waiting())["write"]]
    assert "is not what was shown any more" in first
    assert "changed by somebody else since you looked at it" in second
    assert waiting == ["wr-001"]


async def test_the_second_of_two_reviewers_is_told(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        ana, ben = await world.signed_in("ana"), await world.signed_in("ben")
        await guard(world, ana)
        await write(world)
        seen = (await ben.get(WRITE)).text
        await ana.submit(WRITE, REJECT)
        given = {**form_of(seen, APPROVE), "secret": SECRETS["ben"]}
        sentences = [
            await told(ben, await ben.post(REJECT, form_of(seen, REJECT))),
            await told(ben, await ben.post(APPROVE, given)),
        ]
        entries = await reviews(world)
    for sentence in sentences:
        assert "write wr-001 does not wait for a person any more" in sentence
    assert [each for each in entries if each[2] == "write"] == [
        ("ana", "rejected", "write")
    ]


async def test_a_kind_of_a_pack_is_shown_as_it_is_and_decided(tmp_path: Path) -> None:
    page = f"{ENTRY}?kind=note&id=n:1"
    async with admin_world(tmp_path, "ana", prepare=noted) as world:
        browser = await world.signed_in()
        shown = text_of((await browser.get(page)).text)
        done = await browser.submit(page, APPROVE, secret=SECRETS["ana"])
        sentence = await told(browser, done)
        gate: Gate = world.host.services.find(Gate)
        sealed = [*(await gate.survey("note")).sealed]
    assert "All that is decided on Buy\\u202e milk" in shown
    assert "note n:1 is approved." in sentence
    assert sealed == ["n:1"]


@pytest.mark.parametrize(
    "address", ["kind=write&id=wr-999", "kind=no&id=1", "kind=topic&id=none"]
)
async def test_what_nobody_knows_is_no_page(address: str, tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        reply = await browser.get(f"{ENTRY}?{address}")
        bare = await browser.get(ENTRY)
    assert reply.status_code == 404
    assert bare.headers["location"] == LIST


async def test_what_does_not_wait_cannot_be_approved(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await guard(world, browser)
        await write(world)
        given = form_of((await browser.get(WRITE)).text, APPROVE)
        forged = {**given, "kind": "guidance", "id": "gm-001"}
        reply = await browser.post(APPROVE, {**forged, "secret": SECRETS["ana"]})
        sentence = await told(browser, reply)
    assert "guidance gm-001 does not wait for a person any more" in sentence


async def test_of_many_that_wait_some_are_shown_and_the_next_follows(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await guard(world, browser)
        for number in range(27):
            await write(world, str(number))
        first = (await browser.get(LIST)).text
        [address] = re.findall(r'rel="next" href="([^"]+)"', first)
        second = (await browser.get(address.replace("&amp;", "&"))).text
        last = f"{ENTRY}?kind=write&id=wr-027"
        reply = await browser.submit(last, REJECT)
    ids = [re.findall(r">(wr-\d+)</a>", page) for page in (first, second)]
    assert [len(each) for each in ids] == [20, 7]
    assert (ids[1][0], ids[1][-1]) == ("wr-021", "wr-027")
    assert reply.headers["location"] == f"{ENTRY}?kind=write&id=wr-001"


async def test_a_large_change_is_read_in_parts_before_it_is_approved(
    tmp_path: Path,
) -> None:
    def prepare(config: Path) -> None:
        upgraded(config, {"add": "Does it. " * 12_000, "same": "Stays."})

    async with admin_world(tmp_path, "ana", prepare=prepare) as world:
        browser = await world.signed_in()
        [id_] = await changes_waiting(world)
        pages = [
            (await browser.get(f"{ENTRY}?kind=definition&id={id_}&part={part}")).text
            for part in (1, 2, 3, 4, 99)
        ]
    assert [APPROVE in page for page in pages] == [False] * 3 + [True] * 2
    assert all(REJECT in page for page in pages)
    assert max(len(page.encode()) for page in pages) < 100_000
    assert "It is approved at the end of the last part." in text_of(pages[0])
    assert "part 4 of 4" in text_of(pages[4])


async def test_a_heavy_write_stays_small(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        await write(world, "&\n" * 9_000)
        await guard(world, browser)
        given = {"path": "a.txt", "text": "&" * 9_000}
        await world.host.execute("files/write", given, actor=AGENT)
        page = await browser.get(WRITE)
    assert page.status_code == 200
    assert "The ticket has only the beginning of them." in page.text
    assert "&#34;arguments&#34;: " in page.text
    assert len(page.content) < 80_000


def _change(*pairs: tuple[Any, Any]) -> bytes:
    shown = [
        {"ability": f"a/{place}", "old": old, "new": new}
        for place, (old, new) in enumerate(pairs)
    ]
    said = {"pack": "p", "version_was": "1", "version": "2", "abilities": shown}
    return json.dumps(said).encode()


def test_nothing_of_what_is_decided_on_is_left_out() -> None:
    long = {"description": " ".join(map(str, range(30_000)))}
    laid = laid_out("definition", _change((None, long), ({"a": 1}, {"a": 2})))
    sections = [each for part in laid.parts for each in part]
    text = "".join(
        line[1:] for each in sections if each.heading == "a/0" for line in each.lines
    )
    assert json.loads(text) == long
    assert sections[-1] == Section(
        "a/1",
        ("@@ -1,3 +1,3 @@", " {", '-  "a": 1', '+  "a": 2', " }"),
        is_diff=True,
    )
    weights = [
        sum(weight_of(line) for each in part for line in each.lines)
        for part in laid.parts
    ]
    assert max(weights) <= PART + 6_000


def test_what_is_too_long_to_compare_is_shown_old_and_new() -> None:
    old = {f"k{number}": 1 for number in range(2_100)}
    new = {f"k{number}": 2 for number in range(2_100)}
    laid = laid_out("definition", _change((old, new)))
    lines = [line for part in laid.parts for each in part for line in each.lines]
    assert len(lines) == 2 * 2_102
    assert {line[0] for line in lines} == {"-", "+"}


@pytest.mark.parametrize(
    ("kind", "canonical"),
    [
        ("definition", b"\xff\x00"),
        ("definition", b'{"abilities": [{"new": 1}]}'),
        ("definition", b'{"abilities": []}'),
        ("write", b"[]"),
        ("write", b'{"ability": 1}'),
        ("write", b"[" * 100_000),
        ("other", b""),
    ],
)
def test_what_cannot_be_read_is_shown_as_it_is(kind: str, canonical: bytes) -> None:
    laid = laid_out(kind, canonical)
    assert laid.facts == {}
    assert len(laid.parts) >= 1
    [first, *_] = laid.parts[0]
    assert first.is_diff is False


def test_facts_of_a_damaged_write_have_their_types() -> None:
    said: dict[str, Any] = {
        "ability": 1,
        "actor": None,
        "arguments": [2],
        "targets": [3],
        "guidance": [{}],
        "targets_count": "many",
        "expires_at": "never",
    }
    assert laid_out("write", json.dumps(said).encode()).facts == {
        "ability": "1",
        "actor": "None",
        "arguments": "[\n  2\n]",
        "is_cut": False,
        "targets": ["3"],
        "targets_count": 1,
        "guidance": ["{}"],
        "expires_at": None,
    }
