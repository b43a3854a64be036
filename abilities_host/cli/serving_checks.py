"""Serving checks: what ``doctor`` sees of serving over HTTP on this machine."""

import http.client
import json
import os
import secrets
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, Literal

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from abilities_host.cli.findings import Finding
from abilities_host.errors import StartRefused
from abilities_host.server.eras import LEGACY, MODERN, Era
from abilities_host.server.http import PATH, HttpApp, build_app
from abilities_host.server.serving import ADDRESS, PORT
from abilities_host.server.spec import ServerSpec
from abilities_host.server.tokens import ensure_token

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host

Mode = Literal["auto", "legacy"]

SECONDS: Final = 10.0

_URL: Final = f"http://{ADDRESS}:{PORT}{PATH}"
_HEALTH_SECONDS: Final = 1.0
_HEALTH_BYTES: Final = 1024
_MODES: Final[Mapping[Era, Mode]] = {MODERN: "auto", LEGACY: "legacy"}
_FAILED_FIX: Final = (
    "abilities -v serve shows what fails, abilities list --tokens what is large"
)


def check_serving(loaded: "LoadedConfig", port: int = PORT) -> Iterator[Finding]:
    """Look at the token and at the port.

    Args:
        loaded: the configuration.
        port: where ``abilities serve`` listens by default.

    Yields:
        What was seen.
    """
    yield _check_token(loaded)
    yield _check_port(port)


async def check_requests(host: "Host") -> list[Finding]:
    """Serve in this process, and send real requests as clients of both eras do.

    Args:
        host: the running host.

    Returns:
        What came of it; nothing for a server that is switched off.
    """
    config = host.config
    if config.kill_switch or not config.server.enabled:
        return []
    expected = await _expected(host)
    token = secrets.token_urlsafe()
    app = build_app(host, token=token)
    async with app.running():
        return [await _ask(app, token, era, expected) for era in _MODES]


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


def _check_port(port: int) -> Finding:
    place = f"{ADDRESS}:{port}"
    if _is_free(port):
        return Finding("ok", "port", f"{place} is free for abilities serve.")
    if _is_host(port):
        return Finding("ok", "port", f"A host serves at {place}.")
    sentence = f"{place} belongs to another program, so abilities serve cannot have it."
    return Finding("warning", "port", sentence, "abilities serve --port 0")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        if os.name == "posix":  # elsewhere it would take a port that is in use
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError:
            return False
    return True


def _is_host(port: int) -> bool:
    """Ask for its health only: who else may listen there must not see the token."""
    connection = http.client.HTTPConnection(ADDRESS, port, timeout=_HEALTH_SECONDS)
    try:
        connection.request("GET", "/healthz")
        answer = json.loads(connection.getresponse().read(_HEALTH_BYTES))
    except (OSError, ValueError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return isinstance(answer, dict) and answer.keys() == {"ok"}


async def _expected(host: "Host") -> int:
    spec, actor = ServerSpec.from_host(host), host.config.actors.http.actor("agent")
    visible = await host.list_abilities(actor, spec.id)
    tools = (ability for ability in visible if ability.component.kind == "tool")
    return sum(spec.exposes(ability.name) for ability in tools)


async def _ask(app: HttpApp, token: str, era: Era, expected: int) -> Finding:
    try:
        with anyio.fail_after(SECONDS):
            async with _client(app, token, _MODES[era]) as client:
                spoken = client.protocol_version
                seen = len((await client.list_tools()).tools)
    except Exception as error:  # noqa: BLE001 - whatever it is, a client would meet it
        while isinstance(error, ExceptionGroup):  # the SDK's task groups
            error = error.exceptions[0]
        reason = f"{type(error).__name__}: {error}"
        sentence = f"A client of {era} could not list over HTTP: {reason}"
        return Finding("error", "request", sentence, _FAILED_FIX)
    sentence = f"A client of {spoken} sees {seen} of {expected} tools over HTTP."
    if seen == expected:
        return Finding("ok", "request", sentence)
    fix = "raise [limits] listing_bytes, or write [server] compact = true"
    return Finding("warning", "request", sentence, fix)


@asynccontextmanager
async def _client(app: HttpApp, token: str, mode: Mode) -> AsyncIterator[Client]:
    """Connect without a socket, through everything else that a request meets."""
    wire = httpx2.ASGITransport(app=app)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(transport=wire, headers=headers) as sender:
        transport = streamable_http_client(_URL, http_client=sender)
        async with Client(transport, mode=mode) as client:
            yield client
