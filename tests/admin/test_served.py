"""The process of `abilities serve` has the pages where the configuration wants them."""

import asyncio
import socket
from pathlib import Path

import httpx2
from acceptance.over_http import HttpSite
from acceptance.world import make_site


def site_of(folder: Path, config: str) -> HttpSite:
    site = make_site(folder, kind=HttpSite)
    assert isinstance(site, HttpSite)
    with (site.folder / "abilities.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n[admin]\n{config}\n")
    return site


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def answers(base: str, *paths: str) -> list[int]:
    async with httpx2.AsyncClient() as http:
        return [(await http.get(base + path)).status_code for path in paths]


async def test_a_served_host_has_the_pages_and_shows_no_link(tmp_path: Path) -> None:
    site = await asyncio.to_thread(site_of, tmp_path, "enabled = true")
    async with site.served() as server:
        base = server.url.removesuffix("/mcp")
        codes = await answers(base, "/admin/login", "/admin", "/mcp/admin")
        said = server.errors
    assert codes == [200, 303, 404]
    assert "/admin" not in said


async def test_pages_that_are_not_wanted_are_not_there(tmp_path: Path) -> None:
    site = await asyncio.to_thread(site_of, tmp_path, "enabled = false\nport = 1")
    async with site.served() as server:
        codes = await answers(server.url.removesuffix("/mcp"), "/admin/login", "/admin")
    assert codes == [404, 404]


async def test_pages_with_a_port_of_their_own_are_nowhere_else(tmp_path: Path) -> None:
    port = free_port()
    site = await asyncio.to_thread(site_of, tmp_path, f"port = {port}")
    async with site.served() as server:
        base = server.url.removesuffix("/mcp")
        own = await answers(f"http://127.0.0.1:{port}", "/admin/login", "/healthz")
        others = await answers(base, "/admin/login", "/healthz")
    assert own == [200, 404]
    assert others == [404, 200]
