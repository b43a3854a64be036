"""The review: what a person sees, decides and confirms."""

import re
from pathlib import Path
from typing import Any

from admin.admin_world import OWN, AdminWorld, admin_world, form_of, text_of
from cli.memory_world import SECRETS

from abilities_host import Actor
from abilities_host.ledger import Ledger
from abilities_host.storage.base import Statement

APPROVE = "/admin/review/approve"
REJECT = "/admin/review/reject"
ARCHIVE = "/admin/review/archive"
LIST = "/admin/review/list"
REJECT_LIST = "/admin/review/list/reject"
AGENT = Actor("agent", "agent", frozenset({"*", "*:*"}))
RULE = {"domain": "files", "targets": ["*.txt"], "effect": "deny"}


async def test_home_counts_what_waits_and_so_does_the_title(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        before = (await browser.get("/admin")).text
        await world.propose("A fact.")
        await world.propose("Another fact.")
        after = (await browser.get("/admin/")).text
    assert "<title>Home · Abilities</title>" in before
    assert "Nothing waits for you." in text_of(before)
    assert "Everything that was approved is as it was left." in text_of(before)
    assert "<title>(2) Home · Abilities</title>" in after
    assert "2 pieces of guidance to review" in text_of(after)


async def test_home_tells_of_alarms(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = await world.signed_in()
        await browser.submit("/admin/review", APPROVE, secret=SECRETS["ana"])
        change = "UPDATE memory_guidance SET text = 'Another' WHERE id = 'gm-001'"
        await world.host.store.write([Statement(change)], bump=True)
        page = (await browser.get("/admin")).text
    assert "guidance gm-001 is not what was approved; it has no effect." in text_of(
        page
    )


async def test_a_person_sees_all_there_is_to_decide_on(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        given = {"path": "a.txt", "text": "x"}
        written = await world.host.execute("files/write", given, actor=AGENT)
        assert written.status == "ok", written
        rule: dict[str, Any] = {"type": "guardrail", "rule": RULE}
        old = await world.propose("Never touch the text files.", **rule)
        new = await world.propose(
            "Never touch the old text files.",
            recall=("text",),
            supersedes=old.id,
            **rule,
        )
        browser = await world.signed_in()
        html = (await browser.get(f"/admin/review?id={new.id}")).text
        review = await world.memory.review(new.id)
    page = text_of(html)
    assert "<title>(2) gm-002 · Review · Abilities</title>" in html
    for said in (
        "guardrail shop 2 of 2",
        "What agents will be told Never touch the old text files.",
        "Why Asked for.",
        "In place of gm-001, which is pending",
        "-text: Never touch the text files. +text: Never touch the old text files.",
        "It would have stopped One change in the last 30 days.",
        "agent files/write files:a.txt",
        "Says nearly the same as gm-001, pending Never touch the text files.",
        "Proposed by agent",
        "Source an agent's proposal",
        "Comes up with text",
        review.hash,
    ):
        assert said in page, said
    assert re.findall('data-key="([a-z])"', html) == ["a", "r", "x", "e", "k"]


async def test_approving_needs_the_secret_again_and_then_holds(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        for number in range(3):
            await world.propose(f"Fact {number}.")
        browser = await world.signed_in()
        asked = await browser.submit("/admin/review", APPROVE)
        before = (await world.memory.get("gm-001")).status
        kept = form_of(asked.text, APPROVE)
        wrong = await browser.post(APPROVE, {**kept, "secret": "not the right words"})
        world.clock.now += 60
        done = await browser.post(APPROVE, {**kept, "secret": SECRETS["ana"]})
        told = await browser.get(done.headers["location"])
        next_ = await browser.submit("/admin/review", APPROVE)
        world.clock.now += 300
        late = await browser.submit("/admin/review", APPROVE)
        found = [await world.memory.get(f"gm-00{number}") for number in (1, 2, 3)]
    assert (asked.status_code, before) == (200, "pending")
    assert "Secret of ana" in text_of(asked.text)
    assert wrong.status_code == 403
    assert "No account has this name and this secret." in text_of(wrong.text)
    assert (done.status_code, done.headers["location"]) == (
        303,
        "/admin/review?id=gm-002",
    )
    assert "gm-001 is approved." in text_of(told.text)
    assert (next_.status_code, late.status_code) == (303, 200)
    assert [each.status for each in found] == ["approved", "approved", "pending"]
    assert found[0].reviewed_by == "ana"


async def test_what_was_confirmed_in_one_session_is_not_in_another(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        await world.propose("Another fact.")
        first, second = await world.signed_in(), await world.signed_in()
        await first.submit("/admin/review", APPROVE, secret=SECRETS["ana"])
        other = await second.submit("/admin/review", APPROVE)
        counts = await world.memory.counts()
    assert other.status_code == 200
    assert counts["pending"] == 1


async def test_the_second_of_two_reviewers_is_told(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        await world.propose("A fact.")
        ana, ben = await world.signed_in("ana"), await world.signed_in("ben")
        seen = form_of((await ben.get("/admin/review")).text, APPROVE)
        other = form_of((await ben.get("/admin/review")).text, REJECT)
        await ana.submit("/admin/review", REJECT)
        late = await ben.post(APPROVE, {**seen, "secret": SECRETS["ben"]})
        told = await ben.get(late.headers["location"])
        again = await ben.post(REJECT, other)
        told_again = await ben.get(again.headers["location"])
        kept = await world.memory.get("gm-001")
    assert (kept.status, kept.reviewed_by) == ("rejected", "ana")
    for page in (told, told_again):
        assert 'class="told problem"' in page.text
        said = "Somebody was faster: gm-001 is rejected already by ana."
        assert said in text_of(page.text)


async def test_what_was_changed_since_it_was_seen_is_not_decided(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = await world.signed_in()
        page = (await browser.get("/admin/review")).text
        change = "UPDATE memory_guidance SET text = 'Another' WHERE id = 'gm-001'"
        await world.host.store.write([Statement(change)], bump=True)
        approved = await browser.post(
            APPROVE, {**form_of(page, APPROVE), "secret": SECRETS["ana"]}
        )
        first = text_of((await browser.get(approved.headers["location"])).text)
        rejected = await browser.post(REJECT, form_of(page, REJECT))
        second = text_of((await browser.get(rejected.headers["location"])).text)
        status = (await world.memory.get("gm-001")).status
    assert status == "pending"
    assert "is not what was shown any more" in first
    assert "changed by somebody else since you looked at it" in second


async def test_decisions_are_in_the_record_with_the_person(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        await world.propose("A fact.")
        await world.propose("Another fact.")
        browser = await world.signed_in("ben")
        await browser.submit("/admin/review", APPROVE, secret=SECRETS["ben"])
        await browser.submit("/admin/review", REJECT)
        ledger = world.host.services.find(Ledger)
        entries = [each async for each in ledger.export()]
    decided = [
        (each["actor"], each["action"], each["target"])
        for each in entries
        if each["kind"] == "review"
    ]
    assert decided == [
        ("ben", "approved", "guidance:gm-001"),
        ("ben", "rejected", "guidance:gm-002"),
    ]


async def test_a_session_that_ended_meanwhile_decides_nothing(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = await world.signed_in()
        page = (await browser.get("/admin/review")).text
        world.clock.now += 31 * 60
        reply = await browser.post(REJECT, form_of(page, REJECT))
        shown = await browser.get(reply.headers["location"])
        status = (await world.memory.get("gm-001")).status
    assert status == "pending"
    assert "Your session has ended. Nothing was changed." in text_of(shown.text)


async def test_where_nothing_waits_the_review_says_so(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        page = await browser.get("/admin/review?id=gm-999")
    assert "Nothing waits for a review." in text_of(page.text)


async def chosen(world: AdminWorld, *ids: str) -> list[str]:
    """Give the values of the boxes of some that wait."""
    return [f"{id_} {(await world.memory.review(id_)).hash}" for id_ in ids]


async def statuses(world: AdminWorld, count: int) -> list[str]:
    ids = [f"gm-{number:03}" for number in range(1, count + 1)]
    return [(await world.memory.get(id_)).status for id_ in ids]


async def test_what_waits_can_be_archived_by_whoever_saw_it(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        await world.propose("A fact.")
        ana, ben = await world.signed_in("ana"), await world.signed_in("ben")
        late = form_of((await ben.get("/admin/review")).text, ARCHIVE)
        done = await ana.submit("/admin/review", ARCHIVE)
        told = await ana.get(done.headers["location"])
        again = await ben.post(ARCHIVE, late)
        refused = await ben.get(again.headers["location"])
        kept = await world.memory.get("gm-001")
    assert (kept.status, kept.reviewed_by) == ("archived", "ana")
    assert "gm-001 is archived." in text_of(told.text)
    assert 'class="told problem"' in refused.text


async def test_what_is_ticked_is_rejected_and_nothing_else(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        for number in range(3):
            await world.propose(f"Fact {number}.")
        browser = await world.signed_in()
        page = (await browser.get(LIST)).text
        boxes = re.findall(r'name="chosen" value="([^"]+)"', page)
        wanted = await chosen(world, "gm-001", "gm-003")
        fields = {**form_of(page, REJECT_LIST), "chosen": wanted}
        reply = await browser.http.post(REJECT_LIST, data=fields, headers=OWN)
        told = await browser.get(reply.headers["location"])
        found = await statuses(world, 3)
    assert boxes == [wanted[0], boxes[1], wanted[1]]
    assert found == ["rejected", "pending", "rejected"]
    assert "Rejected: 2." in text_of(told.text)


async def test_of_what_is_ticked_what_changed_meanwhile_is_left(
    tmp_path: Path,
) -> None:
    async with admin_world(tmp_path, "ana", "ben") as world:
        for number in range(3):
            await world.propose(f"Fact {number}.")
        browser = await world.signed_in("ben")
        page = (await browser.get(LIST)).text
        wanted = await chosen(world, "gm-001", "gm-002", "gm-003")
        await world.memory.archive("gm-002", by="ana")
        change = "UPDATE memory_guidance SET text = 'Another' WHERE id = 'gm-003'"
        await world.host.store.write([Statement(change)], bump=True)
        fields = {**form_of(page, REJECT_LIST), "chosen": [*wanted, "gm-999 x", ""]}
        first = await browser.http.post(REJECT_LIST, data=fields, headers=OWN)
        told = await browser.get(first.headers["location"])
        second = await browser.http.post(REJECT_LIST, data=fields, headers=OWN)
        refused = await browser.get(second.headers["location"])
        found = await statuses(world, 3)
    assert found == ["rejected", "archived", "pending"]
    assert "Rejected: 1." in text_of(told.text)
    assert "left as they are: 4." in text_of(told.text)
    assert "Nothing was rejected" in text_of(refused.text)


async def test_without_a_tick_nothing_is_rejected(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        await world.propose("A fact.")
        browser = await world.signed_in()
        reply = await browser.submit(LIST, REJECT_LIST)
        told = await browser.get(reply.headers["location"])
        status = (await world.memory.get("gm-001")).status
    assert status == "pending"
    assert "no box was ticked" in text_of(told.text)


async def test_the_list_goes_on_and_ends(tmp_path: Path) -> None:
    async with admin_world(tmp_path, "ana") as world:
        browser = await world.signed_in()
        empty = (await browser.get(LIST)).text
        for number in range(51):
            await world.propose(f"Fact {number}.")
        first = (await browser.get(LIST)).text
        [address] = re.findall(r'rel="next" href="([^"]+)"', first)
        second = (await browser.get(address)).text
    assert "Nothing waits for a review." in text_of(empty)
    assert first.count('name="chosen"') == 50
    assert re.findall(r'value="(gm-\d+) ', second) == ["gm-051"]
