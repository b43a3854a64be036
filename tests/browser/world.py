"""What a test in a real browser stands in: a host at a port, people, and a client.

Everything here runs the machine's Chromium, without a window, and no other browser is
downloaded. Where it or Playwright is missing nothing of this folder is collected, and
the header of the report says so. A test is such as::

    async def test_something(tmp_path: Path, browser: Browser) -> None:
        async with (
            serving(tmp_path, "ana", "ben") as served,
            visiting(browser, served.base) as ana,
        ):
            await ana.sign_in("ana")
            await ana.open("/admin/review")
            ...

* ``browser`` is a fixture: one process for a module.
* `serving` runs ``abilities serve``, with every pack; that takes two seconds of the
  processor, so a module starts one. ``served.client()`` connects the SDK's client.
* `at_port` serves `admin.admin_world.AdminWorld` in this process, at a real port: it
  takes much less, its clock can be set, and things can be proposed without a client.
* `browser.visitor.visiting` gives a `Visitor`. It fails the test at its end when the
  browser complained: a warning in its console, an error of a script, something that the
  policy of the pages forbids, a request that failed, a response of 400 or more. Say
  with ``visitor.expect("409 POST /admin/ledger/3/rollback")`` what should go wrong.
* `browser.visitor.picture` keeps what a page looks like, in ``build/screenshots``.
* `browser.needed.checkers` gives the folder with axe-core and html-validate, or None.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn
from acceptance.over_http import HttpSite, Server
from acceptance.world import Mode
from admin.admin_world import AdminWorld, admin_world
from cli.ledger_world import make_files
from cli.memory_world import make_people
from mcp import Client
from mcp.types import CallToolResult, TextContent

from abilities_host.server.http import HttpApp


@dataclass(frozen=True)
class Served:
    """A host that a process of its own serves.

    Attributes:
        site: its folder.
        server: the process.
    """

    site: HttpSite
    server: Server

    @property
    def base(self) -> str:
        """How a browser reaches it."""
        return self.server.url.removesuffix("/mcp")

    def client(self, mode: Mode = "auto") -> AbstractAsyncContextManager[Client]:
        """Connect the SDK's client, as the agent whose token the host has made."""
        return self.site.client_of(self.server, mode)


class AtPort(NamedTuple):
    """A host that this process serves at a port."""

    base: str
    world: AdminWorld


@asynccontextmanager
async def serving(
    folder: Path, *names: str, config: str = "", port: int = 0
) -> AsyncIterator[Served]:
    """Serve a host with every pack.

    Args:
        folder: an empty one.
        *names: of `cli.memory_world.SECRETS` who get accounts, the first as operator.
        config: tables that the configuration has besides.
        port: where; 0 for any that is free.

    Yields:
        The host, in a process that is ended at the end.
    """
    site = await asyncio.to_thread(_made, folder, names, config)
    async with site.served("--port", str(port)) as server:
        yield Served(site, server)


def _made(folder: Path, names: tuple[str, ...], config: str) -> HttpSite:
    path = make_files(folder)
    with path.open("a", encoding="utf-8") as file:
        file.write(config)
    if names:
        make_people(path, *names)
    return HttpSite(path.parent)


@asynccontextmanager
async def at_port(folder: Path, *names: str, **options: Any) -> AsyncIterator[AtPort]:
    """Serve a host with memory and files in this process, with a clock that is set.

    Args:
        folder: an empty one.
        *names: of `cli.memory_world.SECRETS` who get accounts, the first as operator.
        **options: of `admin_world`.

    Yields:
        Where it is, and its parts.
    """
    async with admin_world(folder, *names, **options) as world:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            base = f"http://127.0.0.1:{listener.getsockname()[1]}"
            async with _answering(world.app, listener):
                yield AtPort(base, world)


@asynccontextmanager
async def _answering(app: HttpApp, listener: socket.socket) -> AsyncIterator[None]:
    config = uvicorn.Config(
        app, lifespan="off", ws="none", log_config=None, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        # Whatever failed: a connection left open would be one of the next test.
        await app.stop(0.1)
        server.should_exit = True
        await running


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    """Call what must succeed; give its structured result."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Call what must be refused; give what the model reads."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    """Give what a result says in words."""
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text
