"""What an acceptance test over HTTP stands in: a site, and a process that serves it."""

import asyncio
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
from acceptance.world import PATIENCE, Mode, Site
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


class Server:
    """A process that serves a site over HTTP."""

    def __init__(self, process: asyncio.subprocess.Process, errors: Path) -> None:
        self.process = process
        self._errors = errors

    @property
    def errors(self) -> str:
        """What it has said so far."""
        return self._errors.read_text()

    @property
    def url(self) -> str:
        """Where it listens."""
        found = re.search(r"^serving: (\S+)", self.errors, re.MULTILINE)
        assert found is not None
        return found[1]

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it with a signal; give its exit code."""
        self.process.send_signal(number)
        with anyio.fail_after(PATIENCE):
            return await self.process.wait()


class HttpSite(Site):
    """A site whose clients connect over HTTP."""

    @property
    def headers(self) -> dict[str, str]:
        """What a client sends with each request."""
        token = (self.folder / "token").read_text().strip()
        return {"Authorization": f"Bearer {token}"}

    @asynccontextmanager
    async def served(self, *words: str) -> AsyncIterator[Server]:
        """Serve in a process that is ended at the end, if it still runs."""
        server = await self.start(*words)
        try:
            with anyio.fail_after(PATIENCE):
                while "\ntoken: " not in server.errors:
                    assert server.process.returncode is None, server.errors
                    await anyio.sleep(0.02)
            yield server
        finally:
            if server.process.returncode is None:
                await server.stop()

    async def start(self, *words: str) -> Server:
        """Start serving; its standard error goes to a file of the site."""
        path = self.folder / "stderr.txt"
        command = self.command("serve", "--port", "0", *words)
        errors = await asyncio.to_thread(path.open, "wb")
        with errors:
            process = await asyncio.create_subprocess_exec(*command, stderr=errors)
        return Server(process, path)

    @asynccontextmanager
    async def client(self, mode: Mode, **options: Any) -> AsyncIterator[Client]:
        """Connect the SDK's client to a process of its own."""
        async with (
            self.served() as server,
            self.client_of(server, mode, **options) as client,
        ):
            yield client

    @asynccontextmanager
    async def client_of(
        self, server: Server, mode: Mode, **options: Any
    ) -> AsyncIterator[Client]:
        """Connect the SDK's client to a process that serves already."""
        async with httpx2.AsyncClient(headers=self.headers, timeout=PATIENCE) as http:
            transport = streamable_http_client(server.url, http_client=http)
            async with Client(transport, mode=mode, **options) as client:
                yield client
