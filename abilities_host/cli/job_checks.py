"""Job checks: what ``doctor`` says of background work, with its last run."""

import time
from typing import TYPE_CHECKING, Final

from abilities_host.cli.findings import Finding

if TYPE_CHECKING:
    from abilities_host.host import Host
    from abilities_host.jobs import Job, JobRun

_UNITS: Final = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


async def check_jobs(host: "Host") -> list[Finding]:
    """Look at the jobs of a started host.

    Args:
        host: started.

    Returns:
        A finding for each job; a warning for one that failed the last time.
    """
    runs = {run.name: run for run in await host.jobs.list_runs()}
    return [_finding(job, runs.get(job.name)) for job in host.jobs.all]


def _finding(job: "Job", run: "JobRun | None") -> Finding:
    every = f"{job.name} runs every {_spoken(job.seconds)}"
    if run is None:
        return Finding("info", "job", f"{every}; it has not run yet.")
    ago = f"the last time {_spoken(max(0.0, time.time() - run.at))} ago"
    if run.problem:
        sentence = f"{every}; {ago} it failed: {run.problem}."
        return Finding("warning", "job", sentence, "abilities --verbose serve")
    return Finding("ok", "job", f"{every}; {ago}.")


def _spoken(seconds: float) -> str:
    for length, unit in _UNITS:
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return "0 s"
