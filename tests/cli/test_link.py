"""The link for the first account is shown to a person, and only until there is one."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from cli.at_terminal import at_terminal
from cli.conftest import Command
from cli.record_world import ANA, Scripted, make_accounts, make_host

from abilities_host.admin.links import FirstLinks
from abilities_host.cli.exits import Refused
from abilities_host.cli.link import make_link, pages_address
from abilities_host.cli.running import load
from abilities_host.storage.sqlite import open_sqlite

ASKED = b"Type 'link': "
LINK = r"http://127\.0\.0\.1:8765/admin/first\?key=(\S{43})"


def is_good(path: Path, key: str) -> bool:
    async def ask() -> bool:
        async with open_sqlite(path) as store:
            return await FirstLinks(store).is_good(key)

    return asyncio.run(ask())


def test_a_person_at_a_terminal_gets_a_link_that_works(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    ended = at_terminal(tmp_path, "admin", "link", answers=[(ASKED, b"link\n")])
    found = re.search(LINK, ended.screen)
    assert ended.code == 0, ended.screen
    assert found
    assert is_good(loaded.store_path, found[1])
    assert not is_good(loaded.store_path, "another")


def test_who_types_something_else_gets_none(tmp_path: Path) -> None:
    make_host(tmp_path)
    ended = at_terminal(tmp_path, "admin", "link", answers=[(ASKED, b"yes\n")])
    assert ended.code == 3
    assert "No link was made." in ended.screen
    assert "key=" not in ended.screen


def test_no_link_is_given_to_anything_but_a_terminal(
    tmp_path: Path, command: Command
) -> None:
    loaded = make_host(tmp_path)
    ended = command("admin", "link", "--config", loaded.path)
    assert ended.code == 3
    assert "needs a person at a terminal" in " ".join(ended.err.split())
    assert "key=" not in ended.out + ended.err


def test_where_somebody_has_an_account_there_is_no_link(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    make_accounts(loaded, ana=ANA)
    with pytest.raises(
        Refused, match=r"signs in with it at http://127\.0\.0\.1:8765/admin"
    ):
        make_link(loaded, Scripted("link"))


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({}, "http://127.0.0.1:8765/admin"),
        ({"admin__port": 9000}, "http://127.0.0.1:9000/admin"),
        ({"http__address": "::1"}, "http://[::1]:8765/admin"),
        (
            {"http__public_url": "https://abilities.example.org"},
            "https://abilities.example.org/admin",
        ),
    ],
)
def test_the_link_leads_to_where_the_pages_are(
    tmp_path: Path, given: dict[str, Any], address: str
) -> None:
    path = make_host(tmp_path).path
    assert pages_address(load(path, **given).config) == address


@pytest.mark.parametrize("given", [{"admin__enabled": False}, {"http__port": 0}])
def test_where_nobody_knows_the_pages_there_is_no_link(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    path = make_host(tmp_path).path
    with pytest.raises(Refused, match="cannot be reached by a link"):
        make_link(load(path, **given), Scripted())
