"""Undoing anything by force, reviews among it, changes nothing a person decided."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, get_args

import pytest
from plugins.memory.memory_world import MemoryWorld
from plugins.memory.proof.house import KNOWN, enforced, furnished, mighty

from abilities_host import (
    Call,
    Changes,
    Evaluation,
    RecordedWrite,
    RegistryView,
    hookimpl,
)
from abilities_host.ledger import Ledger
from abilities_host.ledger.entry import Kind
from abilities_host.memory import Topic

BOSS: Final = mighty("boss")
NOTED: Final[tuple[Kind, ...]] = ("review", "setting", "access", "restore")


class Judge:
    """A pack that finds every write failed, and says late what it changes."""

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        registry.register_category("judge", label="Judge", description="Judges.")
        registry.register_ability(
            "judge/touch",
            label="Touch",
            description="Touches a note.",
            category="judge",
            execute_callback=self.touch,
            permission_callback=lambda: True,
            changes=Changes("notes"),
            meta={"annotations": {"readonly": False}},
        )

    async def touch(self, arguments: None, call: Call) -> None:
        await call.touch("notes", "one")

    @hookimpl
    def evaluate_write(self, write: RecordedWrite) -> Evaluation:
        return Evaluation("failed", "It never works.")


@asynccontextmanager
async def recorded(folder: Path) -> AsyncIterator[MemoryWorld]:
    """Run a host whose record has an entry of every kind that is to be had."""
    async with furnished(folder, more=[("judge", Judge())]) as world:
        ledger = world.host.services.find(Ledger)
        for kind in NOTED:
            await ledger.note(kind, actor="ana", action="did", target="guidance:gm-003")
        proposed = await world.propose("Away with it.")
        await world.approve(proposed.id)
        review = await world.memory.review(proposed.id)
        human = await world.ana()
        await world.memory.withdraw(proposed.id, review.hash, human)
        await world.memory.put_topic(Topic(name="billing", recall=("money",)), human)
        await world.call("notes/put", {"id": "nine", "text": "no"})
        world.notes.may = False
        await world.call("notes/put", {"id": "ten", "text": "no"})
        world.notes.may = True
        seq = await world.put("two", "1", BOSS)
        await world.undo(seq, BOSS)
        await world.told("memory/remember", {**SAID, "text": "One more."})
        await world.told("memory/save-session-summary", {"narrative": "I wrote."})
        await world.told("judge/touch")
        await ledger.forget(await world.put("three", "1"), by="ana")
        await ledger.evaluate()
        yield world


SAID: Final = {"type": "fact", "rationale": "Because."}


async def entries_of(world: MemoryWorld) -> list[tuple[int, str, str]]:
    ledger = world.host.services.find(Ledger)
    return [
        (each["seq"], each["kind"], each["session"]) async for each in ledger.export()
    ]


@pytest.mark.parametrize("switches", [{"force": True}, {}], ids=["force", "plain"])
async def test_no_undo_of_any_entry_changes_what_a_person_decided(
    tmp_path: Path, switches: dict[str, bool]
) -> None:
    async with recorded(tmp_path) as world:
        before = await enforced(world, (*KNOWN, "gm-008", "gm-009"))
        entries = await entries_of(world)
        codes: dict[str, set[str]] = {}
        for seq, kind, _ in reversed(entries):
            outcome = await world.undo(seq, BOSS, **switches)
            codes.setdefault(kind, set()).add(outcome.code)
            after = await enforced(world, (*KNOWN, "gm-008", "gm-009"))
            assert after == before, (seq, kind)

    assert codes.keys() == {*get_args(Kind)}
    assert {kind for kind, found in codes.items() if "" in found} == {"change"}
    assert codes["review"] == {"not_reversible"}


async def test_no_undo_of_any_session_changes_what_a_person_decided(
    tmp_path: Path,
) -> None:
    async with recorded(tmp_path) as world:
        before = await enforced(world, (*KNOWN, "gm-008", "gm-009"))
        undone = []
        for session in sorted({session for _, _, session in await entries_of(world)}):
            if session:
                given = {"session": session, "force": True}
                outcome = await world.call("ledger/rollback-session", given, actor=BOSS)
                assert outcome.is_ok, outcome
                undone += outcome.result["undone"]
            assert await enforced(world, (*KNOWN, "gm-008", "gm-009")) == before

    assert len(undone) > 1
