import stat
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from abilities_host import RegistryView, hookimpl, testing
from abilities_host.calls import Actor
from abilities_host.errors import ConfigError
from abilities_host.host import Host
from abilities_host.testing import build_host, write_config

AGENT = Actor("agent")


class Notes:
    """A pack with one read."""

    @hookimpl
    @staticmethod
    def register_categories(registry: RegistryView) -> None:
        registry.register_category("notes", label="Notes", description="Some notes.")

    @hookimpl
    @staticmethod
    def register_abilities(registry: RegistryView) -> None:
        registry.register_ability(
            "notes/count",
            label="Count notes",
            description="Counts the notes.",
            category="notes",
            execute_callback=lambda: 3,
            permission_callback=lambda: True,
            meta={"annotations": {"readonly": True}},
        )


async def test_a_host_serves_the_given_packs_and_no_installed_ones(
    tmp_path: Path,
) -> None:
    async with build_host(tmp_path, packs=[("notes", Notes)]) as host:
        outcome = await host.execute("notes/count", actor=AGENT)
        packs = [(pack.identity, pack.state) for pack in host.packs]

    assert outcome.unwrap() == 3
    assert packs == [("local/notes", "healthy")]
    assert not host.has_recorder


async def test_a_second_host_finds_the_store_of_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "host"
    async with build_host(folder, packs=[("notes", Notes)]) as host:
        await host.toggles.set("notes/count", state=False, by="test")
    async with build_host(folder, packs=[("notes", Notes)]) as host:
        outcome = await host.execute("notes/count", actor=AGENT)

    assert outcome.code == "ability_not_found"


async def test_a_configuration_is_added_to_and_its_own_ledger_table_kept(
    tmp_path: Path,
) -> None:
    async with build_host(tmp_path / "1", config='title = "Bakery"') as host:
        plain = (host.config.title, host.config.ledger.required)
    ledger = "[ledger]\nrequired = true\n"
    recorder = testing.RecordingRecorder()
    async with build_host(tmp_path / "2", config=ledger, recorder=recorder) as host:
        strict = (host.config.ledger.required, host.has_recorder)

    assert (plain, strict) == (("Bakery", False), (True, True))


async def test_a_bad_configuration_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as broken:
        async with build_host(tmp_path, config="title = \n"):
            pass
    with pytest.raises(ConfigError) as unknown:
        async with build_host(tmp_path, config='titel = "x"\n'):
            pass

    assert (broken.value.line, unknown.value.key) == (1, "titel")


def test_only_the_owner_may_read_the_file(tmp_path: Path) -> None:
    path = write_config(tmp_path / "host")

    modes = [stat.S_IMODE(place.stat().st_mode) for place in (path, path.parent)]
    assert modes == [0o600, 0o700] or sys.platform == "win32"
    assert path.read_text() == "\n[ledger]\nrequired = false\n"


Start = Callable[..., AbstractAsyncContextManager[Host]]


async def test_the_fixture_starts_hosts_in_folders_of_their_own(
    ability_host: Start, tmp_path: Path
) -> None:
    async with (
        ability_host(packs=[("notes", Notes)]) as one,
        ability_host(config='title = "Two"') as two,
    ):
        outcome = await one.execute("notes/count", actor=AGENT)
        titles = (one.config.title, two.config.title)
        folders = (one.loaded.folder, two.loaded.folder)

    assert outcome.unwrap() == 3
    assert titles == ("Abilities", "Two")
    assert folders == (tmp_path / "host-1", tmp_path / "host-2")
    assert (one.is_stopping, two.is_stopping) == (True, True)


def test_every_exported_name_can_be_imported_and_no_other() -> None:
    found: list[Any] = [getattr(testing, name) for name in testing.__all__]

    assert [each.__name__ for each in found] == list(testing.__all__)
    with pytest.raises(AttributeError, match="no attribute 'build_hots'"):
        testing.__getattr__("build_hots")
