"""The ledger: what a person finds, sees, downloads and puts back."""

import json
import re
from pathlib import Path
from typing import Any

import anyio
from admin.admin_world import AdminWorld, Browser, admin_world, form_of, text_of
from cli.memory_world import SECRETS
from server.http_world import TOKEN

from abilities_host import Actor
from abilities_host.ledger import Ledger, Query

AGENT = Actor("agent", "agent", frozenset({"*", "*:*"}))
LEDGER = "/admin/ledger"


async def write(
    world: AdminWorld, text: str, path: str = "a.txt", actor: Actor = AGENT
) -> int:
    """Write a file; give the number of the change."""
    given = {"path": path, "text": text}
    done = await world.host.execute("files/write", given, actor=actor)
    assert done.status == "ok", done
    return await newest(world)


async def newest(world: AdminWorld) -> int:
    ledger = world.host.services.find(Ledger)
    return (await ledger.list_changes(Query(limit=1))).entries[0].entry.seq


async def content(world: AdminWorld, path: str = "a.txt") -> str:
    return await anyio.Path(world.config.parent / "content" / path).read_text()


async def count(world: AdminWorld) -> int:
    ledger = world.host.services.find(Ledger)
    return len([each async for each in ledger.export()])


def entry(seq: int) -> str:
    return f"{LEDGER}/{seq}"


async def preview(browser: Browser, seq: int, **fields: str) -> Any:
    return await browser.submit(entry(seq), f"{entry(seq)}/preview", **fields)


