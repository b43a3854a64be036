"""Settings and limits change in running hosts, by file and by other processes."""

import asyncio
import json
import logging
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from cli.world import IN_TREE, make_demo, start
from envelope.world import ACTOR, READ, World, configured

from abilities_host import Actor, Call
from abilities_host.adjustments import VALUE_BYTES, Adjustments, adjusted
from abilities_host.config import LoadedConfig, load_config
from abilities_host.errors import ConfigError
from abilities_host.opening import open_host
from abilities_host.storage.base import Statement
from abilities_host.storage.sqlite import open_sqlite

TEXT = "[ledger]\nrequired = false\n"
RECORDED = json.dumps([pack for pack in IN_TREE if pack not in ("core", "ledger")])
TEAM = '[[servers]]\nid = "team"\n'


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)


async def edit(folder: Path, text: str) -> None:
    def save() -> None:
        aside = folder / "aside"
        aside.write_text(text)
        aside.chmod(0o600)
        aside.replace(folder / "abilities.toml")

    await asyncio.to_thread(save)


def loaded_of(config: Path) -> LoadedConfig:
    return load_config(config, environ=dict(os.environ), cwd=config.parent)


async def command(folder: Path, *words: str) -> "CompletedProcess[str]":
    state = os.environ["XDG_STATE_HOME"]
    run = partial(start, folder, *words, XDG_STATE_HOME=state)
    return await asyncio.to_thread(run)


async def get(arguments: dict[str, Any]) -> str:
    return "got"


async def test_a_call_under_way_keeps_its_limits_with_all_inside_it(
    tmp_path: Path,
) -> None:
    world, begun, may_go_on = World(), asyncio.Event(), asyncio.Event()
    taken: dict[str, float] = {}

    async def inner(arguments: dict[str, Any], call: Call) -> str:
        taken[arguments["id"]] = call.limits.call_seconds
        return "x" * 2000

    async def outer(arguments: dict[str, Any], call: Call) -> str:
        begun.set()
        await may_go_on.wait()
        return (await call.execute("notes/inner", {"id": "inside"})).code

    world.ability("notes/inner", inner, meta=READ)
    world.ability("notes/outer", outer, meta=READ)
    tight = "[limits]\ncall_seconds = 5\nresult_bytes = 1024\nnesting = 1\n"
    async with world.open(tmp_path, TEXT):
        running = asyncio.create_task(world.run("notes/outer", id="a"))
        await begun.wait()
        await edit(tmp_path, f"{TEXT}{tight}")
        await until(lambda: world.host.config.limits.nesting == 1)
        may_go_on.set()
        before = await running
        after = await world.run("notes/outer", id="a")
        late = await world.run("notes/inner", id="late")

    assert (before.code, before.result) == ("", "")
    assert after.result == "nesting_too_deep"
    assert late.code == "ability_invalid_output"
    assert taken == {"inside": 60.0, "late": 5.0}


async def test_more_places_let_those_in_who_wait(tmp_path: Path) -> None:
    world, ran, leave = World(), list[str](), asyncio.Event()

    async def work(arguments: dict[str, Any]) -> str:
        ran.append(arguments["id"])
        await leave.wait()
        return "done"

    world.ability("notes/work", work, meta=READ)
    async with world.open(tmp_path, f"{TEXT}[limits]\ncalls = 1\n"):
        calls = [asyncio.create_task(world.run("notes/work", id=i)) for i in "ab"]
        await until(lambda: ran == ["a"])
        await edit(tmp_path, f"{TEXT}[limits]\ncalls = 2\n")
        await until(lambda: ran == ["a", "b"])
        leave.set()
        outcomes = await asyncio.gather(*calls)

    assert [outcome.code for outcome in outcomes] == ["", ""]


async def test_every_part_keeps_to_the_limits_that_hold_now(tmp_path: Path) -> None:
    world = World()
    text = "hook_seconds = 1\nlock_seconds = 2\nquestion_seconds = 3\n"
    async with world.open(tmp_path, TEXT):
        host = world.host
        await edit(tmp_path, f"{TEXT}[limits]\n{text}call_seconds = 90\n")
        await until(lambda: host.config.limits.hook_seconds == 1)
        longer = host.modules.call_seconds
        await edit(tmp_path, f"{TEXT}[limits]\n{text}call_seconds = 4\n")
        await until(lambda: host.config.limits.call_seconds == 4)
        parts = host._parts  # noqa: SLF001 - what no surface shows
        assert (host.hooks.seconds, host.modules.seconds) == (1, 1)
        assert (parts.locks.seconds, parts.questions.seconds) == (2, 3)
        assert parts.limits == host.config.limits.of_a_run
        # A call that began before may still run as long as was allowed then.
        assert (longer, host.modules.call_seconds) == (90, 90)


