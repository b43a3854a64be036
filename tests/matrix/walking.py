"""Walking: every surface of a door is asked, before a reason comes true and after."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import anyio
from matrix.cells import NO_SERVER, NOT_STARTED, OVER_STDIO, WALKED, Cell
from matrix.doors import DOORS, Refused, Session
from matrix.reading import HIDDEN, seen, unlike
from matrix.reasons import REASONS
from matrix.site import SERVERS, SMALL, Settings, Site
from matrix.surfaces import SURFACES
from matrix.table import HARDENED, SEEN, TABLE
from matrix.world import World, opened

from abilities_host.threads import run_in_thread

Sessions = Mapping[str, Session]
"""By id of the server."""


def site_for(reason: str, folder: Path) -> Site:
    """Make a site on which a reason can come true, and has not yet."""
    site = Site(folder, Settings(**(REASONS[reason].settings or {})))
    site.make()
    return site


@asynccontextmanager
async def world_for(reason: str, folder: Path) -> AsyncIterator[World]:
    """Run a host on which a reason can come true, or is if it must from the start."""
    site = await run_in_thread(lambda: site_for(reason, folder))
    how = REASONS[reason]
    if how.happens is None and how.at_rest is not None:
        at_rest = how.at_rest
        await run_in_thread(lambda: at_rest(site, print))
    async with anyio.create_task_group() as tasks, opened(site, tasks) as world:
        yield world
        tasks.cancel_scope.cancel()


def cells_of(reason: str, door: str, session: str) -> list[Cell]:
    """Give what is walked of a door in one kind of session."""
    wanted = (reason, door, session)
    return [c for c in WALKED if (c.reason, c.door, c.session) == wanted]


async def open_all(world: World, door: str, cells: Sequence[Cell]) -> Sessions:
    """Open a session with every server that the cells need."""
    return {
        server: await DOORS[door](world, server)
        for server in dict.fromkeys(server_of(cell) for cell in cells)
    }


async def refused_starts(site: Site) -> Sessions:
    """Start a process for each server; what it would not serve, nobody can ask it."""
    answers = await asyncio.gather(*[_start(site, server) for server in SERVERS])
    refused = dict(zip(SERVERS, map(Refused, answers), strict=True))
    return refused | {f"{server}{SMALL}": refused[server] for server in SERVERS}


async def _start(site: Site, server: str) -> dict[str, str]:
    words = ["-m", "abilities_host", "stdio", "--server", server]
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, *words, "--config", str(site.config)],
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(os.environ),
    )
    out, errors = await process.communicate()
    is_refused = process.returncode == _REFUSED and not out and b"server" in errors
    return {"start": "start refused" if is_refused else f"{out!r} {errors!r}"}


_REFUSED: Final = 4


def is_refused_at_start(reason: str, door: str) -> bool:
    """Answer whether no new process would serve."""
    return reason in NOT_STARTED and door in OVER_STDIO


def server_of(cell: Cell) -> str:
    """Give the server that a cell's surface is asked at."""
    is_small = SURFACES[cell.surface].is_compact and cell.server != NO_SERVER
    return f"{cell.server}{SMALL}" if is_small else cell.server


async def walk(sessions: Sessions, cells: Sequence[Cell]) -> dict[Cell, str]:
    """Ask every surface, for what is there and for what nobody registered."""
    return {cell: await _ask(sessions[server_of(cell)], cell) for cell in cells}


async def _ask(session: Session, cell: Cell) -> str:
    surface, lead = SURFACES[cell.surface], lead_for(cell.reason)
    answer = await session.ask(*surface.asks(lead, "target"))
    word = seen(surface, answer)
    if word not in HIDDEN:
        return word
    twin = await session.ask(*surface.asks(lead, "absent"))
    return f"{word}{unlike(answer, twin)}"


def lead_for(reason: str) -> str:
    """Only a write may nest a write."""
    return "way-to-write" if reason in ("vetoed", "policy missing") else "way"


def expected(cell: Cell) -> str:
    """Give what the table says."""
    row = TABLE[cell.reason]
    if cell.door.startswith("http"):
        key = row.http
    elif not cell.door.startswith("stdio"):
        key = row.process
    else:
        key = row.stdio if cell.session == "live" else row.start
    return _word(key, cell)


def expected_before(cell: Cell) -> str:
    """Give what is seen before the reason comes true."""
    surfaces = ("read-tool", "nested call", "nested behind call-tool")
    if cell.reason == "read_only" and cell.surface in surfaces:
        return "write_in_readonly"  # once it is hidden, that is not told any more
    if cell.reason in HARDENED and cell.surface == "read-tool":
        return "write_in_readonly"
    return _word("as before", cell)


def differing(
    seen_: Mapping[Cell, str], told: Callable[[Cell], str]
) -> dict[Cell, tuple[str, str]]:
    """Give what is not as it is told, each with both."""
    return {
        cell: (word, told(cell)) for cell, word in seen_.items() if word != told(cell)
    }


def _word(key: str, cell: Cell) -> str:
    word = SEEN[key]
    return word.finds if SURFACES[cell.surface].finds else word.runs
