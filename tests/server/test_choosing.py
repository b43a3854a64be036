"""The profile of a request: what is said first counts, else who the client is."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client as Session
from mcp import MCPError, StdioServerParameters
from mcp.types import Implementation
from server import family_pack
from server.http_world import (
    GOOD,
    MODERN,
    PATIENCE,
    ask,
    client_of,
    message,
    reconfigure,
    served,
)
from server.world import Mode, connected, write_config

from abilities_host import Client, Profile
from abilities_host.hooks.packs import local_pack
from abilities_host.schema.profiles import AUTO, GENERIC, PROFILES, profile_of_client
from abilities_host.server.choosing import choose

# --- the order --------------------------------------------------------------------

KNOWN = {
    **PROFILES,
    "acme": Profile(name="acme", clients="Acme", names=(Client("acme"),)),
    "acme-2": Profile(name="acme-2", clients="Acme", names=(Client("acme", ">=2"),)),
}
SAID = st.sampled_from(["", *KNOWN])
UNKNOWN = st.sampled_from(["gemin", "Gemini", "auto", "x" * 500, "no\x1bsuch"])
CLIENTS = st.tuples(
    st.sampled_from(["", "acme", "Acme-Desktop", "cursor", "other"]),
    st.sampled_from(["", "1.0", "2.1", "odd"]),
)


@given(st.sampled_from([AUTO, "gone", *KNOWN]), SAID, SAID, CLIENTS)
def test_the_first_that_is_said_counts_else_the_client_else_the_default(
    setting: str, query: str, header: str, client: tuple[str, str]
) -> None:
    chosen = choose(KNOWN, setting=setting, query=query, header=header, client=client)

    said = [name for name in (setting, query, header) if name in KNOWN]
    own = profile_of_client(*client, KNOWN)
    assert chosen is (KNOWN[said[0]] if said else own)
    assert said or client[0] not in ("", "other") or chosen is GENERIC


@given(st.sampled_from([AUTO, "gone", *KNOWN]), SAID, UNKNOWN, CLIENTS, st.booleans())
def test_a_request_for_what_there_is_not_is_an_error_unless_it_is_not_asked(
    setting: str,
    known: str,
    unknown: str,
    client: tuple[str, str],
    is_first: bool,  # noqa: FBT001 - drawn
) -> None:
    query, header = (unknown, known) if is_first else (known, unknown)
    given_them = {"setting": setting, "query": query, "header": header}

    if setting in KNOWN or (known and not is_first):
        chosen = choose(KNOWN, **given_them, client=client)
        assert chosen is KNOWN[setting if setting in KNOWN else known]
    else:
        with pytest.raises(MCPError, match=r"^There is no such profile\. ?"):
            choose(KNOWN, **given_them, client=client)


# --- a pack's family, served ------------------------------------------------------

OVER = pytest.mark.parametrize("over", ["memory", "http", "stdio"])
BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])


@asynccontextmanager
async def reached(
    folder: Path, over: str, mode: Mode, name: str, *, version: str, config: str = ""
) -> AsyncIterator[Session]:
    """Connect the SDK's client, which calls itself so, to a host with the family."""
    me: Any = {"client_info": Implementation(name=name, version=version)}
    family = local_pack("family", family_pack)
    if over == "memory":
        async with connected(folder, mode, family, config=config, **me) as (client, _):
            yield client
    elif over == "http":
        async with (
            served(folder, family, config=config) as (app, _),
            client_of(app, mode, **me) as client,
        ):
            yield client
    else:
        server = await asyncio.to_thread(_lay_out, folder, config)
        async with Session(server, mode=mode, **me) as client:
            yield client


def _lay_out(folder: Path, config: str) -> StdioServerParameters:
    loaded = write_config(folder, f'plugins_dir = "packs"\n{config}')
    packs = folder / "packs"
    packs.mkdir(mode=0o700)
    source = Path(str(family_pack.__file__)).read_text(encoding="utf-8")
    (packs / "family.py").write_text(source, encoding="utf-8")
    words = ["-m", "abilities_host", "stdio", "--config", str(loaded.path)]
    return StdioServerParameters(command=sys.executable, args=words)


