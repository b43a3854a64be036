"""Open a host with whatever packs are installed, once for each way they are broken."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from abilities_host import Actor, Outcome
from abilities_host.config import load_config
from abilities_host.opening import open_host


async def drive(folder: Path, variable: str, way: str) -> dict[str, Any]:
    """Break the pack in one way; give what is shown and what still works."""
    os.environ[variable] = way
    for name in [name for name in sys.modules if name in ("notes_pack", "notes_guard")]:
        del sys.modules[name]
    loaded = load_config(folder / "abilities.toml", environ={}, cwd=folder)
    actor = Actor("agent-1")
    async with open_host(loaded) as host:
        write = await host.execute("notes/add", {"text": "kept"}, actor=actor)
        veto = await host.execute("notes/add", {"text": "forbidden"}, actor=actor)
        read = await host.execute("notes/list", actor=actor)
        site = await host.list_abilities(actor)
        ours = {p.name: p for p in host.packs if p.distribution == "notes-pack"}
        return {
            "states": {name: [p.state, p.reason] for name, p in ours.items()},
            "refused": ours["notes"].refused,
            "names": [a.name for a in site if a.pack.startswith("notes-pack/")],
            "write": said(write),
            "veto": said(veto),
            "read": [read.code, read.result],
        }


def said(outcome: Outcome) -> list[Any]:
    """Give the code, and the plugin and reason that the caller reads."""
    details = outcome.error.details if outcome.error else {}
    return [outcome.code, details.get("plugin", ""), details.get("reason", "")]


async def drive_all(folder: Path, ways: list[list[str]]) -> dict[str, Any]:
    """Give the findings of every way; none of them ends the process."""
    return {
        f"{variable}={way}": await drive(folder, variable, way)
        for variable, way in ways
    }


if __name__ == "__main__":
    found = asyncio.run(drive_all(Path(sys.argv[1]), json.loads(sys.argv[2])))
    print(json.dumps(found))  # noqa: T201 - what the test reads
