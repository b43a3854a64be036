"""What a run said of itself is told from what the facts say."""

from pathlib import Path
from typing import Any

import pytest
from plugins.ledger.desk import open_room


async def verdict(folder: Path, name: str, facts: Any) -> tuple[str, str]:
    async with open_room(folder) as room:
        room.desk.facts = facts
        await room.run(name)
        entry = (await room.entries())[-1]
        return entry.result, entry.real


@pytest.mark.parametrize(
    ("facts", "real"),
    [
        (None, "ok"),
        (True, "ok"),
        ({"ok": True}, "ok"),
        ({"text": "x"}, "ok"),
        (False, "failed"),
        ({"ok": False, "why": "it is not there"}, "failed"),
        (0, "ok"),
    ],
)
async def test_who_verifies_has_the_last_word(
    tmp_path: Path, facts: Any, real: str
) -> None:
    assert await verdict(tmp_path, "checked", facts) == ("ok", real)


@pytest.mark.parametrize(
    ("facts", "real"),
    [
        (None, ""),
        (True, "ok"),
        ({"ok": True}, "ok"),
        ({"text": "x"}, ""),
        (False, "failed"),
        ("ok", ""),
    ],
)
async def test_where_no_state_can_be_read_only_who_verifies_can_say(
    tmp_path: Path, facts: Any, real: str
) -> None:
    assert await verdict(tmp_path, "plain", facts) == ("ok", real)


async def test_what_somebody_else_changed_proves_nothing(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("put", "a", "x")

        await room.run("made", "a", "x")

        change, ended = (await room.entries(4))[-2:]
        assert (change.partial, change.real) == ("foreign", "unchanged")
        assert (ended.result, ended.real) == ("ok", "unchanged")


async def test_a_change_that_diverges_is_listed_as_such(tmp_path: Path) -> None:
    async with open_room(tmp_path) as room:
        await room.run("fail-after")
        await room.run("put", "b")

        failed, put = [await room.ledger.get_change(seq) for seq in (2, 5)]
        assert failed is not None
        assert put is not None
        assert (failed.is_divergent, failed.effective) == (True, "changed")
        assert (put.is_divergent, put.effective) == (False, "ok")
