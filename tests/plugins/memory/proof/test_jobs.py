"""Every job of the memory is scheduled, runs by itself and ends without a problem."""

from pathlib import Path
from typing import Final

from plugins.memory.memory_world import remembering
from plugins.memory.proof.house import furnished

JOBS: Final = {
    "memory-alarms": 60.0,
    "memory-patterns": 3600.0,
    "memory-summaries": 3600.0,
}


async def test_every_job_of_the_memory_is_scheduled(tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        jobs = {job.name: job.seconds for job in world.host.jobs.all}

    assert {name: at for name, at in jobs.items() if name.startswith("memory")} == JOBS


async def test_every_job_of_the_memory_is_done_by_one_host_without_a_problem(
    tmp_path: Path,
) -> None:
    async with furnished(tmp_path) as one, furnished(tmp_path) as other:
        done = [
            (job.name, await world.host.jobs.run_now(job))
            for world in (one, other)
            for job in world.host.jobs.all
            if job.name in JOBS
        ]
        runs = {run.name: run.problem for run in await one.host.jobs.list_runs()}

    assert sorted(done) == sorted(
        [(name, is_first) for name in JOBS for is_first in (True, False)]
    )
    assert {name: runs[name] for name in JOBS} == dict.fromkeys(JOBS, "")
