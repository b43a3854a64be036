"""The tests of a pack, as docs/how-to/test-a-pack.md shows them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from abilities_host import MISSING, Actor, Drifted
from abilities_host.testing import (
    RecordingRecorder,
    build_host,
    check_pack,
    check_undo,
    register_strictly,
)
from docs import bookmarks, guard

# -- start run --
AGENT = Actor("agent", scopes=frozenset({"read", "write", "bookmarks:write"}))
EXAMPLE = {"name": "Example", "url": "https://example.org"}


async def test_what_is_saved_is_found_again(tmp_path: Path) -> None:
    async with build_host(tmp_path, packs=[("bookmarks", bookmarks)]) as host:
        saved = await host.execute("bookmarks/save", EXAMPLE, actor=AGENT)
        found = await host.execute("bookmarks/get", {"name": "EXAMPLE"}, actor=AGENT)

    (change,) = saved.changes
    assert (change.before, change.after) == (MISSING, "https://example.org")
    assert saved.verified == {"exists": True}
    assert found.unwrap() == {"name": "example", "url": "https://example.org"}


# -- end run --
# -- start refused --
async def test_only_https_is_kept(tmp_path: Path) -> None:
    bad = {"name": "example", "url": "http://example.org"}
    async with build_host(tmp_path, packs=[("bookmarks", bookmarks)]) as host:
        refused = await host.execute("bookmarks/save", bad, actor=AGENT)

    assert (refused.status, refused.code) == ("refused", "ability_invalid_permissions")
    assert refused.changes == ()
    assert "Only https addresses are kept." in str(refused.error)


# -- end refused --
# -- start recorder --
async def test_a_write_is_recorded_before_and_after(tmp_path: Path) -> None:
    recorder = RecordingRecorder()
    packs = [("bookmarks", bookmarks)]
    async with build_host(tmp_path, packs=packs, recorder=recorder) as host:
        await host.execute("bookmarks/save", EXAMPLE, actor=AGENT)

    assert [event.method for event in recorder.events] == ["intent", "outcome"]
    assert recorder.events[0].targets == ("bookmarks:example",)


async def test_without_a_record_nothing_is_written(tmp_path: Path) -> None:
    recorder = RecordingRecorder(fails_at={"intent"})
    packs = [("bookmarks", bookmarks)]
    async with build_host(tmp_path, packs=packs, recorder=recorder) as host:
        refused = await host.execute("bookmarks/save", EXAMPLE, actor=AGENT)
        found = await host.execute("bookmarks/get", {"name": "example"}, actor=AGENT)

    assert refused.code == "store_unwritable"
    assert found.code == "no_bookmark"


# -- end recorder --
# -- start undo --
async def test_what_is_saved_can_be_put_back_once(tmp_path: Path) -> None:
    async with build_host(tmp_path, packs=[("bookmarks", bookmarks)]) as host:
        saved = await host.execute("bookmarks/save", EXAMPLE, actor=AGENT)
        (change,) = saved.changes
        shelf = host.registry.get_domain("bookmarks")
        await shelf.restore(change.target.name, change.after, change.before)
        left = await shelf.capture(change.target.name)
        with pytest.raises(Drifted):
            await shelf.restore(change.target.name, change.after, change.before)

    assert left == change.before


# -- end undo --
# -- start check-undo --
async def test_everything_can_be_put_back(tmp_path: Path) -> None:
    other = {**EXAMPLE, "name": "other"}
    calls = [("bookmarks/save", EXAMPLE), ("bookmarks/save", other)]

    assert await check_undo(("bookmarks", bookmarks), tmp_path, calls) == []


# -- end check-undo --
# -- start checks --
async def test_the_pack_has_no_problems(tmp_path: Path) -> None:
    assert await check_pack(("bookmarks", bookmarks), tmp_path) == []


async def test_everything_registers(tmp_path: Path) -> None:
    registry = await register_strictly(("bookmarks", bookmarks), tmp_path)

    names = [ability.name for ability in registry.list_abilities()]
    assert names == [f"bookmarks/{name}" for name in ("get", "save", "forget", "keep")]


# -- end checks --
# -- start policy --
async def test_the_team_keeps_its_bookmarks(tmp_path: Path) -> None:
    packs = [("bookmarks", bookmarks), ("guard", guard)]
    team = {**EXAMPLE, "name": "team-wiki"}
    async with build_host(tmp_path, packs=packs) as host:
        vetoed = await host.execute("bookmarks/save", team, actor=AGENT)
        saved = await host.execute("bookmarks/save", EXAMPLE, actor=AGENT)

    assert (vetoed.status, vetoed.code) == ("refused", "write_vetoed")
    assert "'local/guard': bookmarks of the team are kept" in str(vetoed.error)
    assert saved.is_ok


# -- end policy --
# -- start fixture --
async def test_a_new_name_is_made_each_time(
    ability_host: Callable[..., Any],
) -> None:
    address = {"url": "https://example.org"}
    async with ability_host(packs=[("bookmarks", bookmarks)]) as host:
        outcomes = [
            await host.execute("bookmarks/keep", address, actor=AGENT) for _ in range(2)
        ]

    assert [outcome.result["name"] for outcome in outcomes] == ["new-1", "new-2"]


# -- end fixture --


@pytest.mark.parametrize("is_on", [False, True])
async def test_forgetting_starts_switched_off_and_touches_each(
    tmp_path: Path, *, is_on: bool
) -> None:
    config = 'enabled = ["bookmarks/forget"]' if is_on else ""
    packs = [("bookmarks", bookmarks)]
    async with build_host(tmp_path, packs=packs, config=config) as host:
        await host.execute("bookmarks/save", EXAMPLE, actor=AGENT)
        word = {"word": "example"}
        forgotten = await host.execute("bookmarks/forget", word, actor=AGENT)

    targets = [str(change.target) for change in forgotten.changes]
    expected = (["bookmarks:example"], "") if is_on else ([], "ability_not_found")
    assert (targets, forgotten.code) == expected


async def test_a_veto_leaves_nothing_of_what_was_just_made(tmp_path: Path) -> None:
    packs = [("bookmarks", bookmarks)]
    recorder = RecordingRecorder(fails_at={"before"})
    address = {"url": "https://example.org"}
    async with build_host(tmp_path, packs=packs, recorder=recorder) as host:
        refused = await host.execute("bookmarks/keep", address, actor=AGENT)
        found = await host.execute("bookmarks/get", {"name": "new-1"}, actor=AGENT)

    assert (refused.code, found.code) == ("store_unwritable", "no_bookmark")
