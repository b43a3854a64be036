"""Office: a host with much in it, and its pages, opened by somebody signed in."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from accounts.world import CHEAP, SECRET
from benchmarks.bench import Bench
from benchmarks.filings import Amounts, fill_guidance, fill_record, fill_requests
from benchmarks.pack import BenchPack
from benchmarks.servers import LONG_REGISTRATION
from benchmarks.timing import check
from plugins.memory.memory_world import in_tree
from starlette.types import ASGIApp, Message, Scope

import abilities_ledger
import abilities_memory
from abilities_host import run_in_thread
from abilities_host.accounts import Accounts, keys_beside
from abilities_host.admin import AdminApp
from abilities_host.admin.assets import Assets
from abilities_host.admin.sessions import Sessions
from abilities_host.host import Host
from abilities_host.testing import build_host

PORT: Final = 8765
COOKIE: Final = f"abilities-admin-{PORT}-session"
PERSON: Final = "ana"
CONFIG: Final = f"[ledger]\n{LONG_REGISTRATION}"


class Answer(NamedTuple):
    """What a page cost.

    Attributes:
        wall: seconds from the request to the last byte of the answer.
        processor: seconds of processor time of the process meanwhile.
        size: bytes of the HTML.
    """

    wall: float
    processor: float
    size: int


class Office:
    """The pages of one host, for one person.

    Args:
        host: the running host.
        app: its pages.
        session: id of the session, as the browser has it.
    """

    def __init__(self, host: Host, app: ASGIApp, session: str) -> None:
        self.host: Final = host
        self._app: Final = app
        self._session: Final = session

    async def get(self, address: str) -> Answer:
        """Open a page, which must be there.

        Args:
            address: path and query, below ``/admin``.

        Returns:
            What it cost.
        """
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = self._scope(address)
        processor, wall = time.process_time(), time.perf_counter()
        await self._app(scope, receive, send)
        taken = time.perf_counter() - wall, time.process_time() - processor
        check(is_good=sent[0]["status"] == 200)
        return Answer(*taken, sum(len(each.get("body", b"")) for each in sent[1:]))

    def _scope(self, address: str) -> Scope:
        path, _, query = f"/admin{address}".partition("?")
        headers = {"host": f"127.0.0.1:{PORT}", "cookie": f"{COOKIE}={self._session}"}
        return {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", PORT),
        }


def weight_beside() -> int:
    """Give the bytes of style sheet and script, which every page has."""
    assets = Assets()
    return len(assets.style.content) + len(assets.script.content)


@asynccontextmanager
async def office(bench: Bench) -> AsyncIterator[Office]:
    """Run a host that has been used for long, and open its pages.

    Args:
        bench: the run.

    Yields:
        The pages.
    """
    amounts = Amounts.of(bench)
    folder = bench.folder / "pages"
    packs: list[Any] = [
        in_tree("ledger", abilities_ledger),
        in_tree("memory", abilities_memory),
        ("bench", BenchPack(amounts.abilities)),
    ]
    async with build_host(folder, packs=packs, config=CONFIG) as host:
        accounts = _accounts(host)
        await _fill(host, accounts, amounts)
    async with build_host(folder, packs=packs, config=CONFIG) as host:
        app = AdminApp(host, _accounts(host))
        session = await _session(host)
        yield Office(host, app, session)


async def _fill(host: Host, accounts: Accounts, amounts: Amounts) -> None:
    await accounts.migrate()
    await accounts.add(PERSON, SECRET, by=None)
    person = await accounts.unlock(PERSON, SECRET)
    await fill_record(host.store, amounts)
    await fill_guidance(host, person, amounts)
    await run_in_thread(lambda: fill_requests(host.loaded.requests_path, amounts))


def _accounts(host: Host) -> Accounts:
    anchor: Path | None = host.loaded.anchor_path
    return Accounts(
        host.store, cost=CHEAP, keys=keys_beside(anchor) if anchor else None
    )


async def _session(host: Host) -> str:
    sessions = Sessions(host.store)
    await sessions.migrate()
    return await sessions.open(PERSON, address="127.0.0.1", browser="bench")
