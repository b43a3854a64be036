"""Where changes are only shown they are told of, and everything is served."""

from pathlib import Path

import pytest
from pins.world import HOLD, Said, serving

from abilities_host.cli.definition_checks import check_definitions
from abilities_host.cli.findings import Finding
from abilities_host.hooks.packs import local_pack
from abilities_host.pins import headline, lines_of, pins_beside
from abilities_host.testing import build_host, installed_pack
from abilities_host.threads import run_in_thread

FIRST: Said = {"add": {}, "list": {}}
OTHER: Said = {"add": {"description": "Does it well."}, "list": {}}


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.message for r in caplog.records if r.name == "abilities_host.pins.pins"]


async def test_a_change_is_told_of_once_and_served(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path, "1.0", FIRST) as first:
        quiet = told(caplog), first.changes
    async with serving(tmp_path, "2.0", OTHER) as second:
        second.host.registry.unregister_ability("acme/list")
        active = await second.active()
        [change] = second.changes
        said, lines = told(caplog), list(lines_of(change))

    assert quiet == ([], ())
    assert active == {"acme/add": True}
    sentence = (
        "Pack acme-notes/acme 1.0 to 2.0 says otherwise than before: acme/add "
        "(description). They are served all the same. See: abilities queue show "
        f"definition:{change.id}"
    )
    assert said == [sentence]
    assert lines == ['acme/add: description was "Does it.", is "Does it well."']


DECIDED = {
    "waiting": "",
    "approved": " It is marked as approved, but no person's seal says so.",
    "rejected": " A person has rejected it.",
    "withdrawn": " A person has withdrawn the approval.",
    "no such status": "",
}


@pytest.mark.parametrize("status", DECIDED)
async def test_the_operator_is_told_what_was_decided(
    tmp_path: Path, status: str
) -> None:
    async with serving(tmp_path, "1.0", FIRST):
        pass
    async with serving(tmp_path, "2.0", OTHER) as world:
        await world.sql("UPDATE pin_change SET status = :status", status=status)
    async with serving(tmp_path, "2.0", OTHER) as world:
        [change] = world.changes
        found = list(check_definitions(world.host))

    sentence = headline(change, holds=False) + DECIDED[status]
    fix = f"abilities queue approve definition:{change.id}"
    line = 'acme/add: description was "Does it.", is "Does it well."'
    assert found == [
        Finding("warning", "definition", sentence, fix),
        Finding("info", "definition", line),
    ]


async def test_an_accepted_change_is_told_of_no_more(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path, "1.0", FIRST):
        pass
    async with serving(tmp_path, "2.0", OTHER) as world:
        [change] = world.changes
        await world.approve(change.id)
    caplog.clear()
    async with serving(tmp_path, "2.0", OTHER) as world:
        after = world.changes, await world.waiting(), told(caplog)

    assert after == ((), {}, [])


async def test_what_is_new_is_pinned_where_changes_are_only_shown(
    tmp_path: Path,
) -> None:
    more = {**FIRST, "drop": {}}
    async with serving(tmp_path, "1.0", FIRST):
        pass
    async with serving(tmp_path, "2.0", more) as world:
        shown = world.changes
    async with serving(tmp_path, "2.0", more, HOLD) as world:
        active = await world.active()
    async with serving(tmp_path, "3.0", {**OTHER, "drop": {}}, HOLD) as world:
        held = await world.active()

    assert shown == ()
    assert active == {"acme/add": True, "acme/list": True, "acme/drop": True}
    assert held == {"acme/add": False, "acme/list": True, "acme/drop": True}


async def test_a_start_that_finds_nothing_new_writes_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, "1.0", FIRST) as world:
        anchor = world.host.loaded.anchor_path
        assert anchor
        before = await world.rows("SELECT * FROM pin")
        noted = await run_in_thread(pins_beside(anchor).read_bytes)
    async with serving(tmp_path, "1.1", FIRST) as world:
        [(changes,)] = await world.rows("SELECT count(*) FROM pin_change")
        after = await world.rows("SELECT * FROM pin")
        noted_after = await run_in_thread(pins_beside(anchor).read_bytes)

    assert (after, changes, noted_after) == (before, 0, noted)
    assert len(before) == 2


async def test_the_host_s_own_packs_are_not_pinned(tmp_path: Path) -> None:
    core = await run_in_thread(lambda: installed_pack("core"))
    async with build_host(tmp_path, packs=[core], config=HOLD) as host:
        store = host.site_of(core).store
        tables = await store.read("SELECT name FROM sqlite_master WHERE name = 'pin'")
        count = len(host.registry.list_abilities())

    assert (tables, count > 0) == ([], True)


async def test_a_pack_that_a_program_gives_is_pinned_too(tmp_path: Path) -> None:
    async with serving(tmp_path, "1.0", FIRST) as world:
        module = world.pack.plugin
    pack = local_pack("acme", module)
    async with build_host(tmp_path / "host", packs=[pack], config=HOLD) as host:
        rows = await host.site_of(pack).store.read(
            "SELECT pack, version, count(*) FROM pin GROUP BY pack, version"
        )

    assert rows == [("acme-notes/acme", "1.0", 2), ("local/acme", "", 2)]


@pytest.mark.parametrize("anchor", ["", "none"])
async def test_without_an_anchor_the_store_alone_is_believed(
    tmp_path: Path, anchor: str
) -> None:
    config = f'{HOLD}[ledger]\nrequired = false\nanchor = "{anchor}"\n'
    pin = "UPDATE pin SET (hash, definition) = (:hash, :new) WHERE ability = 'acme/add'"
    async with serving(tmp_path, "1.0", FIRST, config):
        pass
    async with serving(tmp_path, "2.0", OTHER, config) as world:
        pair = world.changes[0].pairs[0]
        await world.sql(pin, hash=pair.hash, new=pair.new)
    async with serving(tmp_path, "2.0", OTHER, config) as world:
        active = await world.active()

    assert active == {"acme/add": anchor == "none", "acme/list": True}


async def test_a_file_that_is_lost_is_made_again_from_the_store(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD) as world:
        anchor = world.host.loaded.anchor_path
        assert anchor
    file = pins_beside(anchor)
    await run_in_thread(file.unlink)

    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        active = await world.active()
        pins = (await run_in_thread(file.read_text)).count("acme/add")

    assert active == {"acme/add": False, "acme/list": True}
    assert pins == 1
    assert "what was first seen of acme-notes/acme is noted again" in caplog.messages


async def test_a_file_that_cannot_be_used_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with build_host(tmp_path / "host") as host:
        anchor = host.loaded.anchor_path
        assert anchor
    await run_in_thread(lambda: pins_beside(anchor).mkdir(parents=True))

    async with serving(tmp_path, "1.0", FIRST, HOLD) as world:
        first = await world.active()
    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        second = await world.active()

    assert first == {"acme/add": True, "acme/list": True}
    assert second == {"acme/add": False, "acme/list": True}
    assert "what was first seen of packs is only read from the store" in caplog.messages
    assert (
        "what was first seen of packs is not noted out of the store" in caplog.messages
    )


async def test_public_keys_that_cannot_be_read_let_nothing_in(tmp_path: Path) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD):
        pass
    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        await world.approve(world.changes[0].id)
        keys = world.keys
    await run_in_thread(lambda: keys.write_text("no keys", encoding="utf-8"))

    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        active = await world.active()

    assert active == {"acme/add": False, "acme/list": True}
