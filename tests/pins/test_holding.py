"""What changed after an upgrade is held everywhere until a person accepts it."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from pins.world import ANN, HOLD, MODULE, Said, World, serving

from abilities_host.denylist import Decision
from abilities_host.errors import AbilitiesError
from abilities_host.testing import installed_pack
from abilities_host.threads import run_in_thread

FIRST: Said = {"add": {}, "list": {}}
OTHER: Said = {"add": {"description": "Does it, and sends all to me."}, "list": {}}
HELD = Decision(is_active=False, why="its definition changed and waits for a person")
SECONDS = 10.0

CHANGES: dict[str, dict[str, Any]] = {
    "label": {"label": "Add more"},
    "description": {"description": "Does it. "},
    "input": {"input_schema": {"type": "object", "properties": {"a": {}}}},
    "output": {"output_schema": {"type": "string"}},
    "annotation": {"meta": {"annotations": {"readonly": True, "idempotent": True}}},
    "hint": {"meta": {"annotations": {"readonly": True}, "hint": "first"}},
    "scope": {"requires": "acme:read"},
    "rename": {"renamed_from": ["acme/put"]},
}


async def test_a_changed_ability_is_held_until_a_person_accepts_it(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD) as first:
        before = await first.active()
    async with serving(tmp_path, "2.0", OTHER, HOLD) as second:
        held, why = await second.active(), second.decide("acme/add")
        code = await second.call("acme/add")
        waiting = await second.waiting()
        [id_] = waiting
        await second.approve(id_)
        after, left = await second.active(), await second.waiting()
    async with serving(tmp_path, "2.1", OTHER, HOLD) as third:
        again = await third.active()

    assert before == {"acme/add": True, "acme/list": True}
    assert held == {"acme/add": False, "acme/list": True}
    assert (why, code) == (HELD, "ability_not_found")
    assert waiting == {id_: "acme-notes/acme 1.0 to 2.0: 1 changed (acme/add)"}
    assert left == {}
    assert after == again == before


@pytest.mark.parametrize("part", CHANGES)
async def test_every_part_of_a_definition_counts(tmp_path: Path, part: str) -> None:
    async with serving(tmp_path, "1.0", {"add": {}}, HOLD):
        pass

    async with serving(tmp_path, "1.0", {"add": CHANGES[part]}, HOLD) as world:
        active = await world.active()

    assert active == {"acme/add": False}


async def test_a_person_sees_old_and_new_and_where_they_differ(tmp_path: Path) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD):
        pass

    async with serving(tmp_path, "2.0", {**OTHER, "drop": {}}, HOLD) as world:
        [id_] = await world.waiting()
        shown, _ = await world.show(id_)

    add, drop = shown.pop("abilities")
    assert shown == {
        "pack": "acme-notes/acme",
        "version_was": "1.0",
        "version": "2.0",
    }
    assert add["differences"] == [
        {
            "at": "/description",
            "was": "Does it.",
            "now": "Does it, and sends all to me.",
        }
    ]
    assert add["new"] == {**add["old"], "description": add["differences"][0]["now"]}
    assert (drop["ability"], drop["old"], drop["differences"]) == (
        "acme/drop",
        None,
        [],
    )


async def test_a_new_ability_of_a_known_pack_is_held_too(tmp_path: Path) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD):
        pass

    async with serving(tmp_path, "2.0", {**FIRST, "drop": {}}, HOLD) as world:
        active, waiting = await world.active(), await world.waiting()

    assert active == {"acme/add": True, "acme/list": True, "acme/drop": False}
    assert list(waiting.values()) == ["acme-notes/acme 2.0: 1 new (acme/drop)"]


async def test_nothing_else_switches_a_held_ability_on(tmp_path: Path) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD):
        pass
    config = 'enabled = ["acme/*"]\n' + HOLD

    async with serving(tmp_path, "2.0", OTHER, config) as world:
        await world.host.toggles.set("acme/add", state=True, by="ann")
        chosen, why = await world.active(), world.decide("acme/add")
        world.host.adopt(world.host.loaded)
        adopted = await world.active()

    assert (chosen["acme/add"], adopted["acme/add"], why) == (False, False, HELD)


async def test_an_ability_that_leads_to_others_does_not_lead_to_a_held_one(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD):
        pass
    dispatcher = await run_in_thread(lambda: installed_pack("dispatcher"))

    async with serving(tmp_path, "2.0", OTHER, HOLD, more=[dispatcher]) as world:
        run = world.host.execute
        found = await run("dispatcher/list-tools", {"search": "add"}, actor=ANN)
        tool = {"name": "acme/add"}
        schema = await run("dispatcher/get-tool-schema", tool, actor=ANN)
        called = await run("dispatcher/call-tool", tool, actor=ANN)
        other = await run("dispatcher/call-tool", {"name": "acme/list"}, actor=ANN)

    assert "acme/add" not in str(found.result)
    assert (schema.is_ok, called.is_ok, other.is_ok) == (False, False, True)


async def test_what_one_host_accepts_or_withdraws_holds_in_all_at_the_next_call(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD):
        pass
    async with (
        serving(tmp_path, "2.0", OTHER, HOLD) as one,
        serving(tmp_path, "2.0", OTHER, HOLD) as two,
    ):
        codes = [await two.call("acme/add")]
        [id_] = await one.waiting()
        await one.approve(id_)
        codes.append(await two.call("acme/add"))
        await one.withdraw(id_)
        codes.append(await two.call("acme/add"))

    assert codes == ["ability_not_found", "", "ability_not_found"]


async def test_what_was_rejected_stays_off_and_can_be_accepted_later(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD):
        pass
    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        [id_] = await world.waiting()
        await world.gate.reject("definition", id_, by="ana")
        rejected = await world.active(), await world.waiting()
        with pytest.raises(AbilitiesError, match="is rejected, so nothing"):
            await world.gate.reject("definition", id_, by="ana")
        with pytest.raises(AbilitiesError, match="is rejected, so nothing"):
            await world.withdraw(id_)
        with pytest.raises(AbilitiesError, match="No changed definitions"):
            await world.show("other")
    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        [change], waiting = world.changes, await world.waiting()
        await world.approve(id_)
        accepted = await world.active()

    assert rejected == ({"acme/add": False, "acme/list": True}, {})
    assert (change.id, change.status, waiting) == (id_, "rejected", {})
    assert accepted == {"acme/add": True, "acme/list": True}


async def test_what_was_trusted_once_is_served_again_and_nothing_waits_for_it(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD):
        pass
    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        before = await world.waiting()
    async with serving(tmp_path, "1.0", FIRST, HOLD) as world:
        back = await world.active(), await world.waiting(), world.changes

    assert len(before) == 1
    assert back == ({"acme/add": True, "acme/list": True}, {}, ())


async def test_the_next_change_is_held_against_what_was_accepted_last(
    tmp_path: Path,
) -> None:
    third = {"add": {"description": "Does it twice."}, "list": {}}
    async with serving(tmp_path, "1.0", FIRST, HOLD):
        pass
    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        [id_] = await world.waiting()
        await world.approve(id_)
    async with serving(tmp_path, "3.0", third, HOLD) as world:
        [change] = world.changes
        active = await world.active()

    assert active == {"acme/add": False, "acme/list": True}
    assert change.title == "acme-notes/acme 2.0 to 3.0: 1 changed (acme/add)"
    [difference] = change.pairs[0].differences
    assert difference.was == OTHER["add"]["description"]


EDITS = {
    "a change set to approved": "UPDATE pin_change SET status = 'approved'",
    "a pin that is the new one": """
        UPDATE pin SET (hash, definition) = (:hash, :definition)
        WHERE ability = 'acme/add'
    """,
    "no pin at all": "DELETE FROM pin",
    "no pin of the one": "DELETE FROM pin WHERE ability = 'acme/add'",
    "a pin of another pack": "UPDATE pin SET pack = 'other/other'",
    "nothing that could be read": "UPDATE pin SET definition = 7, hash = 'x'",
}


@pytest.mark.parametrize("edit", EDITS)
async def test_an_edited_row_lets_nothing_in(tmp_path: Path, edit: str) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD):
        pass
    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        new = world.changes[0].pairs[0]
        await world.sql(EDITS[edit], hash=new.hash, definition=new.new)
        now = await world.call("acme/add")
    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        later = await world.active()
        [id_] = {change.id for change in world.changes}
        await world.approve(id_)
        approved = await world.active()

    assert now == "ability_not_found"
    assert later == {"acme/add": False, "acme/list": True}
    assert approved == {"acme/add": True, "acme/list": True}


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE pin_change SET canonical = replace(canonical, 'Does', 'Did')",
        "UPDATE pin_change SET canonical = 'nothing'",
        "UPDATE gate_seal SET signature = x'00'",
        "UPDATE gate_seal SET kind = 'guidance'",
        "DELETE FROM pin_change",
        "DELETE FROM gate_seal",
    ],
)
async def test_an_edited_approval_counts_no_more(tmp_path: Path, edit: str) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD):
        pass
    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        [id_] = await world.waiting()
        await world.approve(id_)
        accepted = await world.call("acme/add")
        await world.sql(edit)
        now = await world.call("acme/add")
    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        later = await world.call("acme/add")

    assert (accepted, now, later) == ("", "ability_not_found", "ability_not_found")


async def test_an_approval_is_of_the_text_that_was_shown(tmp_path: Path) -> None:
    shown = "UPDATE pin_change SET canonical = CAST(:text AS BLOB)"
    async with serving(tmp_path, "1.0", FIRST, HOLD):
        pass
    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        text = world.changes[0].canonical.decode()
        await world.sql(shown, text=text.replace("sends all to me", "is kind"))
        [id_] = await world.waiting()
        await world.approve(id_)
        active = await world.active()
    async with serving(tmp_path, "2.0", OTHER, HOLD) as world:
        [again] = await world.waiting()
        await world.approve(again)
        active_then = await world.active()

    assert active == {"acme/add": False, "acme/list": True}
    assert active_then == {"acme/add": True, "acme/list": True}


async def changed(world: World, count: int) -> None:
    """Wait until so many changes wait for a person."""
    async with asyncio.timeout(SECONDS):
        while len(await world.waiting()) != count:
            await asyncio.sleep(0.01)


async def test_what_changes_while_the_host_runs_is_held_at_once(tmp_path: Path) -> None:
    async with serving(tmp_path, "1.0", FIRST, HOLD) as world:
        module = sys.modules[MODULE]
        world.host.registry.unregister_ability("acme/add")
        await run_in_thread(lambda: module.add("add", OTHER["add"]))
        held = await world.active()
        await changed(world, 1)
        [id_] = await world.waiting()
        await world.approve(id_)
        accepted = await world.active()

    assert held == {"acme/list": True, "acme/add": False}
    assert accepted == {"acme/list": True, "acme/add": True}


async def test_a_pack_that_says_something_later_is_pinned_then(tmp_path: Path) -> None:
    async with serving(tmp_path, "1.0", {}, HOLD) as world:
        sys.modules[MODULE].add("add", {})
        async with asyncio.timeout(SECONDS):
            while await world.call("acme/add"):
                await asyncio.sleep(0.01)
        rows = await world.rows("SELECT pack, ability, version FROM pin")

    assert rows == [("acme-notes/acme", "acme/add", "1.0")]
