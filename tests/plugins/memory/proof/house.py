"""A host with every pack of the tree, guidance of every status, and what holds."""

import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from plugins.memory.memory_world import MemoryWorld, in_tree, remembering

import abilities_core
import abilities_database
import abilities_dispatcher
import abilities_files
import abilities_memory_enforcer
from abilities_host import Actor, Call, RegistryView, hookimpl, run_in_thread
from abilities_host.gate import Alarm, Gate
from abilities_host.hooks.packs import Pack
from abilities_host.memory import LostRule, Scope, StandingRule, Topic

RULE: Final = {"domain": "notes", "targets": ["nine"], "effect": "deny"}
MIGHTY: Final = frozenset({"*", "*:*"})
SETTINGS: Final = (
    "[packs.files]\nroot = 'content'\n[packs.database]\npath = 'content.db'\n"
)
_SCHEMA: Final = """
CREATE TABLE pages (id INTEGER PRIMARY KEY, title TEXT);
INSERT INTO pages (title) VALUES ('Start'), ('About');
"""
_ANY: Final = {"type": "object", "additionalProperties": True}


def mighty(name: str) -> Actor:
    """An agent that may do whatever any ability asks for."""
    return Actor(name, "agent", MIGHTY)


@dataclass(frozen=True, slots=True)
class Enforced:
    """Everything that only a person may change.

    Attributes:
        statuses: of what was there at the start.
        approved: ids that say they are approved.
        sealed: ids with the hash that a person sealed.
        recalled: what agents are told.
        context: what is told unasked.
        rules: in force.
        lost: rules that were approved and are not there.
        topics: all of them.
        alarms: what is not as a person left it.
    """

    statuses: Mapping[str, str]
    approved: tuple[str, ...]
    sealed: Mapping[str, str]
    recalled: tuple[Mapping[str, Any], ...]
    context: str
    rules: tuple[StandingRule, ...]
    lost: tuple[LostRule, ...]
    topics: tuple[Topic, ...]
    alarms: tuple[Alarm, ...]


class Nest:
    """A pack whose one ability runs any other, as the same actor."""

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        registry.register_category("nest", label="Nest", description="Nests.")
        registry.register_ability(
            "nest/run",
            label="Run",
            description="Runs another ability.",
            category="nest",
            input_schema=_ANY,
            execute_callback=self.run,
            permission_callback=lambda: True,
            meta={"annotations": {"readonly": False}},
        )

    async def run(self, arguments: Mapping[str, Any], call: Call) -> Any:
        outcome = await call.execute(arguments["name"], arguments["arguments"])
        return {"code": outcome.code, "status": outcome.status}


async def enforced(world: MemoryWorld, known: Sequence[str] = ()) -> Enforced:
    """Read everything that only a person may change.

    Args:
        world: the host.
        known: ids whose status is looked at.
    """
    memory = world.memory
    survey = await world.host.services.find(Gate).survey("guidance")
    rules = await world.rulebook.in_force()
    recalled = await world.told("memory/recall", {"limit": 200, "summaries": 0})
    approved = await memory.list("approved", limit=500)
    return Enforced(
        statuses={id_: (await memory.get(id_)).status for id_ in known},
        approved=tuple(each.id for each in approved.entries),
        sealed={id_: seal.hash for id_, seal in survey.sealed.items()},
        recalled=tuple(recalled["guidance"]),
        context=await memory.context(8000),
        rules=rules.rules,
        lost=rules.lost,
        topics=await memory.topics(),
        alarms=survey.alarms,
    )


KNOWN: Final = tuple(f"gm-{number:03}" for number in range(1, 8))


async def furnish(world: MemoryWorld) -> None:
    """Make guidance of every status, as `KNOWN`, and some record.

    gm-001 and gm-002 are approved, the first with a rule; gm-003 and gm-006 wait, the
    latter in place of the first; the topic of gm-007, which is approved, is off.
    """
    await world.approved("Never touch note nine.", rule=RULE)
    await world.approved("Billing has its own store.", type="fact", topic="billing")
    await world.propose("Everything may be deleted.", recall=("delete", "write"))
    await world.propose("To be rejected.")
    await world.propose("To be set aside.")
    await world.propose("Note nine is free now.", supersedes="gm-001")
    await world.approved("Hidden.", topic="old", scope=Scope(target="notes:old"))
    await world.memory.reject("gm-004", by="ana")
    await world.memory.archive("gm-005", by="ana")
    await world.memory.put_topic(Topic(name="old", state="inactive"), await world.ana())
    for text in ("one", "two"):
        await world.call("notes/put", {"id": "one", "text": text}, session="s1")


def lay_out(folder: Path) -> bool:
    """Make the files and the table that abilities may change, once; blocks."""
    content = folder / "content"
    if content.exists():
        return False
    (content / "posts").mkdir(parents=True)
    (content / "free.txt").write_text("free")
    (content / "posts" / "one.md").write_text("one")
    with closing(sqlite3.connect(folder / "content.db")) as database:
        database.executescript(_SCHEMA)
    return True


def every_pack() -> list[Pack | tuple[str, Any]]:
    """Give the packs of the tree that `remembering` does not have, and the nest."""
    enforcer = Pack(
        "abilities-host/memory_enforcer",
        "memory_enforcer",
        "0.1.0",
        is_policy=True,
        load=lambda: abilities_memory_enforcer,
    )
    return [
        in_tree("core", abilities_core),
        in_tree("dispatcher", abilities_dispatcher),
        in_tree("files", abilities_files),
        in_tree("database", abilities_database),
        enforcer,
        ("nest", Nest()),
    ]


@asynccontextmanager
async def furnished(
    folder: Path,
    config: str = "",
    *,
    more: Sequence[Pack | tuple[str, Any]] = (),
) -> AsyncIterator[MemoryWorld]:
    """Run a host with all packs of the tree; a second one here finds it furnished."""
    is_new = await run_in_thread(lambda: lay_out(folder))
    packs = [*every_pack(), *more]
    async with remembering(folder, config + SETTINGS, more=packs) as world:
        in_tree_ones = [p for p in world.host.packs if p.name != "hostile"]
        assert [pack.reason for pack in in_tree_ones if pack.reason] == []
        assert [pack.refused for pack in in_tree_ones if pack.refused] == []
        if is_new:
            await furnish(world)
        yield world
