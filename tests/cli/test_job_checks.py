"""What doctor says of background work."""

import time
from pathlib import Path

from abilities_host import Site, hookimpl
from abilities_host.cli.findings import Finding
from abilities_host.cli.job_checks import check_jobs
from abilities_host.storage import Statement
from abilities_host.testing import build_host

RUN = (
    "INSERT INTO job_run (name, at, seconds, problem) "
    "VALUES (:name, :at, 0.1, :problem)"
)


async def nothing() -> None:
    """Do nothing."""


class Keeper:
    """A pack that has what every pack is given."""

    site: Site

    @hookimpl
    def open_pack(self, site: Site) -> None:
        self.site = site


async def test_each_job_is_told_with_its_last_run(tmp_path: Path) -> None:
    keeper = Keeper()
    async with build_host(tmp_path, packs=[("keeper", keeper)]) as host:
        for name, seconds in (("new", 30), ("good", 3600), ("bad", 86_400)):
            keeper.site.every(name, seconds, nothing)
        for name, ago, problem in (("good", 125, ""), ("bad", 7300, "OSError")):
            values = {"name": name, "at": time.time() - ago, "problem": problem}
            await keeper.site.store.write([Statement(RUN, values)])

        findings = await check_jobs(host)

    assert findings == [
        Finding("info", "job", "new runs every 30 s; it has not run yet."),
        Finding("ok", "job", "good runs every 1 h; the last time 2 min ago."),
        Finding(
            "warning",
            "job",
            "bad runs every 1 d; the last time 2 h ago it failed: OSError.",
            "abilities --verbose serve",
        ),
    ]