async def test_a_command_changes_a_running_host_and_is_recorded(
    tmp_path: Path,
) -> None:
    config = make_demo(tmp_path, end=TEAM, blocked=RECORDED)
    told, codes = list[bool](), list[tuple[int, str]]()
    words = [
        ("set", "limits.calls", "7"),
        ("set", "compact", "on", "--server", "team"),
        ("set", "limits.calls", "8"),
        ("unset", "limits.calls"),
        ("servers", "disable", "team"),
    ]
    async with open_host(loaded_of(config)) as host:
        host.on_change(lambda: told.append(True))
        seen = []
        for each in words:
            before = host.loaded.stored
            ended = await command(tmp_path, *each)
            codes.append((ended.returncode, ended.stderr))
            await until(lambda before=before: host.loaded.stored != before)  # type: ignore[misc]  # binds this one
            team = host.config.servers[0]
            seen.append((host.config.limits.calls, team.compact, team.enabled))
        is_off = not host.server_view("team").enabled
    export = await command(tmp_path, "ledger", "export")
    entries = [json.loads(line) for line in export.stdout.splitlines()]
    noted = [
        (e["actor"], e["action"], e["target"], e["details"].get("value"))
        for e in entries
        if e["kind"] == "setting"
    ]

    assert codes == [(0, "")] * len(words)
    assert seen == [
        (7, "off", True),
        (7, "on", True),
        (8, "on", True),
        (64, "on", True),
        (64, "on", False),
    ]
    assert (is_off, len(told) >= len(words)) == (True, True)
    assert noted == [
        ("cli", "set", "limits.calls", 7),
        ("cli", "set", "servers.team.compact", "on"),
        ("cli", "set", "limits.calls", 8),
        ("cli", "unset", "limits.calls", None),
        ("cli", "set", "servers.team.enabled", False),
    ]


async def test_a_saved_file_keeps_what_the_store_says_and_the_other_way_round(
    tmp_path: Path,
) -> None:
    world = World()
    async with world.open(tmp_path, TEXT):
        host = world.host
        keep = partial(host.adjustments.set, by="ann", loaded=host.loaded)
        await keep("limits.queue", 5)
        await keep("title", "Set")
        await until(lambda: host.config.title == "Set")
        await edit(tmp_path, f'title = "Filed"\n{TEXT}[limits]\ncalls = 3\nqueue = 4\n')
        await until(lambda: host.config.limits.calls == 3)
        both = (host.config.title, host.config.limits.queue)
        # Nothing of the file is in force while the store says otherwise; then it is.
        await host.adjustments.unset("title")
        await host.adjustments.unset("limits.queue")
        await host.refresh()
        assert both == ("Set", 5)
        assert (host.config.title, host.config.limits.queue) == ("Filed", 4)


async def test_it_survives_a_restart_and_what_fits_no_more_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world, text = World(), f"{TEXT}{TEAM}"
    async with world.open(tmp_path, text):
        keep = partial(world.host.adjustments.set, by="ann", loaded=world.host.loaded)
        await keep("servers.team.compact", "on")
        await keep("limits.hook_seconds", 2)
        await keep("disabled", ["notes/*"])
    again = World()
    again.ability("notes/get", get, meta=READ)
    with caplog.at_level(logging.WARNING):
        async with again.open(tmp_path, TEXT):
            outcome = await again.run("notes/get", id="a")
            assert again.host.hooks.seconds == 2

    assert outcome.code == "ability_not_found"
    assert "`abilities set servers.team.compact` has no effect" in caplog.text


async def test_processes_that_set_at_once_lose_nothing(tmp_path: Path) -> None:
    make_demo(tmp_path)
    keys = [f"limits.{each}" for each in ("calls", "queue", "nesting", "targets")]

    ended = await asyncio.gather(*(command(tmp_path, "set", k, "9") for k in keys))
    shown = await command(tmp_path, "config", "--json")

    assert [(each.returncode, each.stderr) for each in ended] == [(0, "")] * len(keys)
    rows = {row["key"]: row for row in json.loads(shown.stdout)["settings"]}
    for key in keys:
        assert rows[key] == {"key": key, "value": 9, "source": "store"}


async def test_what_would_not_hold_is_not_stored(tmp_path: Path) -> None:
    loaded = configured(tmp_path, f"read_only = true\n{TEXT}")
    refused = {
        "limits.calls": "many",
        "read_only": False,
        "title": "x" * VALUE_BYTES,
    }
    async with open_sqlite(tmp_path / "abilities.db") as store:
        adjustments = Adjustments(store)
        await adjustments.migrate()
        before = store.generation()
        for key, value in refused.items():
            with pytest.raises(ConfigError) as caught:
                await adjustments.set(key, value, by="ann", loaded=loaded)
            assert caught.value.key == key
        assert (await adjustments.load(), store.generation()) == ({}, before)
        assert not await adjustments.unset("limits.calls")


async def test_a_row_that_is_no_value_takes_nothing_else_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    loaded = configured(tmp_path, TEXT)
    async with open_sqlite(tmp_path / "abilities.db") as store:
        adjustments = Adjustments(store)
        await adjustments.migrate()
        sql = "INSERT INTO adjustment VALUES (:key, :value, 'ann', 'now')"
        rows = {"limits.calls": "{", "limits.queue": "4"}
        statements = [Statement(sql, {"key": k, "value": v}) for k, v in rows.items()]
        await store.write(statements, bump=True)
        with caplog.at_level(logging.WARNING):
            made = adjusted(loaded, await adjustments.load())

    assert (made.config.limits.calls, made.config.limits.queue) == (64, 4)
    assert "`abilities set limits.calls` has no effect: expected" in caplog.text


async def test_nobody_sees_more_than_the_store_says_at_the_next_call(
    tmp_path: Path,
) -> None:
    world = World()
    world.ability("notes/get", get, meta=READ)
    async with world.open(tmp_path, TEXT):
        host = world.host
        await host.adjustments.set(
            "disabled", ["notes/*"], by="ann", loaded=host.loaded
        )
        outcome = await world.run("notes/get", id="a")
        seen = await host.list_abilities(Actor("b", scopes=ACTOR.scopes))

    assert (outcome.code, seen) == ("ability_not_found", ())
