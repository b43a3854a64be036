"""The same in processes of their own: what one switches off, all the others refuse."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from acceptance.over_http import HttpSite
from acceptance.world import Wire, start
from matrix.doors import META, Answer, Session
from matrix.reading import HIDDEN, seen, unlike
from matrix.site import Site
from matrix.surfaces import SURFACES
from matrix.table import SEEN
from server.http_world import HELLO, message

from abilities_host.threads import run_in_thread

ASKED = {name: one for name, one in SURFACES.items() if not one.is_compact}
HIDES = SEEN["hidden"]
BEFORE = SEEN["as before"]


@dataclass
class WireSession:
    """A session with a process over its standard input and output."""

    wire: Wire
    meta: Mapping[str, Any] | None = None
    asked: int = 0

    async def ask(self, method: str, params: Mapping[str, Any]) -> Answer:
        self.asked += 1
        said = {**params, **({"_meta": self.meta} if self.meta else {})}
        answer: Answer = await self.wire.ask(self.asked, method, said)
        return {**answer, "id": 1}


@dataclass
class SocketSession:
    """A session with a process over HTTP."""

    client: httpx2.AsyncClient
    url: str
    marks: dict[str, str] = field(default_factory=dict)
    meta: Mapping[str, Any] | None = None

    async def ask(self, method: str, params: Mapping[str, Any]) -> Answer:
        said = dict(params)
        marks = dict(self.marks)
        if self.meta:
            said["_meta"] = self.meta
            marks["mcp-method"] = method
            marks["mcp-name"] = str(params.get("name", params.get("uri", "")))
        return _read(await self.post(method, said, marks))

    async def post(
        self, method: str, params: Mapping[str, Any], marks: dict[str, str]
    ) -> httpx2.Response:
        accepts = {"accept": "application/json, text/event-stream"}
        body = message(method, params)
        return await self.client.post(self.url, json=body, headers=accepts | marks)


def _read(reply: httpx2.Response) -> Answer:
    answer: Answer = reply.json() if not _is_stream(reply) else _last(reply)
    return answer


def _is_stream(reply: httpx2.Response) -> bool:
    return reply.headers["content-type"].startswith("text/event-stream")


def _last(reply: httpx2.Response) -> Any:
    *_, last = (x for x in reply.text.splitlines() if x.startswith("data: {"))
    return httpx2.Response(200, text=last.removeprefix("data: ")).json()


async def over_sockets(client: httpx2.AsyncClient, url: str) -> dict[str, Session]:
    """Open a session of each era."""
    version = {"mcp-protocol-version": "2025-11-25"}
    fresh = SocketSession(client, url)
    reply = await fresh.post("initialize", HELLO, {})
    session = {"mcp-session-id": reply.headers["mcp-session-id"]}
    later = {"mcp-protocol-version": "2026-07-28"}
    return {
        "http, earlier era": SocketSession(client, url, version | session),
        "http, later era": SocketSession(client, url, later, META),
    }


async def over_wires(site: HttpSite) -> dict[str, WireSession]:
    """Start a process for each era."""
    return {
        "stdio, earlier era": WireSession(await Wire.open(site)),
        "stdio, later era": WireSession(Wire(await start(site)), META),
    }


async def walk(sessions: Mapping[str, Session]) -> dict[tuple[str, str], str]:
    found = {}
    for door, session in sessions.items():
        for name, surface in ASKED.items():
            answer = await session.ask(*surface.asks("way", "target"))
            word = seen(surface, answer)
            if word in HIDDEN:
                twin = await session.ask(*surface.asks("way", "absent"))
                word += unlike(answer, twin)
            found[door, name] = word
    return found


def told(words: Any, doors: Mapping[str, Session]) -> dict[tuple[str, str], str]:
    return {
        (door, name): words.finds if surface.finds else words.runs
        for door in doors
        for name, surface in ASKED.items()
    }


async def test_what_a_command_disables_is_unknown_to_every_process_at_once(
    tmp_path: Path,
) -> None:
    await run_in_thread(lambda: Site(tmp_path).make())
    site = HttpSite(tmp_path)
    wires = await over_wires(site)
    async with (
        site.served() as server,
        httpx2.AsyncClient(headers=site.headers, timeout=30) as client,
    ):
        url = server.url
        live = {**wires, **await over_sockets(client, url)}
        before = await walk(live)
        await site.run("disable", "target/*")
        after = await walk(live)
        new = {**await over_wires(site), **await over_sockets(client, url)}
        fresh = await walk(new)
        ended = [
            await each.wire.close()
            for each in (*live.values(), *new.values())
            if isinstance(each, WireSession)
        ]

    assert before == told(BEFORE, live)
    assert after == told(HIDES, live)
    assert fresh == told(HIDES, new)
    assert ended == [0, 0, 0, 0]
