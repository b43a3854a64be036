"""Hooks that watch or sort: they change nothing and harm nobody when they fail."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hooks.world import AGENT, NotesPack, plugin, running

from abilities_host import Call, Outcome, ProposedWrite, Veto, hookimpl
from abilities_host.config import load_config
from abilities_host.hooks.packs import local_pack
from abilities_host.opening import open_host
from abilities_host.testing import write_config


class Boom(BaseException):
    """No Exception, so that a careless handler would let it through."""


@pytest.mark.parametrize(
    "error", [ValueError("x"), SystemExit(1), Boom(), asyncio.CancelledError()]
)
@pytest.mark.parametrize("is_async", [False, True])
async def test_an_observer_that_fails_is_logged_and_changes_nothing(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    error: BaseException,
    *,
    is_async: bool,
) -> None:
    seen: list[str] = []

    def fail(call: Call, outcome: Outcome) -> None:
        raise error

    async def fail_async(call: Call, outcome: Outcome) -> None:
        raise error

    def watch(outcome: Outcome) -> None:
        seen.append(outcome.status)

    bad = local_pack("bad", plugin(after_execute=fail_async if is_async else fail))
    good = local_pack("good", plugin(after_execute=watch))
    packs = [good, bad, local_pack("notes", NotesPack())]
    async with running(tmp_path, *packs) as host:
        with caplog.at_level(logging.ERROR):
            write = await host.execute("notes/add", {}, actor=AGENT)
            read = await host.execute("notes/get", {}, actor=AGENT)
    assert [write.status, read.status] == seen == ["ok", "ok"]
    assert caplog.text.count("a hook of local/bad failed") == 2


async def test_an_observer_that_hangs_is_left_behind_after_its_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    release = threading.Event()

    def hang(outcome: Outcome) -> None:
        release.wait()

    packs = [
        local_pack("notes", NotesPack()),
        local_pack("slow", plugin(after_execute=hang)),
    ]
    short = "[limits]\nhook_seconds = 0.5"
    async with running(tmp_path, *packs, config=short) as host:
        outcome = await host.execute("notes/get", {}, actor=AGENT)
        release.set()
    assert outcome.is_ok
    assert "a hook of local/slow failed" in caplog.text


async def test_an_observer_cannot_change_what_the_caller_receives(
    tmp_path: Path,
) -> None:
    changed: list[BaseException] = []

    def watch(outcome: Outcome) -> None:
        try:
            outcome.status = "failed"  # type: ignore[misc]  # it must refuse
        except AttributeError as error:
            changed.append(error)

    packs = [
        local_pack("notes", NotesPack()),
        local_pack("watch", plugin(after_execute=watch)),
    ]
    async with running(tmp_path, *packs) as host:
        outcome = await host.execute("notes/get", {}, actor=AGENT)
    assert (outcome.status, len(changed)) == ("ok", 1)


async def test_an_observer_is_told_of_refusals_too(tmp_path: Path) -> None:
    seen: list[tuple[str, str]] = []

    def watch(call: Call, outcome: Outcome) -> None:
        seen.append((call.ability.name, outcome.code))

    def veto(write: ProposedWrite) -> Veto:
        return Veto("no")

    packs = [
        local_pack("notes", NotesPack()),
        local_pack("watch", plugin(after_execute=watch)),
        local_pack("no", plugin(before_write=veto)),
    ]
    async with running(tmp_path, *packs) as host:
        await host.execute("notes/add", {}, actor=AGENT)
    assert seen == [("notes/add", "write_vetoed")]


NAMES = ("a/1", "a/2", "a/3")


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        pytest.param(None, NAMES, id="abstains"),
        pytest.param(["a/3", "a/1", "a/2"], ("a/3", "a/1", "a/2"), id="reorders"),
        pytest.param(("a/2",), ("a/2",), id="drops"),
        pytest.param([], (), id="drops-all"),
        pytest.param(["a/2", "b/9", "a/1"], ("a/2", "a/1"), id="adds-nothing"),
        pytest.param(["a/2", "a/2"], ("a/2",), id="repeats-nothing"),
        pytest.param([["a/1"], 5, None, "a/1"], ("a/1",), id="rubbish-inside"),
        pytest.param("a/1", NAMES, id="text-is-no-list"),
        pytest.param({"a/1": 1}, NAMES, id="mapping-is-no-list"),
    ],
)
@pytest.mark.parametrize("is_async", [False, True])
async def test_rerank_only_reorders_or_drops(
    tmp_path: Path, answer: Any, kept: tuple[str, ...], *, is_async: bool
) -> None:
    asked: list[tuple[str, Sequence[str]]] = []

    def rerank(query: str, names: tuple[str, ...]) -> Any:
        asked.append((query, names))
        return answer

    async def rerank_async(query: str, names: tuple[str, ...]) -> Any:
        return rerank(query, names)

    hooks = plugin(rerank=rerank_async if is_async else rerank)
    async with running(tmp_path, local_pack("sort", hooks)) as host:
        assert await host.hooks.rerank("words", NAMES) == kept
    assert asked == [("words", NAMES)]


async def test_a_rerank_that_raises_leaves_the_order(tmp_path: Path) -> None:
    def rerank(names: tuple[str, ...]) -> list[str]:
        raise ValueError

    async with running(tmp_path, local_pack("s", plugin(rerank=rerank))) as host:
        assert await host.hooks.rerank("words", NAMES) == NAMES


class Unwritable:
    def __repr__(self) -> str:
        raise ValueError


class FilteredNotes(NotesPack):
    @hookimpl
    def filter_ability_args(self, name: str) -> dict[str, str] | None:
        return {"label": "Read"} if name == "notes/get" else None


def abstain(write: ProposedWrite) -> None:
    return None


def veto_at_length(write: ProposedWrite) -> Veto:
    return Veto("no" * 400)


def fail(outcome: Outcome) -> None:
    raise ValueError


def rerank_with_rubbish(names: tuple[str, ...]) -> Any:
    return Unwritable()


async def test_the_trace_prints_every_hook_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = plugin(before_write=veto_at_length, after_execute=fail)
    two = plugin(before_write=abstain, rerank=rerank_with_rubbish)
    packs = [
        local_pack("notes", FilteredNotes()),
        local_pack("one", one),
        local_pack("two", two),
    ]
    path = await asyncio.to_thread(write_config, tmp_path)
    loaded = await asyncio.to_thread(load_config, path, environ={}, cwd=tmp_path)
    opening = open_host(loaded, packs=packs, finds_packs=False, is_traced=True)
    async with opening as host:
        await host.execute("notes/add", {}, actor=AGENT)
        await host.hooks.rerank("words", NAMES)
    traced = [line for line in capsys.readouterr().err.splitlines() if "hook " in line]
    declared = "Declaration(namespaces=('notes',), requires_packages=())"
    long = f"{repr(Veto('no' * 400))[:500]}…"
    assert traced == [
        f"hook declare_pack -> local/notes: {declared}",
        "hook register_categories -> local/notes: None",
        "hook filter_ability_args notes/add -> local/notes: None",
        "hook filter_ability_args notes/get -> local/notes: {'label': 'Read'}",
        "hook register_abilities -> local/notes: None",
        "hook before_write -> local/two: None",
        f"hook before_write -> local/one: {long}",
        "hook after_execute -> local/one: ValueError()",
        "hook rerank -> local/two: <Unwritable>",
    ]
