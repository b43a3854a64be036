"""Toggles: choices and default steps survive upgrades, renames and other processes."""

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from abilities_host.declaration import DefaultStep
from abilities_host.errors import InvalidName
from abilities_host.storage.base import Statement
from abilities_host.storage.sqlite import SqliteStore, open_sqlite
from abilities_host.toggles import Choice, Toggles, ToggleState

OWNED = frozenset({"files"})
PACK = "abilities-host/files"
FIRST = DefaultStep(1, off=("files/delete", "files/move"))
SECOND = DefaultStep(2, off=("files/chmod",), gone=("files/move",))

# Starts as a host does and tells what it refused; started many times at once.
START = """
import asyncio, sys
from pathlib import Path
from abilities_host.declaration import DefaultStep
from abilities_host.storage.sqlite import open_sqlite
from abilities_host.toggles import Toggles

async def main():
    sys.stdin.readline()
    async with open_sqlite(Path(sys.argv[1])) as store:
        toggles = Toggles(store)
        await toggles.migrate()
        steps = [DefaultStep(i, off=(f"files/{i}",)) for i in (1, 2)]
        print(await toggles.apply_steps("p", steps, frozenset({"files"})))

asyncio.run(main())
"""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with open_sqlite(tmp_path / "store.db") as store:
        await Toggles(store).migrate()
        yield store


def off(*names: str) -> ToggleState:
    return ToggleState({}, frozenset(names), 0)


async def state_of(toggles: Toggles) -> ToggleState:
    return replace(await toggles.load(), generation=0)


async def test_a_new_store_has_no_switches(store: SqliteStore) -> None:
    toggles = Toggles(store)
    await toggles.migrate()

    assert await toggles.load() == ToggleState({}, frozenset(), store.generation())


async def test_choices_are_kept_with_who_and_when(store: SqliteStore) -> None:
    toggles = Toggles(store)
    await toggles.set("files/write", state=True, by="ann")
    await toggles.set("files/write", state=False, by="bob")
    await toggles.set("files/*", state=True, by="ann")
    await toggles.set("notes/add", state=True, by="ann")
    await toggles.set("notes/add", state=None, by="ann")

    choices = await toggles.list_choices()
    assert [replace(each, at="") for each in choices] == [
        Choice("files/*", state=True, by="ann", at=""),
        Choice("files/write", state=False, by="bob", at=""),
    ]
    assert all(each.at.endswith("+00:00") for each in choices)
    assert await state_of(toggles) == ToggleState(
        {"files/*": True, "files/write": False}, frozenset(), 0
    )


async def test_every_change_is_told_by_the_generation(store: SqliteStore) -> None:
    toggles, seen = Toggles(store), []
    for change in (
        toggles.set("files/write", state=False, by="ann"),
        toggles.apply_steps(PACK, [FIRST], OWNED),
        toggles.rename("files/write", "files/put"),
        toggles.set("files/put", state=None, by="ann"),
        toggles.apply_steps(PACK, [FIRST], OWNED),
        toggles.rename("files/write", "files/put"),
    ):
        before = store.generation()
        await change
        seen.append(store.generation() - before)

    assert seen == [1, 1, 1, 1, 0, 0]
    assert (await toggles.load()).generation == store.generation()


async def test_a_choice_made_elsewhere_is_loaded_at_once(
    store: SqliteStore, tmp_path: Path
) -> None:
    toggles = Toggles(store)
    old = await toggles.load()
    async with open_sqlite(tmp_path / "store.db") as other:
        await Toggles(other).set("files/write", state=False, by="ann")

    assert store.generation() > old.generation
    assert (await toggles.load()).toggles == {"files/write": False}


@pytest.mark.parametrize(
    "name", ["", "files", "Files/write", "a/b/c", "files/**/\n", "x" * 300 + "/y", "**"]
)
async def test_what_can_be_no_name_is_refused(store: SqliteStore, name: str) -> None:
    toggles = Toggles(store)
    with pytest.raises(InvalidName):
        await toggles.set(name, state=False, by="ann")

    assert await toggles.list_choices() == []


async def test_names_that_nobody_registers_are_kept(store: SqliteStore) -> None:
    toggles = Toggles(store)
    await toggles.set("stranger/tool", state=False, by="ann")
    await toggles.apply_steps(PACK, [FIRST, SECOND], OWNED)
    await toggles.set("files/write", state=False, by="ann")
    await toggles.set("files/write", state=None, by="ann")

    assert (await toggles.load()).toggles == {"stranger/tool": False}


async def test_a_fresh_start_takes_every_step_in_order(store: SqliteStore) -> None:
    toggles = Toggles(store)
    problems = await toggles.apply_steps(PACK, [SECOND, FIRST], OWNED)

    assert (problems, await state_of(toggles)) == (
        [],
        off("files/delete", "files/chmod"),
    )


async def test_an_upgrade_takes_only_the_new_step(store: SqliteStore) -> None:
    toggles = Toggles(store)
    await toggles.apply_steps(PACK, [FIRST], OWNED)
    # Had the first step been taken again, its name would be back.
    await store.write([Statement("DELETE FROM default_off")])
    await toggles.apply_steps(PACK, [FIRST, SECOND], OWNED)

    assert await state_of(toggles) == off("files/chmod")


