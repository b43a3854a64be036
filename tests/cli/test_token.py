"""`token` makes, lists, replaces and ends what clients show, and the record says so."""

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import Command, Ended
from cli.record_world import (
    FAILING,
    RECORD,
    SILENT,
    make_accounts,
    make_host,
)
from cli.world import make_demo

from abilities_host.cli.running import load
from abilities_host.config import HostConfig
from abilities_host.connecting import client_settings
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.tokens import Change, Refusal, TokenBook, TokenRecord, Tokens, now

SHAPE = r"abl_[a-z0-9]{8}_[A-Za-z0-9_-]{43}"


def entries(command: Command, config: Path) -> list[dict[str, Any]]:
    printed = command("ledger", "export", "--config", config).out
    return [json.loads(line) for line in printed.splitlines()]


def test_a_person_sees_the_token_once_with_what_a_client_needs(
    tmp_path: Path, command: Command
) -> None:
    config = make_host(tmp_path).path

    made = command("token", "create", "ci-bot", "--expires", "30d", "--config", config)
    listed = command("token", "list", "--config", config)

    [value] = set(re.findall(SHAPE, made.out))
    settings = {
        "type": "http",
        "url": "http://127.0.0.1:8765/mcp",
        "headers": {"Authorization": f"Bearer {value}"},
    }
    wire = json.dumps({"mcpServers": {"abilities": settings}}, indent=2)
    told = (
        "The token ci-bot is made: role agent; it ends in 30 days.\n"
        "It is shown this once, and nobody can look it up:\n\n"
        f"{value}\n\nThe configuration of an MCP client:\n\n{wire}\n"
    )
    table = (
        "NAME    PREFIX        MAY         SERVER  EXPIRES     LAST USE  STATE\n"
        f"ci-bot  {value[:12]}  role agent  every   in 30 days  never     live\n"
    )
    assert made == (0, told, "")
    assert listed == (0, table, "")


def test_every_change_is_in_the_record_and_no_secret_anywhere(
    tmp_path: Path, command: Command
) -> None:
    config = make_host(tmp_path).path

    def token(*arguments: str) -> Ended:
        return command("-v", "token", *arguments, "--json", "--config", config)

    made = token("create", "bot", "--scope", "write", "--scope", "read")
    rotated = token("rotate", "bot", "--grace", "1h", "--expires", "2h")
    revoked = token("revoke", "bot")
    listed = token("list", "--all")
    exported = entries(command, config)

    first, second = made.value["id"], rotated.value["id"]
    assert revoked.value == {"name": "bot", "revoked": [first, second]}
    told = [
        (e["kind"], e["actor"], e["action"], e["target"], e["details"])
        for e in exported
    ]
    same = {"scopes": ["read", "write"], "role": "", "server": ""}
    made_of = {**same, "id": first, "expires_at": None, "ended": []}
    ends = {"expires_at": rotated.value["expires_at"], "ended": [first]}
    rotated_to = {**same, **ends, "id": second}
    assert told == [
        ("access", "cli", "created", "bot", made_of),
        ("access", "cli", "rotated", "bot", rotated_to),
        ("access", "cli", "revoked", "bot", {**rotated_to, "ended": [first, second]}),
    ]
    assert all(e["session"].startswith("cli-") for e in exported)
    said = f"{listed}{revoked}{exported}{made.err}{rotated.err}"
    for ended in (made, rotated):
        assert re.fullmatch(SHAPE, ended.value["token"])
        assert ended.value["token"][13:] not in said


def test_json_says_all_that_may_be_known(tmp_path: Path, command: Command) -> None:
    config = make_host(tmp_path).path

    before = now()
    made = command("token", "create", "bot", "--json", "--config", config).value
    after = now()
    listed = command("token", "list", "--json", "--config", config).value

    value = made.pop("token")
    assert listed == [made]
    assert before <= made.pop("created_at") <= after
    assert made == {
        "id": value[4:12],
        "prefix": value[:12],
        "name": "bot",
        "state": "live",
        "scopes": [],
        "role": "agent",
        "server": "",
        "created_by": "cli",
        "expires_at": None,
        "revoked_at": None,
        "revoked_by": "",
        "rotated_from": "",
        "rotated_to": "",
        "used_at": None,
    }


