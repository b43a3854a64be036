"""What an acceptance test stands in: a site on disk, and the command that serves it."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import anyio
from mcp import Client, StdioServerParameters

Mode = Literal["auto", "legacy"]

PATIENCE = 30.0

DESK = '''
"""A pack in a file: reports, waits, leads elsewhere, and notes how runs ended."""

import asyncio
import json
import os
import time
from pathlib import Path

from abilities_host import hookimpl

HERE = Path(__file__).parent.parent
OBJECT = {"type": "object", "additionalProperties": True}

print("printed at import")
os.system("echo a child prints at import")


def note(word):
    with (HERE / "notes.txt").open("a") as notes:
        notes.write(word + "\\n")


async def steps(arguments, call):
    print("printed in a call")
    os.system("echo a child prints in a call")
    await call.report_progress(1, 2, "half")
    await call.report_progress(2, 2, "done")
    return "stepped"


async def wait(arguments):
    note("waiting")
    try:
        await asyncio.sleep(600)
    finally:
        note("waited")


def block(arguments):
    note("blocking")
    time.sleep(600)


async def freeze(arguments):
    note("freezing")
    time.sleep(600)


async def lead(arguments, call):
    return (await call.execute(arguments["name"], arguments["arguments"])).code


@hookimpl
def register_categories(registry):
    registry.register_category("desk", label="Desk", description="For tests.")


@hookimpl
def register_abilities(registry):
    for word in (steps, wait, block, freeze, lead):
        registry.register_ability(
            f"desk/{word.__name__}",
            label=word.__name__,
            description="For tests.",
            category="desk",
            input_schema=OBJECT,
            execute_callback=word,
            permission_callback=lambda: True,
        )


@hookimpl
def after_execute(call, outcome):
    facts = {
        "ability": call.ability.name,
        "via": call.via,
        "status": outcome.status,
        "flags": sorted(outcome.flags),
        "changes": [
            [str(c.target), repr(c.before), repr(c.after)] for c in outcome.changes
        ],
    }
    with (HERE / "record.jsonl").open("a") as record:
        record.write(json.dumps(facts) + "\\n")
'''

GUARD = '''
"""A policy in a file: nothing may be written under secret."""

from abilities_host import Veto, hookimpl


@hookimpl
def before_write(write):
    for target in write.targets:
        if target.name.startswith("secret"):
            return Veto("The folder secret is not yours.")
'''


@dataclass(frozen=True)
class Site:
    """A folder with a configuration, content and two packs in files."""

    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "abilities.toml"

    @property
    def content(self) -> Path:
        return self.folder / "content"

    def command(self, *words: str) -> list[str]:
        """Give the command line that does something with this site."""
        tail = ["--config", str(self.config)]
        return [sys.executable, "-m", "abilities_host", *words, *tail]

    def record(self) -> list[dict[str, Any]]:
        """Give what the pack noted of runs that ended."""
        file = self.folder / "record.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        return [json.loads(line) for line in lines]

    def notes(self) -> list[str]:
        """Give what the pack noted while running."""
        file = self.folder / "notes.txt"
        return file.read_text().splitlines() if file.exists() else []

    async def until_noted(self, word: str) -> None:
        """Wait until the pack has noted a word."""
        with anyio.fail_after(PATIENCE):
            while word not in self.notes():
                await anyio.sleep(0.02)

    async def run(self, *words: str) -> None:
        """Run a command in another process, to a good end."""
        process = await asyncio.create_subprocess_exec(*self.command(*words))
        assert await process.wait() == 0

    @asynccontextmanager
    async def client(self, mode: Mode, **options: Any) -> AsyncIterator[Client]:
        """Connect the SDK's client to a process of its own."""
        command, *words = self.command("stdio")
        server = StdioServerParameters(command=command, args=words, env=environment())
        async with Client(server, mode=mode, **options) as client:
            yield client


def make_site(folder: Path, config: str = "", *, kind: type[Site] = Site) -> Site:
    """Write a site; top-level keys of the configuration come first."""
    (folder / "content").mkdir()
    (folder / "packs").mkdir()
    (folder / "packs" / "desk.py").write_text(DESK)
    (folder / "packs" / "guard.py").write_text(GUARD)
    site = kind(folder)
    head, _, tables = config.partition("\n\n")
    site.config.write_text(
        f'plugins_dir = "packs"\n{head}\n[ledger]\nrequired = false\n{tables}\n'
    )
    site.config.chmod(0o600)
    return site


def environment() -> dict[str, str]:
    """Give the whole environment, so that coverage follows into the process."""
    return dict(os.environ)


class Wire:
    """A served process, spoken to line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[bytes] = []

    @classmethod
    async def open(cls, site: Site) -> "Wire":
        """Start the process and shake hands."""
        wire = cls(await start(site))
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "wire", "version": "1"},
        }
        await wire.ask(0, "initialize", hello)
        await wire.send({"method": "notifications/initialized"})
        return wire

    async def send(self, message: dict[str, Any]) -> None:
        """Send one message."""
        await self.send_raw(json.dumps({"jsonrpc": "2.0", **message}).encode())

    async def send_raw(self, line: bytes) -> None:
        """Send one line, whatever it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        await self.process.stdin.drain()

    async def ask(self, number: int, method: str, params: dict[str, Any]) -> Any:
        """Send a request and wait for its answer."""
        await self.send({"id": number, "method": method, "params": params})
        assert self.process.stdout is not None
        with anyio.fail_after(PATIENCE):
            while line := await self.process.stdout.readline():
                self.lines.append(line)
                message = json.loads(line)
                if message.get("id") == number:
                    return message
        raise EOFError

    async def close(self) -> int:
        """Close the client's end; give the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return await self.ended()

    async def ended(self) -> int:
        """Wait for the end, keeping what is still said; give the exit code."""
        assert self.process.stdout is not None
        with anyio.fail_after(PATIENCE):
            self.lines += (await self.process.stdout.read()).splitlines()
            return await self.process.wait()


async def start(site: Site) -> asyncio.subprocess.Process:
    """Start the server; its standard error goes to a file of the site."""
    errors = await asyncio.to_thread((site.folder / "stderr.txt").open, "wb")
    with errors:
        return await asyncio.create_subprocess_exec(
            *site.command("stdio"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            limit=1 << 24,
        )
