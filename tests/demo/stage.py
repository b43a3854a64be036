"""Stage: a scratch host, its servers in processes of their own, and real clients."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

PATIENCE: Final = 30.0
SERVING: Final = re.compile(r"^serving: (\S+)", re.MULTILINE)
POLICY: Final = '''\
"""Keeps the folder data/ as it is."""

from abilities_host import ProposedWrite, Veto, hookimpl


@hookimpl
def before_write(write: ProposedWrite) -> Veto | None:
    if any(target.name.startswith("data/") for target in write.targets):
        return Veto("data/ is kept as it is")
    return None
'''


class StoryBroken(Exception):
    """Raised when something did not happen as the story says."""


@dataclass(frozen=True, slots=True)
class Served:
    """One server process."""

    url: str
    token: str
    process: asyncio.subprocess.Process

    @asynccontextmanager
    async def client(
        self, mode: Literal["auto", "legacy"], **options: Any
    ) -> AsyncIterator[Client]:
        """Connect the client of the protocol's own SDK."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, mode=mode, **options) as client:
                yield client

    async def stop(self) -> int:
        """Ask the process to end as an operator would; give its exit code."""
        self.process.send_signal(signal.SIGTERM)
        with anyio.fail_after(PATIENCE):
            return await self.process.wait()


@dataclass(frozen=True, slots=True)
class Stage:
    """A folder with a host in it."""

    folder: Path

    def write_policy(self) -> None:
        """Put the sample policy where the host finds packs."""
        policy = self.folder / "plugins" / "guard.py"
        policy.write_text(POLICY, encoding="utf-8")

    def allow_undo(self) -> None:
        """Give the command line the right to undo what others did."""
        config = self.folder / "abilities.toml"
        scopes = '["read", "write", "ledger:undo", "ledger:read-all"]'
        text = config.read_text(encoding="utf-8")
        said = text.replace("[actors.cli]\n", f"[actors.cli]\nscopes = {scopes}\n")
        config.write_text(said, encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        """Give what processes have; nothing is left outside of the folder."""
        return {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}

    def read(self, name: str) -> str | None:
        """Look at the disk itself, not at what a server says of it."""
        with suppress(FileNotFoundError):
            return (self.folder / "content" / name).read_text(encoding="utf-8")
        return None

    async def run(self, *words: str) -> str:
        """Run one command in a process of its own, to a good end."""
        process = await asyncio.create_subprocess_exec(
            *command(*words),
            cwd=self.folder,
            env=self.environment,
            stdout=asyncio.subprocess.PIPE,
        )
        printed, _ = await process.communicate()
        if process.returncode:
            raise StoryBroken(f"'abilities {' '.join(words)}' ended with an error")
        return printed.decode()

    @asynccontextmanager
    async def serve(self, *options: str) -> AsyncIterator[Served]:
        """Serve the host on a free port of this machine, until the block ends."""
        log = self.folder / f"serve{''.join(options)}.log"
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        process = await asyncio.create_subprocess_exec(
            *command("serve", "--port", "0", *options),
            cwd=self.folder,
            env=self.environment,
            stdout=descriptor,
            stderr=descriptor,
        )
        os.close(descriptor)
        try:
            url = await self._until_serving(log, process)
            yield Served(url, self.token(), process)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    def token(self) -> str:
        """Give the secret that the first start has made."""
        return (self.folder / "token").read_text(encoding="utf-8").strip()

    async def _until_serving(
        self, log: Path, process: asyncio.subprocess.Process
    ) -> str:
        """Wait until a server says where it is; it is ready then."""
        with anyio.fail_after(PATIENCE):
            while process.returncode is None:
                if found := SERVING.search(read_text(log)):
                    return found[1]
                await anyio.sleep(0.02)
        raise StoryBroken(f"the server ended at once: {read_text(log)}")


def command(*words: str) -> list[str]:
    """Give the command line that does something in the environment that runs now."""
    return [sys.executable, "-m", "abilities_host", *words]


def read_text(path: Path) -> str:
    """Read what was written so far."""
    return path.read_text(encoding="utf-8")
