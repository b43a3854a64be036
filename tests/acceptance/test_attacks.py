"""The host's own files are out of reach through the files pack, by every spelling."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from envelope.world import ACTOR, configured

import abilities_files
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.opening import open_host
from abilities_host.threads import run_in_thread

SETTINGS = """
plugins_dir = "plugins"

[ledger]
required = false

[protect]
paths = ["caf\u00e9.txt"]

[packs.files]
root = "."
"""

SPELLINGS = [
    "abilities.toml",
    "./abilities.toml",
    "ABILITIES.toml",
    "content/../abilities.toml",
    "content/link.toml",
    "content/hard.toml",
    "content/up/abilities.toml",
    "abilities.db",
    "abilities.db-wal",
    "abilities.db-shm",
    "plugins/guard.py",
    "PLUGINS/guard.py",
    "plugins/new.py",
    "content/hard.py",
    "caf\u00e9.txt",
    "cafe\u0301.txt",
    "CAF\u00c9.txt",
]


def lay_out(folder: Path) -> None:
    for name in ("content", "plugins"):
        (folder / name).mkdir(mode=0o700)
    (folder / "plugins" / "guard.py").write_text("# guards\n")
    (folder / "content" / "note.txt").write_text("hello\n")
    (folder / "caf\u00e9.txt").write_text("secret\n")
    os.link(folder / "abilities.toml", folder / "content" / "hard.toml")
    os.link(folder / "plugins" / "guard.py", folder / "content" / "hard.py")
    (folder / "content" / "link.toml").symlink_to(folder / "abilities.toml")
    (folder / "content" / "up").symlink_to(folder)


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Host]:
    def prepare() -> Any:
        loaded = configured(folder, SETTINGS)
        lay_out(folder)
        return loaded

    pack = Pack(
        "abilities-host/files",
        "files",
        "0",
        is_policy=False,
        load=lambda: abilities_files,
    )
    loaded = await run_in_thread(prepare)
    async with open_host(loaded, packs=[pack], finds_packs=False) as host:
        assert [(p.state, p.refused) for p in host.packs] == [("healthy", [])]
        yield host


def attacks(path: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("files/read", {"path": path}),
        ("files/write", {"path": path, "text": "taken over"}),
        ("files/edit", {"path": path, "edits": [{"old": "a", "new": "b"}]}),
        ("files/move", {"source": path, "destination": "content/stolen"}),
        ("files/move", {"source": "content/note.txt", "destination": path}),
        ("files/delete", {"path": path}),
    ]


@pytest.mark.parametrize("path", SPELLINGS, ids=ascii)
async def test_the_hosts_own_files_cannot_be_reached(tmp_path: Path, path: str) -> None:
    async with opened(tmp_path) as host:
        before = (tmp_path / "abilities.toml").read_bytes()
        outcomes = [
            await host.execute(name, arguments, actor=ACTOR)
            for name, arguments in attacks(path)
        ]
        assert [outcome.is_ok for outcome in outcomes] == [False] * 6
        assert all(outcome.changes == () for outcome in outcomes)
        assert str(tmp_path) not in "".join(str(o.error) for o in outcomes)
        assert (tmp_path / "abilities.toml").read_bytes() == before
    assert (tmp_path / "plugins" / "guard.py").read_text() == "# guards\n"
    assert (tmp_path / "caf\u00e9.txt").read_text() == "secret\n"
    assert (tmp_path / "content" / "note.txt").read_text() == "hello\n"


async def test_they_are_hidden_from_list_and_search(tmp_path: Path) -> None:
    async with opened(tmp_path) as host:
        listed = await host.execute("files/list", {"depth": 5}, actor=ACTOR)
        guards = await host.execute("files/search", {"query": "guards"}, actor=ACTOR)
        hello = await host.execute("files/search", {"query": "HELLO"}, actor=ACTOR)
    assert [entry["path"] for entry in listed.unwrap()["entries"]] == [
        "content",
        "content/note.txt",
        "content/up",
    ]
    assert guards.unwrap()["matches"] == []
    assert [match["path"] for match in hello.unwrap()["matches"]] == [
        "content/note.txt"
    ]