async def test_packs_number_their_steps_apart(store: SqliteStore) -> None:
    toggles = Toggles(store)
    await toggles.apply_steps(PACK, [FIRST], OWNED)
    step = DefaultStep(1, off=("notes/purge",))
    await toggles.apply_steps("notes", [step], frozenset({"notes/add"}))

    assert await state_of(toggles) == off("files/delete", "files/move", "notes/purge")


async def test_what_a_person_switched_on_again_stays_on(store: SqliteStore) -> None:
    toggles = Toggles(store)
    await toggles.apply_steps(PACK, [FIRST], OWNED)
    await toggles.set("files/delete", state=True, by="ann")
    await toggles.set("files/chmod", state=True, by="ann")
    await toggles.apply_steps(PACK, [FIRST, SECOND], OWNED)

    assert (await toggles.load()).toggles == {"files/delete": True, "files/chmod": True}


async def test_a_rename_carries_choice_and_default_over_once(
    store: SqliteStore,
) -> None:
    toggles = Toggles(store)
    await toggles.apply_steps(PACK, [FIRST], OWNED)
    await toggles.set("files/delete", state=True, by="ann")
    for _ in range(2):
        await toggles.rename("files/delete", "files/remove")

    assert await state_of(toggles) == ToggleState(
        {"files/remove": True}, frozenset({"files/remove", "files/move"}), 0
    )


async def test_a_rename_does_not_overrule_a_choice_for_the_new_name(
    store: SqliteStore,
) -> None:
    toggles = Toggles(store)
    await toggles.set("files/delete", state=True, by="ann")
    await toggles.set("files/remove", state=False, by="ann")
    await toggles.rename("files/delete", "files/remove")
    await toggles.rename("files/remove", "files/remove")

    assert (await toggles.load()).toggles == {"files/remove": False}


async def test_a_choice_taken_back_after_a_rename_does_not_return(
    store: SqliteStore,
) -> None:
    toggles = Toggles(store)
    await toggles.set("files/delete", state=False, by="ann")
    await toggles.rename("files/delete", "files/remove")
    await toggles.set("files/remove", state=None, by="ann")
    await toggles.rename("files/delete", "files/remove")

    assert await state_of(toggles) == off()


async def test_a_step_may_name_only_the_packs_own(store: SqliteStore) -> None:
    toggles = Toggles(store)
    steps = [
        DefaultStep(1, off=("files/delete", "notes/add", "files/*")),
        DefaultStep(2, off=("files/a",), gone=("core/get-site-info",)),
        DefaultStep(2, off=("files/b",)),
    ]
    problems = await toggles.apply_steps(PACK, steps, OWNED)

    tail = "which is not an ability name in a namespace of that pack (files)."
    assert problems == [
        f"Step 1 of pack '{PACK}' names 'notes/add', {tail}",
        f"Step 1 of pack '{PACK}' names 'files/*', {tail}",
        f"Step 2 of pack '{PACK}' names 'core/get-site-info', {tail}",
        f"Pack '{PACK}' has 2 steps numbered 2; give each its own.",
    ]
    assert await state_of(toggles) == off("files/delete", "files/a", "files/b")


async def test_a_refused_name_is_off_once_it_belongs_to_the_pack(
    store: SqliteStore,
) -> None:
    toggles = Toggles(store)
    step = DefaultStep(1, off=("files/delete", "notes/purge"))
    await toggles.apply_steps(PACK, [step], OWNED)
    problems = await toggles.apply_steps(PACK, [step], OWNED | {"notes"})

    assert (problems, await state_of(toggles)) == (
        [],
        off("files/delete", "notes/purge"),
    )


async def test_two_starts_at_once_take_a_step_once(store: SqliteStore) -> None:
    # When a step is taken for the first time, its name is removed again at once; it
    # comes back if somebody else takes the step too.
    await store.write(
        [
            Statement(
                "CREATE TRIGGER once AFTER INSERT ON default_step "
                "BEGIN DELETE FROM default_off; END"
            )
        ]
    )
    starts = [Toggles(store).apply_steps(PACK, [FIRST], OWNED) for _ in range(8)]
    await asyncio.gather(*starts)

    assert await state_of(Toggles(store)) == off()


async def test_processes_that_start_at_once_take_each_step_once(tmp_path: Path) -> None:
    path, pipe = tmp_path / "new" / "store.db", asyncio.subprocess.PIPE
    arguments = ("-c", START, str(path))
    children = [
        await asyncio.create_subprocess_exec(
            sys.executable, *arguments, stdin=pipe, stdout=pipe, stderr=pipe
        )
        for _ in range(4)
    ]
    answers = await asyncio.gather(*(child.communicate(b"\n") for child in children))
    async with open_sqlite(path) as store:
        taken = await store.read("SELECT pack, number FROM default_step ORDER BY 2")
        state = await state_of(Toggles(store))

    assert answers == [(b"[]\n", b"")] * 4
    assert (taken, state) == ([("p", 1), ("p", 2)], off("files/1", "files/2"))
