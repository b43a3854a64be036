"""Cells: every reason on every surface of every door, and which of them cannot be."""

from collections.abc import Collection, Iterator, Mapping
from itertools import product
from typing import Final, NamedTuple

from matrix.doors import DOORS
from matrix.site import SERVERS
from matrix.surfaces import SURFACES
from matrix.table import TABLE

COMMANDS: Final = "command line"
EVERY_DOOR: Final = (*DOORS, COMMANDS)
PAST_SERVERS: Final = ("in process", COMMANDS)
OVER_HTTP: Final = tuple(door for door in DOORS if door.startswith("http"))
OVER_STDIO: Final = tuple(door for door in DOORS if door.startswith("stdio"))
NO_SERVER: Final = "none"
SESSIONS: Final = ("live", "new")


class Cell(NamedTuple):
    """One place of the matrix."""

    reason: str
    door: str
    server: str
    session: str
    surface: str


class Impossible(NamedTuple):
    """Cells that cannot be.

    Attributes:
        why: in words.
        where: axis to the values that it is about; an axis left out is about all.
    """

    why: str
    where: Mapping[str, Collection[str]]

    def holds(self, cell: Cell) -> bool:
        """Answer whether a cell is one of them."""
        return all(getattr(cell, axis) in self.where[axis] for axis in self.where)


NOT_STARTED: Final = [key for key, row in TABLE.items() if row.start == "not started"]
IMPOSSIBLE: Final = (
    Impossible(
        "They ask past every server.",
        {"door": PAST_SERVERS, "server": SERVERS},
    ),
    Impossible(
        "A client always speaks to a server.",
        {"door": (*OVER_HTTP, *OVER_STDIO), "server": (NO_SERVER,)},
    ),
    Impossible(
        "Each command is a process of its own, so nothing was open before.",
        {"door": (COMMANDS,), "session": ("live",)},
    ),
    Impossible(
        "Nothing but HTTP has tokens, names and origins.",
        {
            "door": (*OVER_STDIO, *PAST_SERVERS),
            "reason": [key for key, row in TABLE.items() if row.stdio == "never"],
        },
    ),
    Impossible(
        "Required plugins are looked at when a host starts.",
        {"reason": ("policy missing",), "session": ("live",)},
    ),
    Impossible(
        "It runs no write, and policy is asked about writes only.",
        {"reason": ("vetoed", "policy missing"), "surface": ("read-tool",)},
    ),
    Impossible(
        "A process that does not start speaks no era.",
        {
            "reason": NOT_STARTED,
            "door": ("stdio, later era",),
            "session": ("new",),
        },
    ),
    Impossible(
        "Words of the protocol: past it these are abilities that are called.",
        {
            "door": PAST_SERVERS,
            "surface": [
                name
                for name in SURFACES
                if name.startswith(("resource", "template", "prompt", "completion"))
            ],
        },
    ),
)

CELLS: Final = tuple(
    Cell(*values)
    for values in product(TABLE, EVERY_DOOR, (*SERVERS, NO_SERVER), SESSIONS, SURFACES)
)


def reasons_against(cell: Cell) -> list[str]:
    """Say why a cell cannot be; empty when it can."""
    return [row.why for row in IMPOSSIBLE if row.holds(cell)]


WALKED: Final = tuple(cell for cell in CELLS if not reasons_against(cell))


def walks() -> Iterator[tuple[str, str]]:
    """Give each reason with each door where it can be."""
    yield from dict.fromkeys((cell.reason, cell.door) for cell in WALKED)