def test_what_has_ended_is_listed_only_when_asked(
    tmp_path: Path, command: Command
) -> None:
    config = make_host(tmp_path).path

    def token(*arguments: str) -> Ended:
        return command("token", *arguments, "--config", config)

    none = token("list")
    token("create", "bot")
    rotated = token("rotate", "bot")
    short = token("list")
    revoked = token("revoke", "bot")
    nothing, every = token("list"), token("list", "--all")

    hint = "There is no token yet. Make one: abilities token create NAME\n"
    ended = "No token is valid. Those that have ended: abilities token list --all\n"
    assert (none.out, nothing.out) == (hint, ended)
    assert rotated.out.endswith("\n\nThe old one has ended.\n")
    assert len(short.out.splitlines()) == 2
    assert [line.split()[-1] for line in every.out.splitlines()] == [
        "STATE",
        "revoked",
        "revoked",
    ]
    assert re.fullmatch(r"The token bot has ended: abl_[a-z0-9]{8}\.\n", revoked.out)


UNKNOWN_SCOPE = (
    "Nothing here asks for the scope 'demo:amdin'. Did you mean 'demo:admin'? Give it "
    "all the same with --force."
)
NO_SCOPE = (
    "A scope is written such as 'read', 'write' or 'notes:write', with * for one whole "
    "part; a token has at most 100 of them."
)
NO_DURATION = (
    "Invalid value: 'soon' is no duration, such as 30d, 12h or 90m, of at most 100 "
    "years. See 'abilities token create --help'."
)
REFUSED = [
    (("--role", "agnet"), 3, "There is no role 'agnet'. Did you mean 'agent'?"),
    (("--role", "audito"), 3, "There is no role 'audito'. Did you mean 'auditor'?"),
    (("--server", "taem"), 3, "There is no server 'taem'. Did you mean 'team'?"),
    (("--scope", "demo:amdin"), 3, UNKNOWN_SCOPE),
    (("--scope", "Read", "--force"), 2, NO_SCOPE),
    (("--expires", "soon"), 2, NO_DURATION),
]


@pytest.mark.parametrize(("options", "code", "sentence"), REFUSED)
def test_a_mistake_is_guessed_and_nothing_is_made(
    tmp_path: Path,
    command: Command,
    options: tuple[str, ...],
    code: int,
    sentence: str,
) -> None:
    end = '[roles]\nauditor = ["read"]\n[[servers]]\nid = "team"'
    config = make_demo(tmp_path, end=end)

    ended = command("token", "create", "x", *options, "--config", config)
    listed = command("token", "list", "--all", "--json", "--config", config)

    assert (ended, listed.value) == ((code, "", f"error: {sentence}\n"), [])


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("terminal", "is the id of [actors.cli],"),
        ("http", "is the id of [actors.http],"),
        ("host", "is what the record calls the host itself,"),
        ("ana", "is the account of a person,"),
    ],
)
def test_a_name_that_the_record_has_for_somebody_else_is_refused(
    tmp_path: Path, command: Command, name: str, whose: str
) -> None:
    config = make_demo(tmp_path, end='[actors.cli]\nid = "terminal"')
    make_accounts(load(config), ana="four words of ana")

    ended = command("token", "create", name, "--config", config)

    assert (ended.code, ended.out) == (3, "")
    assert ended.err.startswith(f"error: {name!r} {whose} and the record could not ")


