"""AdminApp: the pages for people, as an application that is put beside the servers."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from abilities_host.accounts import Accounts
from abilities_host.admin.confirming import Confirmations, seconds_now
from abilities_host.admin.door import Door
from abilities_host.admin.entrance import Entrance
from abilities_host.admin.failures import Failures
from abilities_host.admin.frame import Frame
from abilities_host.admin.guard import Guard
from abilities_host.admin.guests import Guests
from abilities_host.admin.headers import Headers
from abilities_host.admin.links import FirstLinks
from abilities_host.admin.page import Action, Page
from abilities_host.admin.pages import PAGES
from abilities_host.admin.parts import Parts
from abilities_host.admin.paths import ROOT, below
from abilities_host.admin.sessions import Sessions
from abilities_host.admin.streams import Streams
from abilities_host.gate import Gate
from abilities_host.host import Host
from abilities_host.threads import run_in_thread

Handler = Callable[[Request], Awaitable[Response]]
Check = Callable[[], Awaitable[None]]


class AdminApp:
    """An ASGI application; it gets ready at its first request.

    Args:
        host: the running host.
        accounts: of its store.
        pages: all of them, in the order of the navigation.
        clock: seconds since 1970, for sessions.
        steady: seconds since any moment, for what holds for minutes.
    """

    def __init__(
        self,
        host: Host,
        accounts: Accounts,
        *,
        pages: Sequence[Page] = PAGES,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = seconds_now,
    ) -> None:
        self._host: Final = host
        self._accounts: Final = accounts
        self._pages: Final = tuple(pages)
        self._clock: Final = clock
        self._steady: Final = steady
        self._making: Final = asyncio.Lock()
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        app = self._app or await self._made()
        # With it the router raises what Failures makes a page of.
        await app({**scope, "app": self}, receive, send)

    async def _made(self) -> ASGIApp:
        async with self._making:
            if self._app is None:
                self._app = await self._make()
        return self._app

    async def _make(self) -> ASGIApp:
        # The accounts' tables too; without packs nobody else makes them.
        await self._host.services.find(Gate).migrate()
        sessions = Sessions(self._host.store, self._clock)
        await sessions.migrate()
        parts = Parts(
            host=self._host,
            accounts=self._accounts,
            sessions=sessions,
            links=FirstLinks(self._host.store, self._clock),
            confirmations=Confirmations(self._steady),
            frame=await run_in_thread(Frame),
            streams=Streams(sessions),
        )
        router = Router(self._routes(parts), redirect_slashes=False)
        guarded = Guard(router, lambda: self._host.config.http.public_url)
        return Headers(Failures(guarded, parts))

    def _routes(self, parts: Parts) -> list[Route]:
        """The frame's own first: no page can take their place."""
        guests = Guests(self._host)
        entrance = Entrance(parts, self._steady)
        door = Door(parts, self._pages, guests)
        return [
            Route(below("/static/{name}"), parts.frame.assets.answer),
            Route(below("/login"), entrance.ask, methods=["GET"]),
            Route(below("/login"), entrance.sign_in, methods=["POST"]),
            Route(below("/logout"), entrance.sign_out, methods=["POST"]),
            Route(below("/first"), entrance.ask_first, methods=["GET"]),
            Route(below("/first"), entrance.make_first, methods=["POST"]),
            *(each for page in self._pages for each in _routes_of(page, door)),
            Route(f"{ROOT}/", _shown(self._pages[0], door), methods=["GET"]),
            *(
                route
                for guest in guests
                for route in _routes_of(guest.page, door, partial(guests.check, guest))
            ),
        ]


async def _always() -> None:
    """A page of the host is always there."""


def _routes_of(page: Page, door: Door, check: Check = _always) -> list[Route]:
    path = below(page.path)
    return [
        Route(path, _shown(page, door, check), methods=["GET"]),
        *(
            Route(f"{path}/{name}", _acted(page, each, door, check), methods=["POST"])
            for name, each in page.actions.items()
        ),
    ]


def _shown(page: Page, door: Door, check: Check = _always) -> Handler:
    async def show(request: Request) -> Response:
        await check()
        return await door.show(request, page)

    return show


def _acted(page: Page, action: Action, door: Door, check: Check) -> Handler:
    async def act(request: Request) -> Response:
        await check()
        return await door.act(request, page, action)

    return act
