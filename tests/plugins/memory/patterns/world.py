"""What the tests of patterns stand in: notes, a record and what looks for patterns."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from plugins.ledger.desk import ledger_pack
from plugins.ledger.undo_world import AGENT, Notes, Policy
from plugins.ledger.undo_world import World as UndoWorld

from abilities_host import Actor, Evaluation, Outcome, RecordedWrite, Site, hookimpl
from abilities_host.host import Host
from abilities_host.memory import Guidance
from abilities_host.testing import build_host
from abilities_memory import pattern_tables, tables
from abilities_memory.pattern_proposals import PatternFinder
from abilities_memory.patterns import Seen
from abilities_memory.shelf import Shelf

NOW = 1_800_000_000_000_000
TESTS = Path(__file__).parents[3]


class Keeper:
    """As much of a memory pack as keeps guidance and looks for patterns."""

    def __init__(self, **limits: Any) -> None:
        self.limits = limits
        self.verdict: Evaluation | None = None
        self.site: Site
        self.patterns: PatternFinder
        self.shelf: Shelf

    @hookimpl
    @asynccontextmanager
    async def open_pack(self, site: Site) -> AsyncIterator[None]:
        self.site = site
        self.shelf = Shelf(site.store, clock=lambda: NOW)
        self.patterns = PatternFinder(site, **{"clock": lambda: NOW, **self.limits})
        await site.store.migrate(tables.OWNER, tables.MIGRATIONS)
        await self.patterns.migrate()
        yield

    @hookimpl
    def evaluate_write(self, write: RecordedWrite) -> Evaluation | None:
        return self.verdict


class World(UndoWorld):
    """A host whose record shows what its sessions did."""

    def __init__(
        self, host: Host, notes: Notes, policy: Policy, keeper: Keeper
    ) -> None:
        super().__init__(host, notes, policy)
        self.keeper = keeper

    @property
    def shelf(self) -> Shelf:
        return self.keeper.shelf

    async def call(
        self, name: str, session: str, actor: Actor = AGENT, **arguments: Any
    ) -> Outcome:
        return await self.host.execute(name, arguments, actor=actor, session=session)

    async def write(self, session: str, id_: str, text: str = "new") -> int:
        """Write a note in a session; give the number of the change."""
        outcome = await self.call("notes/put", session, id=id_, text=text)
        assert outcome.is_ok, outcome
        return (await self.last()).entry.seq

    async def spoil(self, session: str, id_: str) -> int:
        """Write a note in a session, and have that undone."""
        seq = await self.write(session, id_, f"by {session}")
        assert (await self.undo(seq)).is_ok
        return seq

    async def fail(self, session: str, id_: str) -> None:
        """Fail in a session, at a note that is not there."""
        assert not (await self.call("notes/drop", session, id=id_)).is_ok

    async def veto(self, session: str) -> None:
        """Have a write stopped, by somebody else each time: like are counted as one."""
        actor = Actor(session, "agent", AGENT.scopes)
        self.policy.keeps = {"kept"}
        outcome = await self.call("notes/put", session, actor, id="kept", text="x")
        assert outcome.code == "write_vetoed"

    async def propose(self) -> tuple[Guidance, ...]:
        return await self.keeper.patterns.propose()

    async def kept(self) -> tuple[Guidance, ...]:
        return (await self.shelf.list(limit=500)).entries

    async def seen(self) -> list[Seen]:
        """Give all that was seen so far."""
        names = (*pattern_tables.SEEN, "count")
        sql = f"SELECT {', '.join(names)} FROM memory_pattern_seen ORDER BY entry"  # noqa: S608 - column names
        rows = await self.keeper.site.store.read(sql)
        return [Seen(**dict(zip(names, row, strict=True))) for row in rows]

    async def set_status(self, id_: str, status: str) -> None:
        """Set a status as the gate would, for a person with a secret."""
        sql = "UPDATE memory_guidance SET status = :status WHERE id = :id"
        values = {"id": id_, "status": status}
        await self.keeper.site.store.transact(lambda db: db.execute(sql, values))


@asynccontextmanager
async def watching(
    folder: Path, *, has_ledger: bool = True, **limits: Any
) -> AsyncIterator[World]:
    notes, policy, keeper = Notes(), Policy(), Keeper(**limits)
    packs: list[Any] = [("notes", notes), ("policy", policy), ("keeper", keeper)]
    packs += [ledger_pack()] if has_ledger else []
    async with build_host(folder, packs=packs) as host:
        yield World(host, notes, policy, keeper)


async def another(folder: Path) -> asyncio.subprocess.Process:
    """Start a host that proposes when it is told a line, and says the ids."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "plugins.memory.patterns.world",
        str(folder),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=TESTS,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    return process


def ids(guidance: Sequence[Guidance]) -> list[str]:
    return [each.id for each in guidance]


async def _propose(folder: Path) -> None:
    async with watching(folder) as world:
        _say("ready")
        await asyncio.to_thread(sys.stdin.readline)
        _say(" ".join(ids(await world.propose())))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_propose(Path(sys.argv[1])))
