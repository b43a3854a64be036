"""Serving checks: what ``doctor`` sees of serving over HTTP on this machine."""

import http.client
import json
import os
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, Literal, NamedTuple
from urllib.parse import urlsplit

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from abilities_host.calls import Actor
from abilities_host.cli.findings import Finding
from abilities_host.cli.ports import is_free, near
from abilities_host.errors import StartRefused, listed
from abilities_host.server.eras import LEGACY, MODERN, Era
from abilities_host.server.exposure import LOCALHOST as ADDRESS
from abilities_host.server.http import PATH, HttpApp, build_app
from abilities_host.server.spec import ServerSpec
from abilities_host.server.tokens import ensure_token

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig, ServerSettings
    from abilities_host.host import Host

Mode = Literal["auto", "legacy"]

SECONDS: Final = 10.0

_HEALTH_SECONDS: Final = 1.0
_HEALTH_BYTES: Final = 1024
_FOREIGN: Final = "foreign.invalid"
_MODES: Final[Mapping[Era, Mode]] = {MODERN: "auto", LEGACY: "legacy"}
_FAILED_FIX: Final = (
    "abilities -v serve shows what fails, abilities list --tokens what is large"
)


def check_serving(loaded: "LoadedConfig") -> Iterator[Finding]:
    """Look at the token, at the port and at what stands before it.

    Args:
        loaded: the configuration; ``[http]`` says where it listens.

    Yields:
        What was seen.
    """
    from abilities_host.cli.network_checks import check_network  # noqa: PLC0415 - for this command only

    yield _check_token(loaded)
    address, port = loaded.config.http.address, loaded.config.http.port
    port_finding = _check_port(near(address), port)
    yield port_finding
    yield from check_network(loaded, is_serving=_is_host(near(address), port))


async def check_requests(host: "Host") -> list[Finding]:
    """Serve in this process, and send real requests as clients of both eras do.

    Args:
        host: the running host.

    Returns:
        What came of it; nothing for a server that is switched off.
    """
    token = secrets.token_urlsafe()
    config = host.config
    required = {each.requires for each in config.all_servers if each.requires}
    scopes = config.actors.http.actor("agent").scopes | required
    client = Actor("doctor", "agent", scopes)
    app = build_app(host, verify={token: client}.get)
    found: list[Finding] = []
    async with app.running():
        for number, server in enumerate(config.all_servers):
            if config.kill_switch or not server.enabled:
                continue
            route = server.path(is_first=number == 0)
            expected = await _expected(host, server.id, client)
            for era in _MODES:
                asked = _Asked(server.id, route, era, expected)
                found.append(await _ask(app, token, asked))
            found += _check_counts(host, server, expected)
        found += await _check_names(app, host)
    return found


class _Asked(NamedTuple):
    """What a client of one era asks of one server, and how many tools it should see."""

    server: str
    route: str
    era: Era
    expected: int


def _check_counts(
    host: "Host", server: "ServerSettings", count: int
) -> Iterator[Finding]:
    """Families that take fewer tools than there are lose some, and say nothing."""
    is_open = server.profile not in host.profiles
    over = [
        each
        for each in host.profiles.values()
        if is_open or each.name == server.profile
        if each.tools is not None and count > each.tools
    ]
    if server.compact == "off" and over:
        takes = listed(f"{each.name} {each.tools}" for each in over)
        sentence = (
            f"The server {server.id!r} lists {count} tools; clients take: {takes}."
        )
        fix = "switch some off, or make the server compact = true"
        yield Finding("warning", "clients", sentence, fix)


async def _check_names(app: HttpApp, host: "Host") -> list[Finding]:
    """Send a request under each name that clients may use, and under a foreign one."""
    http = host.config.http
    public = urlsplit(http.public_url).netloc
    names = [name for name in (*http.hosts, public) if name and "*" not in name]
    wire = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=wire) as sender:
        statuses = {
            name: (
                await sender.get(f"http://{ADDRESS}/healthz", headers={"Host": name})
            ).status_code
            for name in (*names, _FOREIGN)
        }
    wrong = [name for name in names if statuses[name] != httpx2.codes.OK]
    if wrong or statuses[_FOREIGN] != httpx2.codes.MISDIRECTED_REQUEST:
        sentence = f"Names are not told apart as [http] says: {listed(wrong)}."
        return [Finding("error", "names", sentence, "abilities config")]
    sentence = f"It answers to {listed((ADDRESS, *names))}, and to no foreign name."
    return [Finding("ok", "names", sentence)]


def _check_token(loaded: "LoadedConfig") -> Finding:
    path = loaded.token_path
    if not os.path.lexists(path):
        sentence = f"{path} does not exist yet; abilities serve makes it."
        return Finding("info", "token", sentence)
    try:
        ensure_token(path)
    except StartRefused as error:
        return Finding("error", "token", error.sentence, f"rm '{path}'")
    return Finding("ok", "token", f"{path} can be read by you only.")


def _check_port(address: str, port: int) -> Finding:
    place = f"{address}:{port}"
    if port == 0 or is_free(address, port):
        return Finding("ok", "port", f"{place} is free for abilities serve.")
    if _is_host(address, port):
        return Finding("ok", "port", f"A host serves at {place}.")
    sentence = f"{place} belongs to another program, so abilities serve cannot have it."
    return Finding("warning", "port", sentence, "abilities serve --port 0")


def _is_host(address: str, port: int) -> bool:
    """Ask for its health only: who else may listen there must not see the token."""
    connection = http.client.HTTPConnection(address, port, timeout=_HEALTH_SECONDS)
    try:
        connection.request("GET", "/healthz")
        answer = json.loads(connection.getresponse().read(_HEALTH_BYTES))
    except (OSError, ValueError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return isinstance(answer, dict) and answer.keys() == {"ok"}


async def _expected(host: "Host", server: str, actor: Actor) -> int:
    spec = ServerSpec.from_host(host, server)
    visible = await host.list_abilities(actor, server)
    tools = (ability for ability in visible if ability.component.kind == "tool")
    return sum(spec.exposes(ability.name) for ability in tools)


async def _ask(app: HttpApp, token: str, asked: _Asked) -> Finding:
    at = "" if asked.route == PATH else f" at {asked.route}"
    try:
        with anyio.fail_after(SECONDS):
            async with _client(app, token, asked) as client:
                spoken = client.protocol_version
                seen = len((await client.list_tools()).tools)
    except Exception as error:  # noqa: BLE001 - whatever it is, a client would meet it
        while isinstance(error, ExceptionGroup):  # the SDK's task groups
            error = error.exceptions[0]
        reason = f"{type(error).__name__}: {error}"
        sentence = f"A client of {asked.era} could not list over HTTP{at}: {reason}"
        return Finding("error", "request", sentence, _FAILED_FIX)
    sentence = (
        f"A client of {spoken} sees {seen} of {asked.expected} tools over HTTP{at}."
    )
    if seen == asked.expected:
        return Finding("ok", "request", sentence)
    fix = "raise [limits] listing_bytes, or write [server] compact = true"
    return Finding("warning", "request", sentence, fix)


@asynccontextmanager
async def _client(app: HttpApp, token: str, asked: _Asked) -> AsyncIterator[Client]:
    """Connect without a socket, through everything else that a request meets."""
    wire = httpx2.ASGITransport(app=app)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(transport=wire, headers=headers) as sender:
        url = f"http://{ADDRESS}{asked.route}"
        transport = streamable_http_client(url, http_client=sender)
        async with Client(transport, mode=_MODES[asked.era]) as client:
            yield client
