"""A session: what undoing all of it would do, and what became of it."""

import re
from pathlib import Path
from typing import Any

import anyio
from admin.admin_world import AdminWorld, Browser, admin_world, form_of, text_of
from admin.test_ledger_page import AGENT, content, count, newest
from admin.test_ledger_states import put
from cli.memory_world import SECRETS
from plugins.ledger.shelf import change
from server.http_world import TOKEN

from abilities_host.ledger import Ledger, Query
from abilities_ledger.book import Book

PAGE = "/admin/ledger/session"
UNDO = f"{PAGE}/undo"


async def write(
    world: AdminWorld, text: str, path: str = "a.txt", session: str = "s1"
) -> int:
    """Write a file in a session; give the number of the change."""
    given = {"path": path, "text": text}
    done = await world.host.execute("files/write", given, actor=AGENT, session=session)
    assert done.status == "ok", done
    return await newest(world)


async def preview(browser: Browser, id_: str = "s1") -> Any:
    return await browser.submit(f"{PAGE}?id={id_}", f"{PAGE}/preview")


async def undo(browser: Browser, tried: Any) -> Any:
    return await browser.post(
        UNDO, {**form_of(tried.text, UNDO), "secret": SECRETS["ana"]}
    )


def rows(html: str) -> list[tuple[int, str]]:
    """Give number and outcome of every run that is shown."""
    found = re.findall(
        r'<tr><td><a href="/admin/ledger/(\d+)">\d+</a></td><td[^>]*>([^<]+)</td>', html
    )
    return [(int(seq), end) for seq, end in found]


async def overwrite(world: AdminWorld, text: str, path: str) -> None:
    """Change a file behind the back of the host."""
    await anyio.Path(world.config.parent / "content" / path).write_text(text)


async def test_a_session_is_tried_and_then_undone_with_the_secret(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "before", session="s0")
        seqs = [
            await write(world, "one"),
            await write(world, "two"),
            await write(world, "<b>", "b.txt"),
        ]
        browser = await world.signed_in()
        page = await browser.get(f"{PAGE}?id=s1")
        tried = await preview(browser)
        between = await content(world)
        asked = await browser.post(UNDO, form_of(tried.text, UNDO))
        still = await content(world)
        given = {**form_of(asked.text, UNDO), "secret": SECRETS["ana"]}
        done = await browser.post(UNDO, given)
        after = await content(world)
        is_there = await anyio.Path(world.config.parent / "content/b.txt").exists()
        rest = text_of((await browser.get(f"{PAGE}?id=s1")).text)
        ledger = world.host.services.find(Ledger)
        [last] = (await ledger.list_changes(Query(limit=1))).entries
    assert "3 changes are in force." in text_of(page.text)
    assert rows(tried.text) == [(seq, "would be undone") for seq in seqs[::-1]]
    assert "3 runs would be undone." in text_of(tried.text)
    assert "Confirm: s1" in text_of(asked.text)
    assert (between, still, after, is_there) == ("two", "two", "before", False)
    assert done.status_code == 200
    assert rows(done.text) == [(seq, "undone") for seq in seqs[::-1]]
    assert "3 runs were undone." in text_of(done.text)
    assert form_actions(done.text) == []
    assert "No change of this session is in force." in rest
    assert (last.entry.actor, last.entry.ability) == ("ana", "ledger/rollback-change")


def form_actions(html: str) -> list[str]:
    return re.findall(rf'action="({PAGE}[^"]*)"', html)


