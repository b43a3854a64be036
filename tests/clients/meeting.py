"""Meeting: a driver is run in the environment of its client, and its report is read."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from clients.catalogue import Client, Meeting
from clients.drivers.job import Job, Report, shortly
from clients.world import Place

DRIVERS: Final = Path(__file__).with_name("drivers")
CALLED: Final = "core_get-site-info"
SECONDS: Final = 600
SAID: Final = 2000


@dataclass(frozen=True, slots=True)
class Runtimes:
    """Where the environments of the clients are.

    Attributes:
        suite: the folder of the packages of Node.
        pythons: by name, each with an interpreter in its `bin`.
    """

    suite: Path
    pythons: Mapping[str, Path]

    def words_of(self, client: Client) -> list[str]:
        """Say how the driver of a client is started."""
        suite = str(self.suite)
        if client.runtime == "node":
            node = (self.suite / "node.txt").read_text(encoding="utf-8")
            return [node, str(DRIVERS / client.driver), suite]
        module = ["-W", "ignore", "-m", f"clients.drivers.{client.driver}"]
        if client.runtime == "here":
            return [sys.executable, *module, suite]
        folder = "Scripts" if sys.platform == "win32" else "bin"
        return [str(self.pythons[client.runtime] / folder / "python"), *module]


def job_of(place: Place, meeting: Meeting) -> Job:
    """Say what a driver is to do."""
    return Job(
        url=f"{place.url}?profile={meeting.profile}",
        token=place.token,
        command=place.command,
        environment=place.environment,
        mode=meeting.mode,
        transport=meeting.transport,
        call=CALLED,
    )


def meet(words: list[str], job: Job, folder: Path) -> Report:
    """Have a client meet a host.

    Args:
        words: that start the driver.
        job: what it does.
        folder: in which it runs.

    Returns:
        Its report; an error when it did not come to one.
    """
    try:
        ended = subprocess.run(
            words,
            input=json.dumps(asdict(job)),
            capture_output=True,
            text=True,
            cwd=folder,
            env=job.environment,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Report(error=f"it did not end within {SECONDS} seconds")
    if ended.returncode:
        return Report(error=shortly(ended.stderr[-SAID:] or ended.stdout[-SAID:]))
    return read_report(ended.stdout)


def read_report(printed: str) -> Report:
    """Read what a driver told.

    Args:
        printed: on its standard output, where libraries may write as well.

    Returns:
        The report in the last line that is no empty one.
    """
    last = printed.strip().rpartition("\n")[2]
    try:
        return Report(**json.loads(last))
    except (TypeError, ValueError):
        return Report(error=f"it told nothing that can be read: {shortly(last)}")
