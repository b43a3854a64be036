"""A changed configuration takes effect at once; a bad one changes nothing."""

import asyncio
import logging
import os
import re
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from envelope.world import ACTOR, READ, World
from hypothesis import given, reject
from hypothesis import strategies as st
from pydantic import ValidationError

from abilities_host.config import (
    HostConfig,
    LoadedConfig,
    adopt,
    is_live,
    load_config,
)
from abilities_host.config.table import settings_by_key
from abilities_host.watching import WatchedFile

TEXT = "[ledger]\nrequired = false\n"


def save_in_place(path: Path) -> None:
    path.write_text("new")


def save_by_replacing(path: Path) -> None:
    aside = path.with_name("aside")
    aside.write_text("new")
    aside.replace(path)


def save_like_an_editor(path: Path) -> None:
    path.rename(path.with_name("file~"))
    path.write_text("new")


def delete_and_come_back(path: Path) -> None:
    path.unlink()
    path.write_text("new")


@pytest.mark.parametrize(
    "save",
    [save_in_place, save_by_replacing, save_like_an_editor, delete_and_come_back],
)
def test_a_saved_file_has_changed_once(
    tmp_path: Path, save: Callable[[Path], None]
) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    watched = WatchedFile(path)
    save(path)
    assert [watched.has_changed() for _ in range(4)] == [False, True, False, False]


