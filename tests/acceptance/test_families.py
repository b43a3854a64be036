"""A pack in a file adds a client family; real clients are known by name and version."""

from pathlib import Path
from typing import Any

import pytest
from acceptance.over_http import HttpSite
from acceptance.world import Mode, Site, make_site
from mcp import Client
from mcp.types import Implementation
from server import family_pack

WAYS = pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("legacy", Site),
        ("auto", HttpSite),
        pytest.param("legacy", HttpSite, marks=pytest.mark.long),
        pytest.param("auto", Site, marks=pytest.mark.long),
    ],
)


def furnished(folder: Path, kind: type[Site]) -> Site:
    site = make_site(folder, kind=kind)
    source = Path(str(family_pack.__file__)).read_text(encoding="utf-8")
    pack = folder / "packs" / "family.py"
    pack.write_text(source, encoding="utf-8")
    return site


async def used(client: Client) -> tuple[str, list[str], Any]:
    tools = (await client.list_tools()).tools
    [tool] = [each for each in tools if each.name.startswith("family_")]
    shown = list(tool.input_schema["properties"])
    result = await client.call_tool(tool.name, dict.fromkeys(shown, "x"))
    return tool.name, shown, result.structured_content


@WAYS
@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.1", ("family_put-so_cc8abd10", ["top"])),
        ("1.9", ("family_put-something-on-a-shelf", ["$top"])),
    ],
)
async def test_a_client_is_shown_what_a_packs_family_takes(
    tmp_path: Path,
    kind: type[Site],
    mode: Mode,
    version: str,
    expected: tuple[str, list[str]],
) -> None:
    site = furnished(tmp_path, kind)
    me = Implementation(name="Acme Desktop", version=version)

    async with site.client(mode, client_info=me) as client:
        seen = await used(client)

    assert seen == (*expected, {"$top": "x"})
