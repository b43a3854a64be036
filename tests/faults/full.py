"""A host whose disk fills up: what it says and does meanwhile, and afterwards.

Run as ``python -m faults.full FOLDER KIND``; says at the end what was seen.
"""

import asyncio
import json
import os
import resource
import sys
from base64 import b64encode
from collections import Counter
from pathlib import Path
from typing import Final, Protocol

from faults.truth import check_record
from faults.world import World, open_world

from abilities_host import Outcome, run_in_thread
from abilities_ledger.content import digest_of

ROOM: Final = 1_500_000  # bytes until nothing more can be stored
WRITES: Final = 2000


class Room(Protocol):
    """What can be taken away so that nothing can be stored."""

    def take(self) -> None: ...

    def give(self) -> None: ...


class FileRoom:
    """No file may grow beyond a limit.

    Args:
        folder: of the files of the host.
    """

    def __init__(self, folder: Path) -> None:
        self._folder: Final = folder
        self._free: Final = resource.getrlimit(resource.RLIMIT_FSIZE)

    def take(self) -> None:
        sizes = [path.stat().st_size for path in (self._folder / "host").iterdir()]
        limit = max(sizes) + ROOM
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, self._free[1]))

    def give(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self._free)


class DiskRoom:
    """The disk has so much room and no more.

    Args:
        folder: on a small disk.
    """

    def __init__(self, folder: Path) -> None:
        self._ballast: Final = folder / "ballast"

    def take(self) -> None:
        disk = os.statvfs(self._ballast.parent)
        size = disk.f_bavail * disk.f_frsize - ROOM
        self._ballast.write_bytes(b"x" * max(0, size))

    def give(self) -> None:
        self._ballast.unlink()


async def fill(folder: Path, room: Room) -> dict[str, object]:
    """Write with eight writers until no more can be stored, then make room again."""
    said: dict[str, tuple[str, Outcome]] = {}
    async with open_world(folder) as world:
        await run_in_thread(room.take)
        await asyncio.gather(*(_write(world, number, said) for number in range(8)))
        # So large that not even its intent can still find room.
        text = os.urandom(200_000).hex()
        refused = await world.run("files/write", path="new", text=text)
        read = await world.run("files/read", path="0")
        listed = await world.run("ledger/list-changes", limit=1)
        await run_in_thread(room.give)
        after = await world.run("files/write", path="after", text="room")
    async with open_world(folder) as world:
        await check_record(world, {})
        await _check_said(world, said)
    return {
        "full": sorted({outcome.code for _, outcome in said.values()}),
        "refused": refused.code,
        "others": [read.status, listed.status, after.status],
        "many": Counter(outcome.status for _, outcome in said.values())["ok"] > 8,
    }


async def _write(
    world: World, number: int, said: dict[str, tuple[str, Outcome]]
) -> None:
    for turn in range(WRITES):
        text = f"{number} {turn} ".ljust(3000, "x")
        outcome = await world.run("files/write", path=f"{number}", text=text)
        said[outcome.call] = text, outcome
        if not outcome.is_ok:
            return


async def _check_said(world: World, said: dict[str, tuple[str, Outcome]]) -> None:
    """What went well is recorded as it was written, what was refused is not there."""
    changes = {e.call: e.after for e in await world.entries() if e.kind == "change"}
    for call, (text, outcome) in said.items():
        data = b64encode(text.encode()).decode()
        written = digest_of({"kind": "file", "mode": 0o644, "base64": data})
        assert outcome.status != "refused" or call not in changes
        assert not outcome.is_ok or changes[call] == written


def main(folder: Path, kind: str) -> None:
    """Fill what a folder lies on; ends with an error when something is not so."""
    room = DiskRoom(folder) if kind == "disk" else FileRoom(folder)
    sys.stdout.write(json.dumps(asyncio.run(fill(folder, room))))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