def test_scopes_of_packs_roles_and_servers_are_known_and_others_forced(
    tmp_path: Path, command: Command
) -> None:
    end = """
[roles]
auditor = ["audit:read"]
[[servers]]
id = "other"
[[servers]]
id = "t"
requires = "in"
"""
    config = make_demo(tmp_path, end=end)
    known = ("demo:admin", "demo:*", "*:admin", "audit:read", "in", "ledger:force")
    scopes = [word for scope in known for word in ("--scope", scope)]

    made = command("token", "create", "a", *scopes, "--json", "--config", config)
    more = ("--scope", "far:away", "--role", "viewer", "--force", "--server", "t")
    forced = command("token", "create", "b", *more, "--config", config)

    assert made.value["scopes"] == sorted(known)
    assert (made.value["role"], forced.code) == ("", 0)
    assert forced.out.startswith(
        "The token b is made: role viewer, far:away; it never ends.\n"
    )
    assert '"url": "http://127.0.0.1:8765/mcp/t"' in forced.out


def test_a_name_is_given_once_and_an_unknown_one_is_guessed(
    tmp_path: Path, command: Command
) -> None:
    config = make_host(tmp_path).path

    def token(*arguments: str) -> Ended:
        return command("token", *arguments, "--config", config)

    token("create", "build-bot")
    again, unknown = token("create", "build-bot"), token("revoke", "build-bto")
    long, bad = token("rotate", "build-bot", "--grace", "8d"), token("create", "B")

    assert (again.code, unknown.code, long.code, bad.code) == (3, 3, 3, 2)
    assert again.err.startswith("error: There is a token 'build-bot' already.")
    assert unknown.err == (
        "error: There is no token 'build-bto'. Did you mean 'build-bot'?\n"
    )
    assert "for 7 days at most" in long.err


@pytest.mark.parametrize("pack", [RECORD, SILENT])
def test_a_token_revoked_by_command_is_refused_by_a_running_host(
    tmp_path: Path, command: Command, pack: str
) -> None:
    """With a record and without one; the book is that of the host."""
    loaded = make_host(tmp_path, pack)
    config = loaded.path
    value = command("token", "create", "bot", "--json", "--config", config).value

    async def serve() -> list[TokenRecord | Refusal]:
        async with open_sqlite(loaded.store_path) as store:
            book = TokenBook(Tokens(store), store)
            before = await book.find(value["token"], now())
            words = ("token", "revoke", "bot", "--config", str(config))
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "abilities_host", *words, stdout=-3
            )
            assert await process.wait() == 0
            return [before, await book.find(value["token"], now())]

    before, after = asyncio.run(serve())

    assert isinstance(before, TokenRecord)
    assert after == Refusal("revoked")


def test_what_cannot_be_recorded_is_an_error_and_no_token_is_shown(
    tmp_path: Path, command: Command
) -> None:
    config = make_host(tmp_path, FAILING).path

    ended = command("token", "create", "bot", "--config", config)

    assert ended == (4, "", "error: Store s.db: the disk is full.\n")


@pytest.mark.parametrize(
    ("http", "url"),
    [
        ({}, "http://127.0.0.1:8765/mcp"),
        ({"address": "0.0.0.0", "port": 80}, "http://127.0.0.1:80/mcp"),  # noqa: S104 - not listened on
        ({"address": "::1"}, "http://[::1]:8765/mcp"),
        ({"address": "localhost"}, "http://localhost:8765/mcp"),
        ({"public_url": "https://example.org/"}, "https://example.org/mcp"),
    ],
)
def test_the_client_is_told_an_address_that_it_can_reach(
    http: dict[str, object], url: str
) -> None:
    record = TokenRecord(
        id="x", name="x", scopes=(), role="", server="", created_at=0, created_by=""
    )
    change = Change(action="created", record=record, value="v")

    settings = client_settings(change, HostConfig.model_validate({"http": http}))

    assert settings["mcpServers"]["abilities"]["url"] == url


def test_without_a_command_the_help_is_shown(command: Command) -> None:
    ended = command("token")

    assert ended.code == 0
    assert "Look after the tokens of clients." in ended.out
