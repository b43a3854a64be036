"""A search finds what is asked for, in whatever case, and goes on where it stopped."""

from pathlib import Path

from plugins.memory.shelves import AT, opened_shelf, proposal

from abilities_host.memory import GuidanceQuery, Scope
from abilities_host.storage import Statement
from abilities_memory.searching import LOOK
from abilities_memory.shelf import Shelf

MANY = """
    INSERT INTO memory_guidance
    WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
    SELECT i, 'gm-' || i, type, topic, text, rationale, recall, site_wide, post_id,
        target, priority, class, rule, supersedes, status, source, proposed_by,
        proposed_at, reviewed_by, reviewed_at, duplicate_of, words, forgotten_at
    FROM n, memory_guidance WHERE number = 1
"""

FEW = """
    UPDATE memory_guidance SET text = 'butter', status = 'rejected'
    WHERE number IN (:one, :two)
"""


async def found(
    shelf: Shelf, query: GuidanceQuery, after: int = 0, limit: int = 50
) -> tuple[list[str], int | None]:
    page = await shelf.search(query, after=after, limit=limit)
    return [each.id for each in page.entries], page.next


async def walk(
    shelf: Shelf, query: GuidanceQuery
) -> list[tuple[list[str], int | None]]:
    pages = [await found(shelf, query)]
    while (after := pages[-1][1]) is not None:
        pages.append(await found(shelf, query, after))
    return pages


async def test_words_are_found_wherever_they_stand(tmp_path: Path) -> None:
    async with opened_shelf(tmp_path / "s.db") as (_, shelf):
        given = proposal("Preços em reais", rationale="By LEA.", recall=("ÇA VA",))
        await shelf.propose(given, by="ann")
        narrow = Scope(site_wide=False, target="files:Shop/*.md")
        await shelf.propose(proposal("Straße", topic="Shop", scope=narrow), by="ann")
        queries = {
            words: (await found(shelf, GuidanceQuery(words=words)))[0]
            for words in (
                ("PREÇOS",),
                ("reais", "lea"),
                ("ça va",),
                ("strasse", "shop"),
                ("FILES:shop",),
                ("GM-00",),
                ("reais", "shop"),
            )
        }

    assert list(queries.values()) == [
        *([["gm-001"]] * 3),
        *([["gm-002"]] * 2),
        ["gm-001", "gm-002"],
        [],
    ]


async def test_type_topic_status_and_time_narrow_it(tmp_path: Path) -> None:
    async with opened_shelf(tmp_path / "s.db") as (store, shelf):
        for number, topic in enumerate(("links", "links", "deploys", "links"), start=1):
            kind = "fact" if number % 2 else "convention"
            await shelf.propose(proposal("x", topic=topic, type=kind), by="ann")
        await shelf.reject("gm-001", by="ana")
        late = "UPDATE memory_guidance SET reviewed_at = :at WHERE number = 1"
        await store.write([Statement(late, {"at": AT + 5})])
        await shelf.forget("gm-004", by="ana")
        queries = [
            (await found(shelf, query))[0]
            for query in (
                GuidanceQuery(),
                GuidanceQuery(type="fact"),
                GuidanceQuery(topic="links"),
                GuidanceQuery(status="rejected"),
                GuidanceQuery(until=AT),
                GuidanceQuery(until=AT + 5),
                GuidanceQuery(until=AT - 1),
                GuidanceQuery(words=("x",), type="fact", status="pending"),
            )
        ]

    assert queries == [
        ["gm-001", "gm-002", "gm-003"],
        ["gm-001", "gm-003"],
        ["gm-001", "gm-002"],
        ["gm-001"],
        ["gm-002", "gm-003"],
        ["gm-001", "gm-002", "gm-003"],
        [],
        ["gm-003"],
    ]


async def test_a_search_for_words_looks_through_a_part_and_goes_on(
    tmp_path: Path,
) -> None:
    last = 2 * LOOK + 1
    async with opened_shelf(tmp_path / "s.db") as (store, shelf):
        await shelf.propose(proposal("bread"), by="ann")
        await store.write([Statement(MANY, {"count": last})])
        await store.write([Statement(FEW, {"one": LOOK + 2, "two": last})])
        walked = await walk(shelf, GuidanceQuery(words=("butter",)))
        # Of few rows more numbers could be looked through, and are not.
        narrow = await walk(shelf, GuidanceQuery(words=("butter",), status="rejected"))
        cut = await found(shelf, GuidanceQuery(words=("bread",)), limit=2)
        plain = await found(shelf, GuidanceQuery(), after=last - 1)

    assert (
        walked
        == narrow
        == [
            ([], LOOK),
            ([f"gm-{LOOK + 2}"], 2 * LOOK),
            ([f"gm-{last}"], None),
        ]
    )
    assert cut == (["gm-001", "gm-2"], 2)
    assert plain == ([f"gm-{last}"], None)
