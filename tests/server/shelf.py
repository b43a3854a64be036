"""What a test of resources and prompts stands in: the shelf, over each transport."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, get_args

import pytest
from mcp import Client, MCPError, StdioServerParameters
from server import shelf_pack
from server.http_world import client_of, served
from server.world import Mode, connected, write_config

from abilities_host.hooks.packs import Pack, local_pack

Over = Literal["memory", "http", "stdio"]

EACH = pytest.mark.parametrize(
    ("over", "mode"),
    [(over, mode) for over in ("memory", "http") for mode in ("auto", "legacy")],
)
EVERYWHERE = pytest.mark.parametrize(
    ("over", "mode"),
    [(over, mode) for over in get_args(Over) for mode in ("auto", "legacy")],
)
# The in-process HTTP of the tests gives a response only when it is whole.
ASKING = pytest.mark.parametrize(
    ("over", "mode"),
    [("memory", "auto"), ("memory", "legacy"), ("stdio", "legacy"), ("http", "auto")],
)
BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])


def shelf() -> Pack:
    """Give the pack, found as a module."""
    return local_pack("shelf", shelf_pack)


@asynccontextmanager
async def reached(
    folder: Path, over: Over, mode: Mode, **options: Any
) -> AsyncIterator[Client]:
    """Connect the SDK's client to a host with the shelf."""
    if over == "memory":
        async with connected(folder, mode, shelf(), **options) as (client, _):
            yield client
    elif over == "http":
        async with (
            served(folder, shelf()) as (app, _),
            client_of(app, mode, **options) as client,
        ):
            yield client
    else:
        server = await asyncio.to_thread(_lay_out, folder)
        async with Client(server, mode=mode, **options) as client:
            yield client


def _lay_out(folder: Path) -> StdioServerParameters:
    loaded = write_config(folder, 'plugins_dir = "packs"')
    packs = folder / "packs"
    packs.mkdir(mode=0o700)
    source = Path(str(shelf_pack.__file__)).read_text(encoding="utf-8")
    (packs / "shelf.py").write_text(source, encoding="utf-8")
    words = ["-m", "abilities_host", "stdio", "--config", str(loaded.path)]
    return StdioServerParameters(command=sys.executable, args=words)


async def error_of(asking: Any) -> tuple[int, str, Any]:
    """Give code, message and data of a request that must fail."""
    with pytest.raises(MCPError) as caught:
        await asking
    error = caught.value.error
    return error.code, error.message, error.data
