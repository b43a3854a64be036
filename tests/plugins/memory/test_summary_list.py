"""The list of summaries goes on page by page, and nothing of it is lost or twice."""

from pathlib import Path

import pytest
from plugins.ledger.shelf import open_shelf
from plugins.memory.memory_world import WRITER, remembering
from plugins.memory.sessions import MINUTE, NOON, Study, open_study

from abilities_host.memory import SessionSummaries, SummaryHead, SummaryPage
from abilities_host.storage import Statement
from abilities_memory import summary_tables as tables
from abilities_memory.summaries import Summaries
from abilities_memory.summary_list import MOST, OPENING, SummaryList


def listing(study: Study) -> SummaryList:
    return SummaryList(study.shelf.store, study.summaries)


def ids(page: SummaryPage) -> list[str]:
    return [each.id for each in page.entries]


async def test_a_head_counts_what_the_summary_has(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        await study.change(1, "a")
        await study.change(2, "b", real="failed")
        claims = [{"action": "updated", "target": name} for name in ("a", "x", "y")]
        await study.save(5, "Wrote. " * 100, claims=claims)
        page = await listing(study).recent()

    assert page == SummaryPage(
        (
            SummaryHead(
                id="ss-0001",
                start=NOON + MINUTE,
                end=NOON + 5 * MINUTE,
                agent="ann",
                session="s1",
                opening=("Wrote. " * 100)[:OPENING],
                changes=2,
                targets=2,
                divergences=2,
                misreported=1,
                is_divergent=True,
                is_partial=False,
            ),
        ),
        None,
    )


async def test_pages_follow_each_other_by_the_end_of_the_session(
    tmp_path: Path,
) -> None:
    async with open_study(tmp_path) as study:
        for minute in (5, 5, 9, 3):
            await study.save(minute, start=NOON, actor=f"a{minute}")
        await study.save(9, start=-2 * MINUTE, end=-MINUTE)
        found, after = [], None
        for _ in range(5):
            page = await listing(study).recent(after=after, limit=1)
            found += ids(page)
            # What ends later is no part of the pages that follow.
            await study.save(99, start=NOON)
            after = page.next
        whole = await listing(study).recent(limit=1000)

    assert found == ["ss-0003", "ss-0002", "ss-0001", "ss-0004", "ss-0005"]
    assert after is None
    assert ids(whole)[5:] == found


@pytest.mark.parametrize("after", ["", "1", "a_b", "1_2_3", "9" * 40 + "_1", "ss-0001"])
async def test_what_is_no_mark_starts_at_the_newest(tmp_path: Path, after: str) -> None:
    async with open_study(tmp_path) as study:
        await study.save(1)
        page = await listing(study).recent(after=after, limit=-5)

    assert ids(page) == ["ss-0001"]


async def test_what_a_page_ended_with_may_be_gone(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        for minute in (1, 2, 3):
            await study.save(minute)
        page = await listing(study).recent(limit=2)
        gone = Statement("DELETE FROM memory_summary WHERE number = 2")
        await study.shelf.store.write([gone])
        rest = await listing(study).recent(after=page.next)

    assert (ids(page), ids(rest)) == (["ss-0003", "ss-0002"], ["ss-0001"])


async def test_summaries_are_found_by_agent_session_and_difference(
    tmp_path: Path,
) -> None:
    lie = [{"action": "updated", "target": "x"}]
    async with open_study(tmp_path) as study:
        await study.save(1)
        await study.save(2, session="s2", claims=lie)
        await study.save(3, actor="bob", session="s2")
        await study.save(4, actor="bob", claims=lie)
        every = listing(study)
        found = [
            ids(await every.recent(agent="ann")),
            ids(await every.recent(session="s2")),
            ids(await every.recent(only_divergent=True)),
            ids(await every.recent(agent="bob", session="s2", only_divergent=True)),
            ids(await every.recent(agent="ann", session="s2", only_divergent=True)),
            ids(await every.recent(agent="nobody")),
        ]

    assert found == [
        ["ss-0002", "ss-0001"],
        ["ss-0003", "ss-0002"],
        ["ss-0004", "ss-0002"],
        [],
        ["ss-0002"],
        [],
    ]


async def test_no_more_than_a_hundred_heads_are_given(tmp_path: Path) -> None:
    async with open_study(tmp_path) as study:
        for _ in range(MOST + 1):
            await study.save(1)
        page = await listing(study).recent(limit=1000)
        rest = await listing(study).recent(limit=1000, after=page.next)

    assert (len(page.entries), ids(rest), rest.next) == (MOST, ["ss-0001"], None)


async def test_summaries_of_an_earlier_store_are_marked_as_they_are(
    tmp_path: Path,
) -> None:
    columns = ", ".join(tables.COLUMNS[:-1])
    sql = f"""
        INSERT INTO memory_summary ({columns}) VALUES
        (:number, 1, 1, 1, 'ann', 's1', 'x', :digest, '[]', 0, NULL)
    """  # noqa: S608 - names of columns
    digest = (
        '{{"divergence":{0},"by_action":{{"a\\"divergence\\":true":1}},'
        '"entries_count":1,"targets_count":1,"divergences":0}}'
    )
    async with open_shelf(tmp_path) as shelf:
        await shelf.store.migrate(tables.OWNER, tables.MIGRATIONS[:1])
        for number, said in enumerate(("true", "false"), 1):
            values = {"number": number, "digest": digest.format(said)}
            await shelf.store.write([Statement(sql, values)])
        summaries = Summaries(shelf.store)
        await summaries.migrate()
        page = await SummaryList(shelf.store, summaries).recent()

    assert {each.id: each.is_divergent for each in page.entries} == {
        "ss-0001": True,
        "ss-0002": False,
    }


async def test_the_pack_offers_what_its_ability_saved(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        given = {"narrative": "I deleted a.", "claims": []}
        claim = {"action": "deleted", "target": "notes:a"}
        told = await world.told(
            "memory/save-session-summary", {**given, "claims": [claim]}
        )
        offered = world.host.services.find(SessionSummaries)
        [head] = (await offered.recent(agent=WRITER.id)).entries
        summary = await offered.get(head.id)
        none = [await offered.get(id_) for id_ in ("ss-0002", "ss-" + "9" * 5000)]

    assert summary is not None
    assert (summary.id, summary.narrative) == (told["id"], "I deleted a.")
    assert (head.divergences, head.is_divergent) == (1, True)
    assert [dict(each) for each in summary.divergences] == told["divergences"]
    assert none == [None, None]
