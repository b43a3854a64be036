"""Each piece of background work of the record is scheduled, and does its work."""

import shutil
from pathlib import Path

from plugins.ledger.undo_world import undoing

from abilities_host import run_in_thread


async def test_sweep_retention_and_evaluation_are_scheduled(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        jobs = [(job.name, job.seconds) for job in world.host.jobs.all]

    assert jobs == [
        ("ledger-sweep", 30.0),
        ("ledger-retention", 3600.0),
        ("ledger-evaluation", 3600.0),
    ]


async def test_each_of_them_runs_and_leaves_no_problem(tmp_path: Path) -> None:
    async with undoing(tmp_path) as world:
        await world.put("a", "one")

        done = [await world.host.jobs.run_now(job) for job in world.host.jobs.all]
        runs = await world.host.jobs.list_runs()

    assert done == [True, True, True]
    assert [(run.name, run.problem) for run in runs] == [
        ("ledger-evaluation", ""),
        ("ledger-retention", ""),
        ("ledger-sweep", ""),
    ]


async def test_the_anchor_follows_the_record_when_the_host_stops(
    tmp_path: Path,
) -> None:
    async with undoing(tmp_path) as world:
        await world.put("a", "one")
    async with undoing(tmp_path) as world:
        found = await world.ledger.verify()

    assert (found.verdict, found.head) == ("intact", 3)


async def test_a_store_that_was_lost_is_restored_and_the_anchor_follows(
    tmp_path: Path,
) -> None:
    store, copy = tmp_path / "abilities.db", tmp_path / "copy.db"
    async with undoing(tmp_path) as world:
        await world.put("a", "one")
    await run_in_thread(lambda: shutil.copy(store, copy))
    async with undoing(tmp_path) as world:
        await world.put("a", "two")
    await run_in_thread(lambda: shutil.copy(copy, store))  # nobody knows what was lost

    async with undoing(tmp_path) as world:
        before = await world.ledger.verify()
        await world.ledger.note(
            "restore", actor="ann", action="restored", details={"old": None}
        )
    async with undoing(tmp_path) as world:
        after = await world.ledger.verify()
        await world.put("a", "three")
    async with undoing(tmp_path) as world:
        later = await world.ledger.verify()

    assert (before.verdict, before.at) == ("broken", 4)
    assert (after.verdict, after.at) == ("restored", 4)
    assert (later.verdict, later.at, later.notes[1:]) == ("restored", 4, ())
