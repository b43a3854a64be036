"""A host whose store cannot be written reads it all the same, and only if told to."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any, Final

from plugins.ledger.undo_world import PERSON, undoing

NOBODY: Final = 65534

# A first turn on another host imports everything before the rights are given up: the
# tests may lie where nobody else can read.
CHILD: Final = """
import asyncio, json, os, sys
from pathlib import Path
import abilities_ledger
from abilities_host.calls import Actor
from abilities_host.config import load_config
from abilities_host.errors import AbilitiesError
from abilities_host.hooks.packs import Pack
from abilities_host.opening import open_host

warm, folder = Path(sys.argv[1]), Path(sys.argv[2])
flags = {"read_only": True} if sys.argv[3] == "read-only" else {}
LEDGER = Pack(
    "abilities-host/ledger", "ledger", "1", is_policy=False,
    load=lambda: abilities_ledger,
)
ANN = Actor("ann", "human", frozenset({"read", "write", "ledger:undo"}))

async def main(folder):
    loaded = load_config(folder / "abilities.toml", environ={}, flags=flags, cwd=folder)
    async with open_host(loaded, packs=[LEDGER], finds_packs=False) as host:
        read = await host.execute("ledger/list-changes", {}, actor=ANN)
        undone = await host.execute("ledger/rollback-change", {"id": 2}, actor=ANN)
        return {
            "packs": [pack.state for pack in host.packs],
            "frozen": host.is_frozen,
            "read": [change["target"] for change in read.result["changes"]],
            "undone": undone.code,
        }

asyncio.run(main(warm))
if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
try:
    print(json.dumps(asyncio.run(main(folder))))
except AbilitiesError as error:
    print(json.dumps({"error": error.sentence}))
"""


async def look(folder: Path, mode: str) -> Any:
    """Open the folder in a process that may only read it."""
    warm = str(folder.with_name("warm"))
    words = [sys.executable, "-c", CHILD, warm, str(folder), mode]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*words, stdout=pipe)
    said, _ = await process.communicate()
    return json.loads(said)


def close(folder: Path) -> None:
    """Take the right to write away, also from who would be allowed everything."""
    for path in (*folder.rglob("*"), folder):
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
        path.chmod(0o500 if path.is_dir() else 0o400)
    for path in folder.parents:
        if os.geteuid() == 0 and path.stat().st_uid == 0 and path.name:
            path.chmod(path.stat().st_mode | 0o111)


def open_again(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


async def test_a_store_that_cannot_be_written_is_read_when_asked_for(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "host"
    for each in (folder, tmp_path / "warm"):
        async with undoing(each) as world:
            await world.put("a", "one", PERSON)
    await asyncio.to_thread(close, folder)

    found = await look(folder, "read-only")
    refused = await look(folder, "as-usual")
    await asyncio.to_thread(open_again, folder)

    assert found == {
        "packs": ["healthy"],
        "frozen": True,
        "read": ["a"],
        "undone": "ability_not_found",
    }
    assert list(refused) == ["error"]
    assert "--read-only" in refused["error"]