async def test_it_ends_at_what_has_changed_since(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        seqs = [
            await write(world, "one"),
            await write(world, "two", "b.txt"),
            await write(world, "three", "c.txt"),
        ]
        await overwrite(world, "somebody else's", "b.txt")
        browser = await world.signed_in()
        tried = await preview(browser)
        done = await undo(browser, tried)
        files = [await content(world, path) for path in ("a.txt", "b.txt")]
        is_there = await anyio.Path(world.config.parent / "content/c.txt").exists()
    ends = ["not reached", "refused"]
    assert (
        rows(tried.text) == [*zip(seqs, [*ends, "would be undone"], strict=True)][::-1]
    )
    assert f"It would end at entry {seqs[1]}, which is refused." in text_of(tried.text)
    assert rows(done.text) == [*zip(seqs, [*ends, "undone"], strict=True)][::-1]
    assert (tried.status_code, done.status_code) == (200, 409)
    assert "One run was undone." in text_of(done.text)
    assert "Changed since: files:b.txt" in text_of(done.text)
    assert "<ins>+somebody else&#39;s</ins>" in done.text
    assert (files, is_there) == (["one", "somebody else's"], False)


async def test_nothing_is_offered_when_the_first_is_refused(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        seq = await write(world, "one")
        later = await write(world, "two", session="s2")
        browser = await world.signed_in()
        tried = await preview(browser)
    assert "No run would be undone." in text_of(tried.text)
    assert f'<a href="/admin/ledger/{later}">{later}</a>' in tried.text
    assert rows(tried.text) == [(seq, "refused")]
    assert form_actions(tried.text) == []


async def test_another_undo_in_between_is_noticed(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "one")
        await write(world, "two", "b.txt")
        first, second = await world.signed_in(), await world.signed_in()
        plans = [await preview(each) for each in (first, second)]
        await undo(first, plans[0])
        before = await count(world)
        late = await undo(second, plans[1])
        after = await count(world)
    assert late.status_code == 409
    assert "changed by somebody else since you looked at it" in text_of(late.text)
    assert "No change of this session is in force." in text_of(late.text)
    assert after == before


async def test_a_write_in_between_is_noticed_at_the_preview(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "one")
        browser = await world.signed_in()
        page = await browser.get(f"{PAGE}?id=s1")
        await write(world, "two")
        tried = await browser.post(
            f"{PAGE}/preview", form_of(page.text, f"{PAGE}/preview")
        )
    assert tried.status_code == 409
    assert "2 changes are in force." in text_of(tried.text)


async def test_a_run_with_several_changes_is_one(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "one")
        given = {"source": "a.txt", "destination": "b.txt"}
        moved = await world.host.execute("files/move", given, actor=AGENT, session="s2")
        browser = await world.signed_in()
        tried = await preview(browser, "s2")
    assert moved.status == "ok", moved
    assert "One run would be undone." in text_of(tried.text)
    assert re.search(r"files:\w\.txt and one more", text_of(tried.text))


async def test_a_long_session_is_told_run_by_run_in_a_small_page(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        seqs = [await write(world, "x", f"{'long' * 40}-{n}.txt") for n in range(55)]
        browser = await world.signed_in()
        page, tried = await browser.get(f"{PAGE}?id=s1"), await preview(browser)
    links = [
        int(seq) for seq in re.findall(r'<a href="/admin/ledger/(\d+)"', tried.text)
    ]
    assert links == seqs[::-1]
    assert "Further would be undone:" in text_of(tried.text)
    assert max(len(each.content) for each in (page, tried)) < 100_000


async def test_what_lies_far_back_is_only_numbered(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        old = await put(world, "a", "b", call="old")
        drafts = [change("large", target=f"t{n}") for n in range(5_000)]
        large = await Book(world.host.store).append(drafts)
        new = await put(world, "a", "b", call="new")
        browser = await world.signed_in()
        page, tried = await browser.get(f"{PAGE}?id=s1"), await preview(browser)
    assert "There are more than were looked through." in text_of(page.text)
    assert rows(tried.text) == [
        (new, "refused"),
        (large[-1], "not reached"),
        (old, "not reached"),
    ]
    assert "notes:t4999 and 4,998 more" in text_of(tried.text)
    assert tried.text.count("gone:a") == 1


async def test_a_session_of_any_name_is_asked_for(tmp_path: Path) -> None:
    odd = '"><script>/ü'
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "one", session=odd)
        browser = await world.signed_in()
        asked = await browser.get(PAGE)
        listed = await browser.get(
            "/admin/ledger",
        )
        entry = await browser.get(f"/admin/ledger/{await newest(world)}")
        [link] = re.findall(rf'href="({PAGE}[^"]+)"', entry.text)
        page = await browser.get(link)
        tried = await browser.submit(link, f"{PAGE}/preview")
        done = await undo(browser, tried)
        none = await browser.get(f"{PAGE}?id=nobody")
        filtered = await browser.get("/admin/ledger?session=s1")
    assert 'name="id"' in asked.text
    assert PAGE not in listed.text
    assert f'href="{PAGE}?id=s1"' in filtered.text
    for each in (entry, page, tried, done):
        assert "<script>/" not in each.text
    assert "One run was undone." in text_of(done.text)
    assert "No change of this session is in force." in text_of(none.text)


async def test_a_reviewer_sees_and_does_not_undo(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        await write(world, "one")
        ana, ben = await world.signed_in(), await world.signed_in("ben")
        page = await ben.get(f"{PAGE}?id=s1")
        foreign = form_of((await preview(ana)).text, UNDO)
        taken = [await ben.post(path, foreign) for path in (UNDO, f"{PAGE}/preview")]
        kept = await content(world)
    assert "Only an operator undoes." in text_of(page.text)
    assert form_actions(page.text) == []
    assert [each.status_code for each in taken] == [403, 403]
    assert kept == "one"


async def test_what_the_service_refuses_is_told(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "one")
        browser = await world.signed_in()
        page = await browser.get(f"{PAGE}?id=s1")
        await world.host.toggles.set("ledger/*", False, by="ana")  # noqa: FBT003 - off
        await world.host.refresh()
        told = await browser.post(
            f"{PAGE}/preview", form_of(page.text, f"{PAGE}/preview")
        )
    assert told.status_code == 409
    assert "ledger/rollback-session" in text_of(told.text)


async def test_looking_changes_nothing_and_is_for_people(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await write(world, "one")
        browser, nobody = await world.signed_in(), world.browser()
        before = await count(world)
        await browser.get(f"{PAGE}?id=s1")
        refused = [
            (await browser.get(f"{PAGE}/{name}")).status_code
            for name in ("preview", "undo")
        ]
        agent = await nobody.get(PAGE, authorization=f"Bearer {TOKEN}")
        away = await nobody.get(PAGE)
        after = await count(world)
    assert after == before
    assert refused == [405, 405]
    assert (agent.status_code, away.status_code) == (403, 303)
