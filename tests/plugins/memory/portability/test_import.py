"""A document is taken whole or not at all, and everything in it waits."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.memory.portability.homes import (
    CHECKOUT,
    LATER,
    Home,
    document,
    entry,
    home,
)
from plugins.memory.shelves import AT, TESTS, proposal

from abilities_host.memory import Guidance, Happening, Imported, Scope, Topic
from abilities_host.storage import Statement, Transaction
from abilities_memory.approvals import Approving, Kept, keep_approvals
from abilities_memory.canonical import canonical_guidance, hash_of
from abilities_memory.document import Document, DocumentBroken, Entry, TooMuchToExport
from abilities_memory.document_reading import read_document
from abilities_memory.importing import NoRoom, plan_import, take

# --- the order ----------------------------------------------------------------


def entries(**links: str) -> Document:
    """Make a document of entries by id, each with the id that it supersedes."""
    return Document(
        entries=tuple(
            Entry(id=id_, proposal=proposal(f"Text of {id_}.", supersedes=old))
            for id_, old in links.items()
        )
    )


def order(document: Document) -> list[tuple[str, str]]:
    plan = plan_import(document)
    return [(each.id, each.proposal.supersedes) for each in plan.entries]


def test_what_is_superseded_comes_first() -> None:
    assert order(entries(d="c", a="", c="b", b="a", e="c")) == [
        ("a", ""),
        ("b", "a"),
        ("c", "b"),
        ("d", "c"),
        ("e", "c"),
    ]


def test_links_that_lead_nowhere_or_round_are_dropped_and_told() -> None:
    found = entries(a="gone", b="b", c="e", d="c", e="d", f="c")

    assert order(found) == [
        ("a", ""),
        ("b", ""),
        ("d", ""),
        ("e", "d"),
        ("c", "e"),
        ("f", "c"),
    ]
    assert plan_import(found).left_out == (
        "What these supersede is not in the document: a.",
        "These would supersede themselves in the end: b, d.",
    )


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("abcdefghij")))
def test_any_links_give_an_order(links: dict[str, str]) -> None:
    found = order(entries(**links))

    assert sorted(id_ for id_, _ in found) == sorted(links)
    seen: set[str] = {""}
    for id_, old in found:
        assert old in seen
        assert old in ("", links[id_])
        seen.add(id_)
    broken = sum(1 for id_, old in found if old != links[id_])
    assert broken == 0 or plan_import(entries(**links)).left_out


# --- what is taken ------------------------------------------------------------


async def test_everything_is_taken_as_new_and_waits(tmp_path: Path) -> None:
    async with home(tmp_path / "here") as here:
        await here.shelf.propose(proposal("Here before.", topic="x"), by="ben")
        raw = document(
            entry("gm-001", supersedes="gm-007", status="approved"),
            entry("gm-003", type="fact", status="rejected", text="Here, before!"),
            entry("gm-007", status="archived"),
            domains={"checkout": {"state": "inactive"}, "x": {}},
        )
        imported = await here.take(raw)
        old, *kept = await here.all()
        history = await here.shelf.history("gm-002")
        topics = await here.shelf.topics()

    assert imported == Imported(
        ids={"gm-007": "gm-002", "gm-001": "gm-003", "gm-003": "gm-004"},
        left_out=(
            "Rejected there, and waiting here as all do: 1.",
            "Archived there, and waiting here as all do: 1.",
            "Topics stay as they are here, without a person's secret: checkout, x.",
        ),
    )
    first = Guidance(
        id="gm-002",
        type="guardrail",
        topic="checkout",
        text="Text of gm-007.",
        rationale="Asked for.",
        status="pending",
        source="manual",
        proposed_by="ana",
        proposed_at=LATER,
    )
    assert kept == [
        first,
        replace(first, id="gm-003", text="Text of gm-001.", supersedes="gm-002"),
        replace(
            first,
            id="gm-004",
            type="fact",
            text="Here, before!",
            duplicate_of="gm-001",
        ),
    ]
    assert (old.proposed_by, topics) == ("ben", ())
    hash_ = hash_of(canonical_guidance(first))
    assert history == (
        Happening(at=LATER, by="ana", action="proposed", about="gm-002", hash=hash_),
    )


async def test_a_whole_shelf_moves_exactly(tmp_path: Path) -> None:
    async with home(tmp_path / "there") as there, home(tmp_path / "here") as here:
        await there.shelf.propose(
            proposal(
                "Nunca activar Stripe.\nNunca.",
                topic="Checkout",
                recall=("Stripe", "meio de pagamento"),
                scope=Scope(site_wide=False, post_id=7, target="file:a/*"),
                priority=-3,
                class_="identity",
                rule={"domain": "file", "é": [1.5, None]},
            ),
            by="agent",
        )
        await there.shelf.propose(proposal("Só isto.", supersedes="gm-001"), by="b")
        await there.shelf.put_topic(CHECKOUT, by="ana")
        await here.take_over(await there.export())
        before, after = await there.all(), await here.all()
        topics = await here.shelf.topics()

    moved: dict[str, Any] = {"proposed_by": "", "proposed_at": 0, "source": "manual"}
    assert [replace(each, **moved) for each in after] == [
        replace(each, **moved) for each in before
    ]
    assert topics == (CHECKOUT,)


async def test_topics_change_only_with_a_secret(tmp_path: Path) -> None:
    same = Topic(name="same", recall=("a",))
    domains = {
        "same": {"recall": ["a"]},
        "checkout": {"state": "active", "always_on": False, "recall": ["mb way"]},
        "new": {"exclude": ["docs"]},
    }
    async with home(tmp_path) as here:
        for topic in (same, CHECKOUT):
            await here.shelf.put_topic(topic, by="ana")
        without = await here.take(document(domains=domains))
        untouched = await here.shelf.topics()
        imported = await here.take_over(document(domains=domains))
        topics = await here.shelf.topics()
        history = await here.shelf.history("topic:new")

    assert without.topics == ()
    assert without.left_out == (
        "Topics stay as they are here, without a person's secret: checkout, new.",
    )
    assert untouched == (CHECKOUT, same)
    assert imported == Imported(ids={}, topics=("checkout", "new"))
    assert topics == (
        Topic(name="checkout", recall=("mb way",)),
        Topic(name="new", exclude=("docs",)),
        same,
    )
    assert [(each.by, each.action) for each in history] == [("ana", "topic")]


async def test_more_may_wait_than_an_actor_may_have_and_not_more_than_10_000(
    tmp_path: Path,
) -> None:
    many = Document(
        entries=tuple(
            Entry(id=f"x{number}", proposal=proposal("same")) for number in range(300)
        )
    )
    room = "UPDATE memory_guidance SET proposed_by = 'ana' WHERE number <= :most"
    async with home(tmp_path) as here:
        imported = await here.take(many)
        # As if another 9,701 waited.
        filler = """
            WITH RECURSIVE more(n) AS (
                SELECT 301 UNION ALL SELECT n + 1 FROM more WHERE n < 10001
            )
            INSERT INTO memory_guidance SELECT n, 'f' || n, type, topic, text,
                rationale, recall, site_wide, post_id, target, priority, class, rule,
                supersedes, status, source, 'ben', proposed_at, reviewed_by,
                reviewed_at, duplicate_of, 0, forgotten_at
            FROM more, memory_guidance WHERE number = 1
        """
        await here.store.write([Statement(filler)])
        await here.store.write([Statement(room, {"most": 9_701})])
        with pytest.raises(NoRoom, match="9701 proposals of this account wait"):
            await here.take(many)
        counts = await here.shelf.counts()
        with pytest.raises(TooMuchToExport):
            await here.export()
        await here.shelf.forget("f10001", by="ana")
        exported = await here.export()

    assert len(imported.ids) == 300
    assert counts["pending"] == 10_001
    assert len(exported["guidance"]) == 10_000


# --- all or nothing -----------------------------------------------------------


async def test_of_a_broken_document_nothing_is_taken(tmp_path: Path) -> None:
    raw = document(entry("a"), entry("b"), entry("c", text=""))
    async with home(tmp_path) as here:
        with pytest.raises(DocumentBroken):
            await here.take(raw)
        left = await everything(here)

    assert left == []


async def test_a_failure_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    raw = document(entry("a"), entry("b"), domains={"checkout": {"always_on": True}})
    # The third row of history is of the topic: all guidance is kept by then.
    failing = """
        CREATE TRIGGER fails BEFORE INSERT ON memory_history WHEN NEW.action = 'topic'
        BEGIN SELECT RAISE(ABORT, 'the disk is full'); END
    """
    async with home(tmp_path) as here:
        await here.store.write([Statement(failing)])
        with pytest.raises(Exception, match="disk is full"):
            await here.take_over(raw)
        left = await everything(here)
        await here.store.write([Statement("DROP TRIGGER fails")])
        imported = await here.take_over(raw)

    assert left == []
    assert imported.ids == {"a": "gm-001", "b": "gm-002"}


async def everything(here: Home) -> list[Any]:
    """Give all rows that an import could have made."""
    tables = ("memory_guidance", "memory_word", "memory_history", "memory_topic")
    rows: list[Any] = []
    for table in tables:
        rows += await here.store.read(f"SELECT * FROM {table}")  # noqa: S608 - ours
    return rows


async def test_a_process_that_is_killed_while_it_takes_leaves_nothing(
    tmp_path: Path,
) -> None:
    async with home(tmp_path) as here:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "plugins.memory.portability.test_import",
            str(tmp_path),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=TESTS,
        )
        assert child.stdout is not None
        said = await child.stdout.readline()
        child.kill()
        await child.wait()
        left = await everything(here)
        imported = await here.take(document(entry("a")))

    assert said == b"kept 3\n"
    assert left == []
    assert imported.ids == {"a": "gm-001"}


async def _take_and_hang(folder: Path) -> None:
    raw = document(entry("a"), entry("b"), entry("c"))

    def work(changing: Transaction) -> None:
        plan = plan_import(read_document(raw))
        taken = take(changing, plan, (), by="ana", at=AT, has_secret=False)
        print("kept", len(taken.guidance), flush=True)  # noqa: T201 - for the test
        sys.stdin.read()

    async with home(folder) as here:
        await here.store.transact(work)


# --- approvals ----------------------------------------------------------------


async def test_an_approval_whose_seal_holds_is_sealed_anew(tmp_path: Path) -> None:
    async with home(tmp_path / "there") as there, home(tmp_path / "here") as here:
        await there.shelf.propose(proposal("Waits."), by="agent")
        await there.shelf.propose(proposal("Old one."), by="agent")
        await there.shelf.propose(proposal("Holds.", supersedes="gm-002"), by="agent")
        await there.approved("gm-002")
        await there.approved("gm-003")
        await here.shelf.propose(proposal("Here."), by="agent")
        keys = await there.accounts.public_keys()
        imported = await here.take_over(await there.export(), keys)
        kept = await here.shelf.get("gm-004")
        survey = await here.gate.survey("guidance")
        counts = await here.shelf.counts()

    assert imported == Imported(
        ids={"gm-001": "gm-002", "gm-002": "gm-003", "gm-003": "gm-004"},
        approved=("gm-004",),
        topics=("links",),
        left_out=("Archived there, and waiting here as all do: 1.",),
    )
    assert (kept.status, kept.reviewed_by, kept.supersedes) == (
        "approved",
        "ana",
        "gm-003",
    )
    assert (list(survey.sealed), survey.alarms) == (["gm-004"], ())
    assert counts == {"pending": 3, "approved": 1, "rejected": 0, "archived": 0}


async def test_both_versions_in_force_are_as_they_would_be_decided_in_turn(
    tmp_path: Path,
) -> None:
    async with home(tmp_path / "there") as there, home(tmp_path / "here") as here:
        await there.shelf.propose(proposal("Old one."), by="agent")
        await there.shelf.propose(proposal("New one.", supersedes="gm-001"), by="agent")
        await there.approved("gm-001")
        old = await there.export()
        await there.approved("gm-002")
        raw = await there.export()
        raw["seals"] += old["seals"]
        raw["guidance"].reverse()
        raw["guidance"][1]["status"] = "approved"
        await here.take_over(raw, await there.accounts.public_keys())
        statuses = [each.status for each in await here.all()]

    assert statuses == ["archived", "approved"]


async def test_every_other_approval_waits_and_is_told(tmp_path: Path) -> None:
    async with home(tmp_path / "there") as there, home(tmp_path / "here") as here:
        for number in range(1, 8):
            await there.shelf.propose(proposal(f"Number {number}."), by="agent")
            await there.approved(f"gm-00{number}")
        raw = await there.export()
        seals, guidance = raw["seals"], raw["guidance"]
        guidance[0]["text"] = "Number 1!"
        guidance[1]["supersedes"] = "gm-001"
        seals[2]["signature"] = seals[3]["signature"]
        seals[3]["reviewer"] = "ben"
        seals.pop(4)
        guidance[5]["status"] = "pending"
        seals[5]["id"] = "gm-007"
        seals.pop()
        imported = await here.take_over(raw, await there.accounts.public_keys())
        counts = await here.shelf.counts()

    assert imported.approved == ()
    assert imported.left_out == (
        "These wait, since they are not what was approved: gm-001, gm-002.",
        (
            "These wait, since the key of who approved them did not make the seal: "
            "gm-003."
        ),
        (
            "These wait, since this host does not know the key of who approved them: "
            "gm-004."
        ),
        "These wait, since nobody's seal is there: gm-005, gm-007.",
    )
    assert counts["pending"] == 7


async def test_without_a_secret_no_approval_is_kept(tmp_path: Path) -> None:
    async with home(tmp_path / "there") as there, home(tmp_path / "here") as here:
        await there.shelf.propose(proposal("Holds."), by="agent")
        await there.approved("gm-001")
        imported = await here.take(await there.export())
        counts, sealed = await here.shelf.counts(), await here.sealed()

    assert (imported.approved, dict(sealed)) == ((), {})
    assert counts["pending"] == 1


async def test_the_seal_of_somebody_with_the_same_name_elsewhere_does_not_hold(
    tmp_path: Path,
) -> None:
    async with home(tmp_path / "there") as there, home(tmp_path / "here") as here:
        await there.shelf.propose(proposal("Holds."), by="agent")
        await there.approved("gm-001")
        # Both hosts have an ana, each with a key of her own.
        imported = await here.take_over(await there.export())

    assert imported.approved == ()
    assert "did not make the seal: gm-001" in imported.left_out[-1]


async def test_a_person_who_may_not_decide_leaves_everything_waiting(
    tmp_path: Path,
) -> None:
    async with home(tmp_path / "there") as there, home(tmp_path / "here") as here:
        for number in (1, 2):
            await there.shelf.propose(proposal(f"Number {number}."), by="agent")
            await there.approved(f"gm-00{number}")
        keys, ana = await there.accounts.public_keys(), await here.ana()
        off = "UPDATE account SET disabled_at = '2027-01-01' WHERE name = 'ana'"
        await here.store.write([Statement(off)])
        imported = await here.take_over(await there.export(), keys, human=ana)
        counts = await here.shelf.counts()

    assert imported.approved == ()
    assert imported.left_out == (
        (
            "The rest waits, since nothing more could be approved: The account 'ana' "
            "is off, or its key is not the published one. Nothing was decided."
        ),
    )
    assert counts["pending"] == 2


async def test_what_somebody_else_decided_on_meanwhile_is_told(tmp_path: Path) -> None:
    async with home(tmp_path / "there") as there, home(tmp_path / "here") as here:
        for number in (1, 2, 3):
            await there.shelf.propose(proposal(f"Number {number}."), by="agent")
            await there.approved(f"gm-00{number}")
        found = read_document(await there.export())
        keys = await there.accounts.public_keys()
        await here.take(found)
        taken = {each.id: each for each in await here.all()}
        await here.shelf.reject("gm-001", by="ben")
        await here.approved("gm-002")
        kept = await keep_approvals(
            Approving(here.gate, await here.ana(), keys), found.entries, taken
        )

    assert kept == Kept(
        ("gm-003",),
        ("These wait, since somebody else decided on them meanwhile: gm-001, gm-002.",),
    )


if __name__ == "__main__":
    asyncio.run(_take_and_hang(Path(sys.argv[1])))
