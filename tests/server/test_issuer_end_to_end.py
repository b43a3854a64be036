"""An issuer, a host and the SDK's own client, from no token to a listing of tools."""

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from server.http_world import (
    ACCEPT,
    HELLO,
    HOST,
    JSON,
    TOKEN,
    ask,
    message,
)
from server.issuer_client import Kept, login
from server.issuer_world import Issuer, issuing
from server.world import READ, Mode, described, pack, running

from abilities_host import Call
from abilities_host.server.http import HttpApp, serve_host


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


async def who(arguments: object, call: Call) -> dict[str, str]:
    return {"actor": call.actor.id}


WHO = pack(
    ("test/who", described(who, meta=READ)),
    ("test/set", described(who)),
)


@dataclass(frozen=True)
class World:
    """A host on a real port.

    Streams do not end, so a client that waits for whole responses sees none.
    """

    app: HttpApp
    base: str

    @property
    def mcp(self) -> str:
        return f"{self.base}/mcp"


@asynccontextmanager
async def served(folder: Path, issuer: Issuer, more: str = "") -> AsyncIterator[World]:
    """Serve a host that believes an issuer."""
    config = f"""
[http.issuer]
url = "{issuer.url}"
[http.issuer.scopes]
"tools.see" = ["read"]
"tools.use" = ["read", "write"]
{more}
"""
    async with running(folder, WHO, config=config) as host:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            base = f"http://127.0.0.1:{listener.getsockname()[1]}"
            app = serve_host(host, base, token=TOKEN)
            async with app.running(), listening(app, listener):
                yield World(app, base)


@asynccontextmanager
async def listening(app: HttpApp, listener: socket.socket) -> AsyncIterator[None]:
    """Answer at a port for as long as it is entered."""
    server = uvicorn.Server(
        uvicorn.Config(app, lifespan="off", ws="none", log_config=None)
    )
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: server.serve(sockets=[listener]))
        yield
        await app.stop(0.1)
        server.should_exit = True


@asynccontextmanager
async def signed_in(address: str, mode: Mode, kept: Kept) -> AsyncIterator[Client]:
    """Connect the SDK's client, which gets its token itself."""
    async with httpx2.AsyncClient(auth=login(kept, address)) as http:
        transport = streamable_http_client(address, http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


async def tools(client: Client) -> list[str]:
    return sorted(tool.name for tool in (await client.list_tools()).tools)


async def status_with(app: HttpApp, token: str, path: str = "/mcp") -> tuple[int, str]:
    """Show a token; say the status and the challenge."""
    shown = (b"authorization", f"Bearer {token}".encode())
    body = message("initialize", HELLO)
    reply = await ask(app, "POST", path, headers=(HOST, shown, JSON, ACCEPT), body=body)
    return reply.status, (reply.value(b"www-authenticate") or b"").decode()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_that_knows_the_address_alone_lists_and_calls(
    tmp_path: Path, issuer: Issuer, mode: Mode
) -> None:
    kept = Kept()
    async with (
        served(tmp_path, issuer) as world,
        signed_in(world.mcp, mode, kept) as client,
    ):
        listed = await tools(client)
        answer = await client.call_tool("test_who", {})

    place = issuer.url.removeprefix("http://")
    assert listed == ["test_set", "test_who"]
    assert answer.structured_content == {"actor": f"{place}|ada"}
    assert kept.tokens is not None
    assert kept.tokens.scope == "tools.see tools.use"


async def test_what_the_issuer_does_not_grant_is_not_listed(
    tmp_path: Path, issuer: Issuer
) -> None:
    kept = Kept()
    async with served(tmp_path, issuer) as world:
        async with signed_in(world.mcp, "auto", kept) as client:
            await tools(client)
        assert kept.tokens is not None
        found = []
        for scope in ("tools.see", "tools.none", ""):
            kept.tokens.access_token = issuer.token(aud=world.mcp, scope=scope)
            async with signed_in(world.mcp, "auto", kept) as client:
                found.append(await tools(client))

    assert found == [["test_who"], [], []]


async def test_each_server_asks_for_a_token_of_its_own(
    tmp_path: Path, issuer: Issuer
) -> None:
    further = '[[servers]]\nid = "team"\nrequires = "write"\n'
    async with served(tmp_path, issuer, further) as world:
        here, there = issuer.token(aud=world.mcp), issuer.token(aud=f"{world.mcp}/team")
        found = [
            (await status_with(world.app, token, path))[0]
            for token in (here, there)
            for path in ("/mcp", "/mcp/team")
        ]
        weak = issuer.token(aud=f"{world.mcp}/team", scope="tools.see")
        refused = await status_with(world.app, weak, "/mcp/team")
        async with signed_in(f"{world.mcp}/team", "auto", Kept()) as client:
            listed = await tools(client)

    assert found == [200, 401, 401, 200]
    assert refused[0] == 403
    assert refused[1].startswith(
        'Bearer error="insufficient_scope", scope="tools.use", resource_metadata='
    )
    assert listed == ["test_set", "test_who"]


async def test_a_token_for_another_server_of_the_issuer_is_refused(
    tmp_path: Path, issuer: Issuer
) -> None:
    token = issuer.token(aud="https://example.org/mcp")
    async with served(tmp_path, issuer) as world:
        found = await status_with(world.app, token)

    place = f"{world.base}/.well-known/oauth-protected-resource/mcp"
    assert found == (
        401,
        f'Bearer error="invalid_token", resource_metadata="{place}"',
    )


async def test_the_token_of_this_machine_still_lets_in(
    tmp_path: Path, issuer: Issuer
) -> None:
    async with served(tmp_path, issuer) as world:
        found = [
            (await status_with(world.app, token))[0] for token in (TOKEN, "a.b.c", "x")
        ]
        nobody = await ask(world.app, headers=(HOST, JSON, ACCEPT))

    assert found == [200, 401, 401]
    assert nobody.status == 401
    assert issuer.asked == {}


async def test_a_server_is_described_at_both_places_to_anybody(
    tmp_path: Path, issuer: Issuer
) -> None:
    well_known = "/.well-known/oauth-protected-resource"
    async with served(tmp_path, issuer) as world:
        found = [
            await ask(world.app, "GET", well_known + path, headers=(HOST,))
            for path in ("", "/mcp", "/other")
        ]
        foreign = [(b"host", b"evil.example.org")]
        stranger = await ask(world.app, "GET", well_known, headers=foreign)

    assert [reply.status for reply in (*found, stranger)] == [200, 200, 404, 421]
    assert (
        found[0].json
        == found[1].json
        == {
            "resource": world.mcp,
            "resource_name": "Abilities",
            "authorization_servers": [issuer.url],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["tools.see", "tools.use"],
        }
    )


async def test_a_new_token_goes_on_where_the_old_one_was(
    tmp_path: Path, issuer: Issuer
) -> None:
    kept = Kept()
    async with (
        served(tmp_path, issuer) as world,
        signed_in(world.mcp, "legacy", kept) as client,
    ):
        first = await tools(client)
        assert kept.tokens is not None
        kept.tokens.access_token = issuer.token(aud=world.mcp, jti="second")
        again = await tools(client)

    assert first == again == ["test_set", "test_who"]
