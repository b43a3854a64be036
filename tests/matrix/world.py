"""The world: a running host with everything that asks it over a transport."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from anyio.abc import TaskGroup
from matrix.site import Site
from server.http_world import TOKEN, URL, Header

from abilities_host.config import load_config
from abilities_host.host import Host
from abilities_host.opening import open_host
from abilities_host.server.http import HttpApp, serve_host
from abilities_host.threads import run_in_thread
from abilities_host.tokens import Tokens
from abilities_host.watching import WatchedFile, reload

ACTOR: Final = "ann"


@dataclass
class Shown:
    """What clients show over HTTP now.

    Attributes:
        tokens: by the server that is called.
        others: further headers, before those that every request has.
        host: the name they call.
    """

    tokens: dict[str, str] = field(default_factory=dict)
    others: tuple[Header, ...] = ()
    host: bytes = b"127.0.0.1:8765"


@dataclass
class World:
    """A host, its application and its tokens.

    Attributes:
        site: its folder.
        host: running.
        app: the same over HTTP.
        tokens: of its store.
        shown: what clients show over HTTP.
        tasks: where sessions run.
    """

    site: Site
    host: Host
    app: HttpApp
    tokens: Tokens
    tasks: TaskGroup
    shown: Shown = field(default_factory=Shown)

    @property
    def store(self) -> Any:
        return self.host._store  # noqa: SLF001 - as the command line does

    async def change(self, **settings: object) -> None:
        """Save another configuration, and have it noticed at once."""
        await run_in_thread(lambda: self.site.change(**settings))
        file = await run_in_thread(lambda: WatchedFile(self.site.config))
        await reload(self.host, file)

    async def flag(self, word: str) -> None:
        """Lay a file that the packs look for."""
        await run_in_thread(lambda: self.site.flag(word))


@asynccontextmanager
async def opened(site: Site, tasks: TaskGroup) -> AsyncIterator[World]:
    """Run a host on a site that is made."""
    environ: dict[str, str] = {}
    loaded = await run_in_thread(
        lambda: load_config(site.config, environ=environ, cwd=site.folder)
    )
    async with open_host(loaded) as host:
        app = serve_host(host, URL, token=TOKEN)
        async with app.running():
            tokens = Tokens(host._store)  # noqa: SLF001 - as the command line does
            world = World(site, host, app, tokens, tasks)
            made = await tokens.create(ACTOR, role="matrix", by="me")
            world.shown.tokens = dict.fromkeys(_ALL, made.value)
            yield world


_ALL: Final = ("first", "second", "first-small", "second-small")