def test_a_file_that_is_still_written_to_waits(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    watched, answers = WatchedFile(path), []
    for text in ("n", "ne", "new"):
        path.write_text(text)
        answers.append(watched.has_changed())
    answers += [watched.has_changed() for _ in range(2)]
    assert answers == [False, False, False, True, False]


def test_a_touch_is_no_change(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    watched = WatchedFile(path)
    os.utime(path, (1, 1))
    assert [watched.has_changed() for _ in range(3)] == [False, False, False]


def test_a_file_that_is_gone_is_no_change_until_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    watched = WatchedFile(path)
    path.unlink()
    gone = [watched.has_changed() for _ in range(3)]
    path.write_text("old")
    same = [watched.has_changed() for _ in range(3)]
    path.write_text("new")
    assert (gone, same) == ([False] * 3, [False] * 3)
    assert [watched.has_changed() for _ in range(2)] == [False, True]


def test_a_file_that_was_emptied_is_no_change(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    watched = WatchedFile(path)
    path.write_text(" \n")
    assert [watched.has_changed() for _ in range(3)] == [False, False, False]


def test_a_link_that_leads_elsewhere_has_changed(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    (tmp_path / "data").symlink_to("one")
    (tmp_path / "file").symlink_to("data/file")
    watched = WatchedFile(tmp_path / "file")
    (tmp_path / "aside").symlink_to("two")
    (tmp_path / "aside").replace(tmp_path / "data")
    assert [watched.has_changed() for _ in range(3)] == [False, True, False]


def test_what_was_forgotten_is_new_once_and_known_to_be_still(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    watched = WatchedFile(path)
    watched.forget()
    answers = [watched.has_changed() for _ in range(3)]
    still = watched.is_still()
    path.write_text("newer")
    assert (answers, still) == ([False, True, False], True)
    assert not watched.is_still()


def loaded_with(folder: Path, text: str) -> Any:
    path = folder / "abilities.toml"
    path.write_text(TEXT.replace("[ledger]", f"{text}\n[ledger]"))
    path.chmod(0o600)
    return load_config(path, environ={}, cwd=folder)


def test_only_what_is_live_is_adopted_and_the_rest_waits(tmp_path: Path) -> None:
    old = loaded_with(tmp_path, "")
    new = loaded_with(tmp_path, 'read_only = true\nplugins_dir = "more"\ntitle = "New"')
    loaded, waiting, _ = adopt(old, new)
    assert (loaded.config.read_only, loaded.config.title) == (True, "New")
    assert (loaded.config.plugins_dir, waiting) == (None, ("plugins_dir",))
    assert loaded.sources["read_only"] == "file"


LIVE = """
    title summary context disabled enabled read_only kill_switch treat_as_write
    memory.*
    actors.*
    server.* servers
    http.hosts http.origins http.trusted_proxies
    roles
    requests.keep_days requests.keep_entries
    limits.*
"""
MADE_AT_THE_START = """
    server.id
    limits.abilities limits.schema_bytes limits.schema_depth limits.state_bytes
    limits.http_requests limits.http_sessions limits.http_session_seconds
"""


def covered(patterns: Iterable[str], but: Iterable[str]) -> set[str]:
    """Give the settings that some patterns name, without others."""
    named = {
        key
        for key in settings_by_key()
        for pattern in patterns
        if fnmatchcase(key, pattern)
    }
    return named - set(but)


def test_what_is_switched_said_and_counted_is_live() -> None:
    live = {key for key in settings_by_key() if is_live(key)}
    assert live == covered(LIVE.split(), MADE_AT_THE_START.split())


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.02)


async def edit(folder: Path, text: str) -> None:
    await asyncio.to_thread(save_by_replacing_with, folder / "abilities.toml", text)


def save_by_replacing_with(path: Path, text: str) -> None:
    aside = path.with_name("aside")
    aside.write_text(text)
    aside.chmod(0o600)
    aside.replace(path)


async def get(arguments: dict[str, Any]) -> str:
    return "got"


async def test_an_edit_switches_abilities_and_tells_who_listens(
    tmp_path: Path,
) -> None:
    world, told = World(), []
    world.ability("notes/get", get, meta=READ)
    async with world.open(tmp_path, TEXT):
        world.host.on_change(lambda: told.append(True))
        before = await world.run("notes/get", id="a")
        await edit(tmp_path, f'disabled = ["notes/*"]\n{TEXT}')
        await until(lambda: bool(told))
        off = await world.run("notes/get", id="a")
        seen = await world.host.list_abilities(ACTOR)
        await edit(tmp_path, TEXT)
        await until(lambda: len(told) > 1)
        again = await world.run("notes/get", id="a")
    assert [o.code for o in (before, off, again)] == ["", "ability_not_found", ""]
    assert seen == ()


async def test_a_bad_edit_keeps_the_last_good_state_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    world.ability("notes/get", get, meta=READ)
    async with world.open(tmp_path, f'disabled = ["notes/*"]\n{TEXT}'):
        with caplog.at_level(logging.ERROR):
            await edit(tmp_path, "disabled = [\n")
            await until(lambda: "last good" in caplog.text)
        outcome = await world.run("notes/get", id="a")
    assert outcome.code == "ability_not_found"
    assert str(tmp_path / "abilities.toml") in caplog.text


async def test_there_and_back_again_is_seen_both_times(tmp_path: Path) -> None:
    world = World()
    async with world.open(tmp_path, TEXT):
        for is_on in (True, False, True, False):
            before = world.host.loaded
            await edit(tmp_path, f"read_only = {str(is_on).lower()}\n{TEXT}")
            await until(lambda before=before: world.host.loaded is not before)  # type: ignore[misc]  # binds this one
            assert world.host.config.read_only is is_on


async def test_what_waits_for_a_restart_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    async with world.open(tmp_path, TEXT):
        with caplog.at_level(logging.WARNING):
            await edit(tmp_path, f"{TEXT}[limits]\nabilities = 3\n")
            await until(lambda: "limits.abilities takes effect" in caplog.text)
        assert world.host.config.limits.abilities == 20_000


def test_the_manual_names_what_is_live_and_what_of_that_waits() -> None:
    page = Path(__file__).parent.parent / "docs" / "reference" / "settings.md"
    text = page.read_text()
    text = text[text.index("## While a host runs") :]
    at_once, waiting, _ = re.split(r"\nOf these|\nSo does every", text, maxsplit=2)
    named, but = (re.findall(r"`([a-z_.*]+)`", part) for part in (at_once, waiting))
    assert covered(named, but) == {key for key in settings_by_key() if is_live(key)}
    assert sorted(but) == sorted(MADE_AT_THE_START.split())


async def test_an_edit_that_does_not_fit_what_waits_changes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world, other = World(), '[server]\nid = "first"\n[[servers]]\nid = "default"\n'
    world.ability("notes/get", get, meta=READ)
    async with world.open(tmp_path, TEXT):
        before = world.host.loaded
        with caplog.at_level(logging.ERROR):
            await edit(tmp_path, f'disabled = ["notes/*"]\n{TEXT}{other}')
            await until(lambda: "last good" in caplog.text)
        outcome = await world.run("notes/get", id="a")
        assert world.host.loaded is before
    assert outcome.code == ""
    assert "servers: two servers have the id 'default'" in caplog.text


def test_who_asks_for_no_token_is_not_opened_to_others(tmp_path: Path) -> None:
    old = loaded_with(tmp_path, 'http.auth = "none"\nhttp.port = 1')
    new = loaded_with(tmp_path, 'http.auth = "none"\nhttp.hosts = ["example.org"]')
    adopted = adopt(old, new)
    assert (adopted.loaded is old, adopted.waiting) == (True, ())
    assert "http.hosts: while [http] auth" in adopted.refused


SERVER = st.fixed_dictionaries(
    {"id": st.sampled_from(["a", "b", "default"])},
    optional={
        "enabled": st.booleans(),
        "route": st.sampled_from(["", "/x", "/mcp", "/mcp/a"]),
        "compact": st.sampled_from(["on", "off", "split"]),
        "exclude": st.lists(st.sampled_from(["files/*", "core/x"]), max_size=2),
    },
)
WRITTEN = st.fixed_dictionaries(
    {},
    optional={
        "title": st.text(max_size=5),
        "disabled": st.lists(st.sampled_from(["files/*", "core/x"]), max_size=2),
        "plugins_dir": st.sampled_from(["one", "two"]),
        "roles": st.dictionaries(st.sampled_from("rs"), st.just(["read"]), max_size=2),
        "server": SERVER,
        "servers": st.lists(SERVER, max_size=2),
        "http": st.fixed_dictionaries(
            {},
            optional={
                "auth": st.sampled_from(["none", "token"]),
                "port": st.integers(1, 3),
                "hosts": st.lists(st.just("example.org"), max_size=1),
                "trusted_proxies": st.lists(st.just("10.0.0.1"), max_size=1),
            },
        ),
        "limits": st.fixed_dictionaries(
            {},
            optional={
                "calls": st.integers(1, 9),
                "schema_depth": st.integers(1, 9),
                "call_seconds": st.floats(0.1, 9),
            },
        ),
    },
)


@given(WRITTEN, WRITTEN)
def test_a_change_is_adopted_as_far_as_it_is_live_or_not_at_all(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    configs = []
    for written in (before, after):
        try:
            configs.append(HostConfig.model_validate(written))
        except ValidationError:
            reject()
    old, new = (made_of(config) for config in configs)
    loaded, waiting, refused = adopt(old, new)

    differ = [k for k in settings_by_key() if at(old, k) != at(new, k)]
    if refused:
        assert (loaded, waiting) == (old, ())
        return
    for key in settings_by_key():
        assert at(loaded, key) == at(new if is_live(key) else old, key)
    assert waiting == tuple(key for key in differ if not is_live(key))


def made_of(config: HostConfig) -> LoadedConfig:
    here = Path("/nowhere")
    return LoadedConfig(
        config=config,
        path=here / "abilities.toml",
        folder=here,
        sources=dict.fromkeys(settings_by_key(), "file"),
        replaced={},
        warnings=(),
        layers=(),
        unknown=(),
        state_folder=here,
        reload=lambda: made_of(config),
    )


def at(loaded: LoadedConfig, key: str) -> Any:
    return reduce(getattr, key.split("."), loaded.config)
