"""Force undoes changes of targets and nothing else, whatever entry it is given."""

from pathlib import Path
from typing import Any

from faults.world import UNDO, World, open_world

from abilities_host import Actor, ProposedWrite, Veto, hookimpl
from abilities_host.accounts import Accounts, Cost
from abilities_host.calls import Evaluation, RecordedWrite
from abilities_host.hooks.packs import local_pack

WEAK = Actor("ann", "human", frozenset({"read", "write", "ledger:undo"}))
KINDS = {
    "access",
    "change",
    "denial",
    "evaluation",
    "intent",
    "outcome",
    "prune",
    "restore",
    "review",
    "rollback",
    "setting",
    "touch",
    "veto",
}


class Policy:
    """Keeps one slip, and judges every write."""

    @hookimpl
    def before_write(self, write: ProposedWrite) -> Veto | None:
        names = [target.name for target in write.targets]
        return Veto("that one stays") if "kept" in names else None

    @hookimpl
    def evaluate_write(self, write: RecordedWrite) -> Evaluation:
        return Evaluation("failed", "It looks odd.")


async def record_every_kind(world: World) -> None:
    ledger = world.ledger
    await world.run("drawer/put", id="a", also="b", slip="one")
    await world.run("drawer/put", id="a", slip="two")
    seqs = [each.seq for each in await world.entries() if each.kind == "change"]
    await world.undo(seqs[-1])
    await world.run("drawer/put", id="kept", slip="one")
    arguments = {"id": seqs[0], "force": True}
    await world.host.execute(UNDO, arguments, actor=WEAK)
    await ledger.evaluate()
    for kind in ("review", "setting", "access", "restore"):
        await ledger.note(kind, actor="ann", action="did", target="drawer:a")
    await ledger.forget(seqs[-1], by="ann")
    await world.run("drawer/put", id="c", slip="three")


async def settings_of(world: World) -> dict[str, Any]:
    """Give every table that is not of the record, nor of what runs by itself."""
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    names = [name for (name,) in await world.store.read(sql)]
    kept = [n for n in names if not n.startswith(("ledger_", "job_"))]
    rows = {n: await world.store.read(f"SELECT * FROM {n}") for n in kept}  # noqa: S608 - names of tables
    assert {"account", "toggle", "generation", "migration"} <= rows.keys()
    return rows


async def test_no_entry_of_any_kind_is_a_way_to_settings_or_accounts(
    tmp_path: Path,
) -> None:
    packs = [local_pack("policy", Policy())]
    async with open_world(tmp_path, packs=packs) as world:
        accounts = Accounts(world.store, cost=Cost(memory=8, passes=1, lanes=1))
        await accounts.migrate()
        await accounts.add("ann", "correct horse", by=None)
        await world.host.toggles.set("files/*", state=False, by="ann")
        await record_every_kind(world)
        entries = await world.entries()
        before = await settings_of(world)

        outcomes = [await world.undo(each.seq, force=True) for each in entries]

        assert {entry.kind for entry in entries} == KINDS
        assert await settings_of(world) == before
        assert [a.name for a in await accounts.list()] == ["ann"]
    pairs = zip(entries, outcomes, strict=True)
    assert {entry.kind for entry, outcome in pairs if outcome.is_ok} == {"change"}
