"""Starting and stopping when somebody interferes."""

import asyncio
import logging
import threading
from pathlib import Path

import pytest
from hooks.world import AGENT, NotesPack, ability_of, plugin, running

from abilities_host import DefaultStep, ProposedWrite, RegistryView, hookimpl
from abilities_host.config import load_config
from abilities_host.hooks.packs import local_pack
from abilities_host.host import Host
from abilities_host.opening import open_host
from abilities_host.testing import RecordingRecorder, build_host, write_config


@pytest.mark.parametrize("hook", ["declare_pack", "register_abilities"])
async def test_a_start_that_is_cancelled_ends_at_once_and_blames_no_pack(
    tmp_path: Path, hook: str, caplog: pytest.LogCaptureFixture
) -> None:
    entered = asyncio.Event()

    async def hang() -> None:
        entered.set()
        await asyncio.Event().wait()

    async def start() -> None:
        async with running(tmp_path, local_pack("slow", plugin(**{hook: hang}))):
            pass

    starting = asyncio.create_task(start())
    await entered.wait()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert "set aside" not in caplog.text


async def test_a_caller_that_goes_away_while_policy_thinks_leaves_nothing_running(
    tmp_path: Path,
) -> None:
    entered = asyncio.Event()

    async def think(write: ProposedWrite) -> None:
        entered.set()
        await asyncio.Event().wait()

    notes = NotesPack()
    packs = [local_pack("notes", notes), local_pack("slow", plugin(before_write=think))]
    async with running(tmp_path, *packs) as host:
        calling = asyncio.create_task(host.execute("notes/add", {}, actor=AGENT))
        await entered.wait()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
    assert notes.ran == []


async def test_a_host_that_must_record_and_cannot_only_reads(tmp_path: Path) -> None:
    config = "[ledger]\nrequired = true"
    notes = NotesPack()
    packs = [local_pack("notes", notes)]
    async with build_host(tmp_path, packs=packs, config=config) as host:
        refused = await host.execute("notes/add", {"title": "a"}, actor=AGENT)
    async with build_host(
        tmp_path, packs=packs, config=config, recorder=RecordingRecorder()
    ) as host:
        done = await host.execute("notes/add", {"title": "a"}, actor=AGENT)

    assert (refused.code, refused.status) == ("ledger_missing", "refused")
    assert (done.code, done.status) == ("", "ok")
    assert len(notes.ran) == 1


async def test_what_the_configuration_says_in_vain_is_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = await asyncio.to_thread(write_config, tmp_path)
    environ = {"ABILITIES_NO_SUCH_SETTING": "1"}
    loaded = await asyncio.to_thread(load_config, path, environ=environ, cwd=tmp_path)
    with caplog.at_level(logging.WARNING):
        async with open_host(loaded, finds_packs=False):
            pass
    assert "ABILITIES_NO_SUCH_SETTING" in caplog.text


async def test_a_host_tells_its_listeners_what_another_host_switched_off(
    tmp_path: Path,
) -> None:
    told = asyncio.Event()

    async def names(host: Host) -> list[str]:
        return [ability.name for ability in await host.list_abilities(AGENT)]

    path = await asyncio.to_thread(write_config, tmp_path)
    loaded = await asyncio.to_thread(load_config, path, environ={}, cwd=tmp_path)
    one = open_host(loaded, packs=[local_pack("n", NotesPack())], finds_packs=False)
    two = open_host(loaded, packs=[local_pack("n", NotesPack())], finds_packs=False)
    async with one as watching, two as switching:
        before = await names(watching)
        watching.on_change(told.set)
        await switching.toggles.set("notes/add", state=False, by="ann")
        async with asyncio.timeout(20):
            await told.wait()
        assert (before, await names(watching)) == (
            ["notes/add", "notes/get"],
            ["notes/get"],
        )


async def test_a_host_stops_although_a_thread_of_a_pack_never_returns(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    release = threading.Event()

    def hang() -> None:
        release.wait()

    async with running(tmp_path, local_pack("n", NotesPack())) as host:
        host.registry.register_ability(
            "notes/hang",
            **ability_of(hang, category="notes", input_schema=None, time_limit=0.1),
        )
        outcome = await host.execute("notes/hang", actor=AGENT)
    release.set()
    assert outcome.status == "unknown"
    assert "1 runs had not ended when the host stopped" in caplog.text


class RenamedNotes(NotesPack):
    """The next release: a read under a new name, and a step that goes too far."""

    @hookimpl
    def register_abilities(self, registry: RegistryView) -> None:
        given = ability_of(category="notes", renamed_from=("notes/get",))
        registry.register_ability("notes/read", **given)

    @hookimpl
    def default_steps(self) -> list[DefaultStep]:
        return [DefaultStep(1, off=("other/thing",))]


async def test_a_choice_outlives_a_new_name_and_a_step_stays_in_its_own_pack(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(tmp_path, local_pack("notes", NotesPack())) as host:
        await host.toggles.set("notes/get", state=False, by="ann")
    with caplog.at_level(logging.WARNING):
        async with running(tmp_path, local_pack("notes", RenamedNotes())) as host:
            seen = await host.list_abilities(AGENT)
            choices = await host.toggles.list_choices()
    assert seen == ()
    assert [(choice.name, choice.state) for choice in choices] == [
        ("notes/read", False)
    ]
    assert "Step 1 of pack 'local/notes' names 'other/thing'" in caplog.text


@pytest.mark.parametrize("has_ledger", [False, True])
async def test_the_log_says_when_writes_are_not_recorded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, *, has_ledger: bool
) -> None:
    recorder = RecordingRecorder() if has_ledger else None
    with caplog.at_level(logging.INFO):
        async with build_host(tmp_path, recorder=recorder):
            pass
    assert ("writes are not recorded" in caplog.text) is not has_ledger
