"""What a driver is told and tells: one JSON object in, one out.

It runs in the environment of a client, where the host is not installed.
"""

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Literal

Mode = Literal["auto", "legacy"]
Transport = Literal["http", "stdio"]

SHOWN = 300


@dataclass(frozen=True, slots=True)
class Job:
    """One meeting of a client and a host.

    Attributes:
        url: of the host, with the profile.
        token: what is shown there.
        command: starts the host on the standard streams.
        environment: of that command.
        mode: whether the client may find out, or speaks as in the earlier era.
        transport: how it connects.
        call: a tool that is called with nothing, where the client calls one only.
    """

    url: str
    token: str
    command: tuple[str, ...]
    environment: dict[str, str]
    mode: Mode
    transport: Transport
    call: str

    @property
    def headers(self) -> dict[str, str]:
        """Give what is shown over HTTP."""
        return {"Authorization": f"Bearer {self.token}"}


@dataclass(slots=True)
class Report:
    """What a client made of a host.

    Attributes:
        version: of the client.
        revision: of the protocol that they agreed on.
        taken: tools that the client takes.
        failed: tools that it does not take, and why.
        notes: what else is to be told.
        error: why the meeting as a whole went wrong; empty when it did not.
    """

    version: str = ""
    revision: str = ""
    taken: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    error: str = ""

    def refuse(self, tool: str, error: object) -> None:
        """Note that a tool is not taken."""
        self.failed[tool] = shortly(error)

    def take(self, tools: Iterable[str]) -> None:
        """Note that tools are taken."""
        self.taken += tools


def shortly(error: object) -> str:
    """Say an error in one line."""
    kind = f"{type(error).__name__}: " if isinstance(error, Exception) else ""
    return " ".join(f"{kind}{error}".split())[:SHOWN]


def read_job() -> Job:
    """Read what is to be done."""
    told = json.load(sys.stdin)
    return Job(**{**told, "command": tuple(told["command"])})


def begin(package: str) -> tuple[Job, Report]:
    """Read what is to be done, and begin to report on a client."""
    return read_job(), Report(version=version(package))


def tell(report: Report) -> None:
    """Tell how it went; libraries may have printed before."""
    sys.stdout.write(f"\n{json.dumps(asdict(report))}\n")
