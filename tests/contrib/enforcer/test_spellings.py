"""No spelling of a forbidden target and no way to it gets past the rule."""

import os
from pathlib import Path
from typing import Any

import pytest
from contrib.enforcer.guarded import AGENT, Guarded, guarded

import abilities_memory_enforcer
from abilities_host import Outcome

REFUSED = {"write_vetoed", "outside_root", "invalid_path"}
"""By the rule, or by the files pack that knows no such path."""


async def code_of(world: Guarded, name: str, arguments: Any) -> str:
    return (await world.host.execute(name, arguments, actor=AGENT)).code


SPELLINGS = (
    "config/app.toml",
    "./config/app.toml",
    "config/./app.toml",
    "config//app.toml",
    "config/app.toml/",
    "free/../config/app.toml",
    "config/../config/app.toml",
    "/config/app.toml",
    "config\\app.toml",
    "config/new/deep.toml",
)


@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_no_spelling_of_a_path_gets_past(spelling: str, tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.guard()
        write = {"path": spelling, "text": "new", "make_folders": True}
        asked = {"name": "files/write", "arguments": write}

        codes = {
            await code_of(world, "files/write", write),
            await code_of(world, "dispatcher/call-tool", asked),
            (await world.host.execute("late/nest", asked, actor=AGENT)).result["code"],
        }

        assert codes <= REFUSED
        assert world.content("config/app.toml") == "old"
        assert os.listdir(world.root / "config") == ["app.toml"]  # noqa: PTH208 - names


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (
            "files/edit",
            {"path": "config/app.toml", "edits": [{"old": "o", "new": "n"}]},
        ),
        ("files/delete", {"path": "config/app.toml"}),
        ("files/delete", {"path": "config", "recursive": True}),
        ("files/move", {"source": "config/app.toml", "destination": "gone.toml"}),
        (
            "files/move",
            {
                "source": "free.txt",
                "destination": "./config/app.toml",
                "overwrite": True,
            },
        ),
        ("files/move", {"source": "empty", "destination": "config/empty"}),
        ("late/touch", {"paths": ["config/app.toml"]}),
        ("late/touch", {"paths": ["./config//app.toml"]}),
        ("late/create", {"path": "config/x"}),
    ],
)
async def test_no_ability_gets_past(name: str, arguments: Any, tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        (world.root / "empty").mkdir()
        await world.guard()
        asked = {"name": name, "arguments": arguments}

        codes = [
            await code_of(world, name, arguments),
            await code_of(world, "dispatcher/call-tool", asked),
            (await world.host.execute("late/nest", asked, actor=AGENT)).result["code"],
        ]

        assert codes == ["write_vetoed"] * 3
        assert world.content("config/app.toml") == "old"
        assert world.content("free.txt") == "old"


async def test_what_was_touched_before_the_forbidden_is_all_that_changed(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        await world.guard()

        outcome = await world.run("late/touch", paths=["free.txt", "config/app.toml"])

        assert outcome.code == "write_vetoed"
        assert world.content("free.txt") == "late"
        assert world.content("config/app.toml") == "old"


@pytest.mark.parametrize("is_folder", [False, True])
async def test_a_link_to_the_forbidden_is_no_way_to_it(
    is_folder: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        if is_folder:
            (world.root / "way").symlink_to("config", target_is_directory=True)
        else:
            (world.root / "way").symlink_to("config/app.toml")
        await world.guard()

        outcome = await world.write("way/app.toml" if is_folder else "way")

        assert not outcome.is_ok
        assert world.content("config/app.toml") == "old"


async def test_a_second_name_of_the_forbidden_file_is_no_way_to_it(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        (world.root / "twin").hardlink_to(world.root / "config" / "app.toml")
        await world.guard()

        await world.write("twin")

        assert world.content("config/app.toml") == "old"


async def test_case_and_form_are_those_of_the_domain(tmp_path: Path) -> None:
    async with guarded(tmp_path) as world:
        await world.world.put("plan", "old")
        await world.guard("Notes.", domain="notes", targets=["PLAN"])
        await world.guard("Accents.", targets=["cafe\u0301/*"])

        notes = [await world.run("notes/put", id=i, text="x") for i in ("plan", "Plan")]
        accents = [await world.write(path) for path in ("caf\u00e9/a", "cafe\u0301/a")]

        assert [outcome.code for outcome in notes] == ["write_vetoed"] * 2
        assert [outcome.code for outcome in accents] == ["write_vetoed"] * 2
        assert world.world.notes.kept == {"plan": "old"}


async def test_undo_does_not_lead_back_to_what_is_forbidden_by_now(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        await world.write("config/app.toml", "second")
        change = await world.last()
        await world.guard(abilities=["files/write"])

        outcome = await world.run("ledger/rollback-change", id=change)
        nested: Outcome = await world.run(
            "dispatcher/call-tool",
            name="ledger/rollback-change",
            arguments={"id": change},
        )

        assert (outcome.code, nested.code) == ("write_vetoed", "write_vetoed")
        assert world.content("config/app.toml") == "second"


async def test_undo_of_a_move_is_a_move_back_onto_the_forbidden(
    tmp_path: Path,
) -> None:
    async with guarded(tmp_path) as world:
        await world.run("files/move", source="config/app.toml", destination="out.toml")
        change = await world.last()
        await world.guard(actions=["created"])

        outcome = await world.run("ledger/rollback-change", id=change)

        assert outcome.code == "write_vetoed"
        assert not (world.root / "config" / "app.toml").exists()


def test_the_pack_has_no_ability_and_no_namespace() -> None:
    assert abilities_memory_enforcer.declare_pack().namespaces == ()
    assert not hasattr(abilities_memory_enforcer, "register_abilities")
