"""What the tests of undoing share: a real host, a tree on disk, and its history."""

import stat
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any, TypeAlias

import orjson

import abilities_files
from abilities_files.domain import Files
from abilities_host import MISSING, Actor, Change, Outcome, Restoration, State
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.testing import RecordingRecorder, build_host

ACTOR = Actor("ann", "human", frozenset({"read", "write"}))

Thing: TypeAlias = int | tuple[int, bytes]
Tree: TypeAlias = Mapping[str, Thing]
"""Path to the bits of a folder, or the bits and bytes of a file."""


@dataclass(frozen=True)
class History:
    root: Path
    host: Host
    recorder: RecordingRecorder

    @property
    def domain(self) -> Files:
        domain = self.host.registry.get_domain("files")
        assert isinstance(domain, Files)
        return domain

    async def do(self, name: str, **arguments: Any) -> Outcome:
        return await self.host.execute(f"files/{name}", arguments, actor=ACTOR)

    async def undo(self, changes: Iterable[Change]) -> None:
        await self.domain.restore_all([invert(change) for change in changes])

    async def undo_all(self) -> None:
        for outcome in reversed(self.recorder.outcomes):
            await self.undo(outcome.changes)

    def start(self, tree: Tree) -> None:
        rmtree(self.root)
        self.root.mkdir()
        lay_out(self.root, tree)
        self.recorder.outcomes.clear()


def invert(change: Change) -> Restoration:
    """Give what puts a change back, from states that were stored as JSON."""
    return Restoration(change.target.name, _store(change.after), _store(change.before))


def _store(state: State) -> State:
    return MISSING if state is MISSING else orjson.loads(orjson.dumps(state))


@asynccontextmanager
async def begin(folder: Path, config: str = "", *more: Any) -> AsyncIterator[History]:
    root, recorder = folder / "content", RecordingRecorder()
    root.mkdir(parents=True)
    identity = "abilities-host/files"  # no other may claim the namespace
    pack = Pack(identity, "files", "", is_policy=False, load=lambda: abilities_files)
    async with build_host(
        folder, packs=[pack, *more], config=config, recorder=recorder
    ) as host:
        yield History(root, host, recorder)


def lay_out(root: Path, tree: Tree) -> None:
    for name in sorted(tree):
        thing = tree[name]
        if isinstance(thing, int):
            (root / name).mkdir()
        else:
            (root / name).write_bytes(thing[1])
            (root / name).chmod(thing[0])
    for name in sorted(tree, reverse=True):
        thing = tree[name]
        if isinstance(thing, int):
            (root / name).chmod(thing)


def read_tree(root: Path) -> dict[str, Thing | str]:
    """Read contents, kinds and bits of everything under a folder."""
    return {
        str(path.relative_to(root)): _read(path, path.lstat().st_mode)
        for path in root.rglob("*")
    }


def _read(path: Path, mode: int) -> Thing | str:
    if stat.S_ISLNK(mode):
        return str(path.readlink())
    if stat.S_ISDIR(mode):
        return stat.S_IMODE(mode)
    if not stat.S_ISREG(mode):
        return "other"  # to open a pipe would wait
    return stat.S_IMODE(mode), path.read_bytes()