async def used(client: Session) -> tuple[list[str], Any]:
    """List the family's tool, call it by the names shown, give names and result."""
    listed = await client.list_tools()
    [schema] = [t.input_schema for t in listed.tools if t.name.startswith("family_")]
    shown = list(schema["properties"])
    [tool] = [t.name for t in listed.tools if t.name.startswith("family_")]
    result = await client.call_tool(tool, dict.fromkeys(shown, "x"))
    assert not result.is_error, result
    return [tool, *shown], result.structured_content


SHORT = "family_put-so_cc8abd10"
WHOLE = "family_put-something-on-a-shelf"


@OVER
@BOTH
@pytest.mark.parametrize(
    ("version", "shown"),
    [("2.1", [SHORT, "top"]), ("1.9", [WHOLE, "$top"]), ("odd", [WHOLE, "$top"])],
)
async def test_a_client_of_a_packs_family_is_shown_what_its_version_takes(
    tmp_path: Path, over: str, mode: Mode, version: str, shown: list[str]
) -> None:
    async with reached(tmp_path, over, mode, "Acme Desktop", version=version) as client:
        names, result = await used(client)

    assert names == shown
    assert result == {"$top": "x"}


@OVER
async def test_the_servers_own_setting_may_be_a_packs_family(
    tmp_path: Path, over: str
) -> None:
    config = '[server]\nprofile = "acme-2"'
    async with reached(
        tmp_path, over, "auto", "cursor", version="1", config=config
    ) as client:
        assert await used(client) == ([SHORT, "top"], {"$top": "x"})


@OVER
async def test_a_setting_that_there_is_not_leaves_it_to_the_client(
    tmp_path: Path, over: str
) -> None:
    config = '[server]\nprofile = "acme-3"'
    async with reached(
        tmp_path, over, "auto", "acme", version="2", config=config
    ) as client:
        assert await used(client) == ([SHORT, "top"], {"$top": "x"})


LIST = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


async def asked(app: Any, path: str, *headers: tuple[bytes, bytes]) -> Any:
    body = message("tools/list", LIST)
    said = (*GOOD, MODERN, (b"mcp-method", b"tools/list"), *headers)
    reply = await ask(app, path=path, headers=said, body=body)
    return reply.json


@pytest.mark.parametrize(
    ("path", "header"),
    [("/mcp?profile=acme-2", b"gemini"), ("/mcp", b"acme-2")],
)
async def test_a_request_may_ask_for_a_packs_family(
    tmp_path: Path, path: str, header: bytes
) -> None:
    async with served(tmp_path, local_pack("family", family_pack)) as (app, _):
        reply = await asked(app, path, (b"abilities-profile", header))

    assert [tool["name"] for tool in reply["result"]["tools"]] == [SHORT]


async def test_a_request_for_no_family_is_told_of_the_packs_too(tmp_path: Path) -> None:
    async with served(tmp_path, local_pack("family", family_pack)) as (app, _):
        near = await asked(app, "/mcp?profile=acme-3")
        far = await asked(app, "/mcp?profile=zzz")

    said = "There is no such profile."
    assert near["error"]["message"] == f"{said} Did you mean 'acme-2'?"
    assert far["error"]["message"] == (
        f"{said} There are: generic, anthropic, openai, openai-strict, gemini, vscode, "
        "cursor, acme-2."
    )


async def test_a_setting_that_becomes_unknown_is_a_warning_and_like_auto(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = '[server]\nprofile = "acme-2"'
    family = local_pack("family", family_pack)
    with caplog.at_level(logging.WARNING):
        async with served(tmp_path, family, config=config) as (app, host):
            before = await asked(app, "/mcp")
            await reconfigure(host, "acme-2", "acme-9")
            after = await asked(app, "/mcp")
            with anyio.fail_after(PATIENCE):
                while "acme-9" not in caplog.text:
                    await anyio.sleep(0.01)

    assert [t["name"] for t in before["result"]["tools"]] == [SHORT]
    assert [t["name"] for t in after["result"]["tools"]] == [WHOLE]
    assert "Did you mean 'acme-2'?" in caplog.text