async def test_an_empty_record_says_so(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        page = await browser.get(LEDGER)
    assert page.status_code == 200
    assert "No change was recorded yet." in text_of(page.text)
    assert "<svg" not in page.text
    assert 'aria-current="page">Ledger' in page.text


async def test_changes_are_listed_newest_first_with_a_picture(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        first = await write(world, "one")
        second = await write(world, "two")
        browser = await world.signed_in()
        page = await browser.get(LEDGER)
    links = re.findall(r'href="/admin/ledger/(\d+)"', page.text)
    said = text_of(page.text)
    assert [int(each) for each in links] == [second, first]
    assert re.search(r"agent files/write files:a\.txt updated in force", said)
    assert "Activity per minute, newest 2 that fit" in said
    assert page.text.count("<rect") >= 1
    assert "As a table" in said
    assert "style=" not in page.text
    assert len(page.content) < 100_000


async def test_filters_are_kept_and_narrow_the_list(tmp_path: Path) -> None:
    other = Actor("other", "agent", AGENT.scopes)
    async with admin_world(tmp_path, "ana") as world:
        first = await write(world, "one")
        await write(world, "two", "b.txt", other)
        browser = await world.signed_in()
        found = {
            query: re.findall(
                r'href="/admin/ledger/(\d+)"',
                (await browser.get(f"{LEDGER}?{query}")).text,
            )
            for query in (
                "actor=agent",
                "domain=files&target=a.txt",
                "target=files:a.txt",
                "action=created&actor=agent&since=1h",
                "ability=files/write&actor=agent&until=2999-01-01",
            )
        }
        none = await browser.get(f"{LEDGER}?actor=nobody")
        kept = await browser.get(f"{LEDGER}?actor=agent&action=created")
    assert found == {query: [str(first)] for query in found}
    assert "No change fits." in text_of(none.text)
    assert 'name="actor" value="agent"' in kept.text
    assert '<option value="created" selected>' in kept.text


async def test_filters_that_make_no_query_are_told(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "one")
        browser = await world.signed_in()
        when = await browser.get(f"{LEDGER}?since=soon")
        alone = await browser.get(f"{LEDGER}?target=a.txt")
        odd = await browser.get(f"{LEDGER}?before=%00&actor=%ff%00&until=")
    assert when.status_code == 400
    assert "since is not understood." in text_of(when.text)
    assert "A target is one of a domain" in text_of(alone.text)
    assert odd.status_code == 200


async def test_the_list_goes_on_page_by_page(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        numbers = [await write(world, str(number)) for number in range(52)]
        browser = await world.signed_in()
        first = (await browser.get(f"{LEDGER}?actor=agent")).text
        [more] = re.findall(r'rel="next" href="([^"]+)"', first)
        second = (await browser.get(more.replace("&amp;", "&"))).text
    shown = [
        int(each)
        for page in (first, second)
        for each in re.findall(r'href="/admin/ledger/(\d+)"', page)
    ]
    assert "actor=agent" in more
    assert shown == numbers[::-1]
    assert 'rel="next"' not in second
    assert len(first) < 100_000


async def test_an_entry_shows_what_is_different(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "one\nsame")
        seq = await write(world, "two\nsame")
        browser = await world.signed_in()
        page = await browser.get(entry(seq))
    said = text_of(page.text)
    assert f"<title>{seq} · Ledger · Abilities</title>" in page.text
    assert '<td class="old"><del>one</del></td>' in page.text
    assert '<td class="new"><ins>two</ins></td>' in page.text
    assert "Before: 8 bytes. After: 8 bytes." in said
    for fact in ("Actor agent", "Ability files/write", "Target files:a.txt"):
        assert fact in said
    assert "Preview the undo" in said


async def test_a_secret_is_not_shown(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        seq = await write(world, "https://me:hunter2@example.org/ changed")
        browser = await world.signed_in()
        page = (await browser.get(entry(seq))).text
    assert "example.org" in page
    assert "hunter2" not in page


async def test_of_what_is_no_text_only_the_size_is_shown(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        path = anyio.Path(world.config.parent / "content" / "a.bin")
        await path.write_bytes(bytes(range(256)))
        gone = await world.host.execute("files/delete", {"path": "a.bin"}, actor=AGENT)
        browser = await world.signed_in()
        page = text_of((await browser.get(entry(await newest(world)))).text)
    assert gone.status == "ok", gone
    assert "Before: 256 bytes. After: nothing." in page
    assert "only its size is shown" in page


async def test_a_long_difference_is_cut_and_the_page_stays_small(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        many = await write(world, "\n".join('"<&>"' * 20 for _ in range(5000)))
        one = await write(world, '"' * 200_000, "b.txt")
        browser = await world.signed_in()
        pages = [await browser.get(entry(seq)) for seq in (many, one)]
    for page in pages:
        assert "There is more than is shown." in text_of(page.text)
        assert len(page.content) < 100_000


async def test_an_entry_of_another_kind_is_shown_without_a_diff(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        ledger = world.host.services.find(Ledger)
        seq = await ledger.note("setting", actor="ana", action="set", target="x")
        page = await browser.get(entry(seq))
        missing = [
            (await browser.get(f"{LEDGER}/{number}")).status_code
            for number in ("999999", "9" * 30)
        ]
    assert "setting" in text_of(page.text)
    assert "Preview the undo" not in text_of(page.text)
    assert missing == [404, 404]


async def test_what_agents_write_is_text_and_no_script(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    actor = Actor(f"agent{evil}", "agent", AGENT.scopes)
    async with admin_world(tmp_path, "ana") as world:
        seq = await write(world, evil, "<img src=x onerror=alert(1)>.txt", actor)
        browser = await world.signed_in()
        pages = [
            (await browser.get(path)).text
            for path in (
                LEDGER,
                entry(seq),
                f'{LEDGER}?actor="><script>alert(1)</script>',
            )
        ]
        tried = await preview(browser, seq)
    for page in (*pages, tried.text):
        assert "<script>" not in page
        assert "<img" not in page
    assert "&lt;img src=x" in pages[0]
    assert "&lt;img src=x" in tried.text


async def test_looking_changes_nothing(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        seq = await write(world, "one")
        browser = await world.signed_in()
        before = await count(world)
        for path in (LEDGER, entry(seq), f"{LEDGER}/export", f"{LEDGER}?actor=x"):
            assert (await browser.get(path)).status_code == 200
        refused = [
            (await browser.get(f"{entry(seq)}/{action}")).status_code
            for action in ("preview", "rollback")
        ]
        after = await count(world)
    assert after == before
    assert refused == [405, 405]


async def test_an_undo_is_tried_and_then_done_with_the_secret(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "one")
        seq = await write(world, "two")
        browser = await world.signed_in()
        tried = await preview(browser, seq)
        between = await content(world)
        undo = f"{entry(seq)}/rollback"
        asked = await browser.post(undo, form_of(tried.text, undo))
        still = await content(world)
        given = {**form_of(asked.text, undo), "secret": SECRETS["ana"]}
        done = await browser.post(undo, given)
        told = await browser.get(done.headers["location"])
        after = await content(world)
        ledger = world.host.services.find(Ledger)
        [last] = (await ledger.list_changes(Query(limit=1))).entries
    assert "One target would be put back" in text_of(tried.text)
    assert "files:a.txt" in text_of(tried.text)
    assert "<del>-one</del>" in tried.text
    assert "Secret of ana" in text_of(asked.text)
    assert (between, still, after) == ("two", "two", "one")
    assert done.headers["location"] == entry(seq)
    assert "Put back: files:a.txt" in text_of(told.text)
    assert "This was undone." in text_of(told.text)
    assert (last.entry.actor, last.entry.ability) == ("ana", "ledger/rollback-change")


async def test_an_undo_of_what_changed_since_is_refused_and_shown(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        seq = await write(world, "one")
        browser = await world.signed_in()
        good = await preview(browser, seq)
        later = await write(world, "somebody else's")
        undo = f"{entry(seq)}/rollback"
        given = {**form_of(good.text, undo), "secret": SECRETS["ana"]}
        refused = await browser.post(undo, given)
        tried = await preview(browser, seq, only_target="yes")
        kept = await content(world)
    assert kept == "somebody else's"
    for reply in (refused, tried):
        assert reply.status_code == 409
        assert "Changed since: files:a.txt" in text_of(reply.text)
        assert "<ins>+somebody else&#39;s</ins>" in reply.text
        assert f'href="{entry(later)}"' in reply.text
        assert "/rollback" not in reply.text


async def test_the_second_of_two_who_undo_is_told(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "one")
        seq = await write(world, "two")
        first, second = await world.signed_in(), await world.signed_in()
        undo = f"{entry(seq)}/rollback"
        forms = [
            form_of((await preview(each, seq)).text, undo) for each in (first, second)
        ]
        secret = {"secret": SECRETS["ana"]}
        await first.post(undo, {**forms[0], **secret})
        late = await second.post(undo, {**forms[1], **secret})
        told = await second.get(late.headers["location"])
        kept = await content(world)
    assert kept == "one"
    assert "changed by somebody else since you looked at it" in text_of(told.text)


async def test_a_reviewer_sees_and_does_not_undo(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        seq = await write(world, "one")
        ana, ben = await world.signed_in(), await world.signed_in("ben")
        page = await ben.get(entry(seq))
        foreign = form_of((await ana.get(entry(seq))).text, f"{entry(seq)}/preview")
        taken = await ben.post(f"{entry(seq)}/preview", foreign)
    assert "<ins>one</ins>" in page.text
    assert "Only an operator undoes." in text_of(page.text)
    assert taken.status_code == 403


async def test_the_record_is_verified_while_it_is_short(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "one")
        browser = await world.signed_in()
        done = await browser.submit(LEDGER, f"{LEDGER}/verify")
        told = await browser.get(done.headers["location"])
    assert re.search(r"(intact|unanchored): \d+ entries read\.", text_of(told.text))


async def test_the_record_is_downloaded_as_lines(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "one")
        seq = await write(world, "two")
        browser = await world.signed_in()
        whole = await browser.get(f"{LEDGER}/export")
        rest = await browser.get(f"{LEDGER}/export?after={seq - 1}")
    lines = [json.loads(line) for line in whole.text.splitlines()]
    assert [each["seq"] for each in lines] == list(range(1, len(lines) + 1))
    assert seq in [each["seq"] for each in lines]
    assert json.loads(rest.text.splitlines()[0])["seq"] == seq
    assert whole.headers["content-disposition"] == (
        'attachment; filename="ledger-after-0.jsonl"'
    )


async def test_nobody_but_a_person_gets_in(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        seq = await write(world, "one")
        browser = world.browser()
        paths = (LEDGER, entry(seq), f"{LEDGER}/export")
        agents = [
            (await browser.get(path, authorization=f"Bearer {TOKEN}")).status_code
            for path in paths
        ]
        nobody = [(await browser.get(path)).status_code for path in paths]
    assert agents == [403, 403, 403]
    assert nobody == [303, 303, 303]


async def test_an_undo_that_a_rule_stops_says_what_a_person_can_do(
    tmp_path: Path,
) -> None:
    rule = {"domain": "files", "targets": ["*.txt"], "effect": "deny"}
    async with admin_world(tmp_path, "ana") as world:
        seq = await write(world, "one")
        await world.propose("Leave texts alone.", type="guardrail", rule=rule)
        browser = await world.signed_in()
        approve = "/admin/review/approve"
        await browser.submit("/admin/review", approve, secret=SECRETS["ana"])
        tried = await preview(browser, seq)
        kept = await content(world)
    text = text_of(tried.text)
    assert (tried.status_code, kept) == (409, "one")
    assert "guidance gm-001 forbids it" in text
    assert "Withdraw the guidance first if this is to be undone" in text
    assert 'href="/admin/guidance?status=approved"' in tried.text
