"""check_undo says what does not come back, and nothing else."""

from pathlib import Path

import pytest
from plugins.ledger.undo_world import Notes

from abilities_host.errors import LookupFailed
from abilities_host.testing import check_undo, installed_pack

PUT = ("notes/put", {"id": "a", "text": "one"})
MOVE = ("notes/move", {"source": "a", "to": "b"})


async def test_what_comes_back_is_no_problem(tmp_path: Path) -> None:
    notes = Notes()

    problems = await check_undo(("notes", notes), tmp_path, [PUT, MOVE])

    assert (problems, notes.kept) == ([], {})


async def test_what_stays_is_named(tmp_path: Path) -> None:
    notes = Notes()
    notes.keeps = "b"

    problems = await check_undo(("notes", notes), tmp_path, [PUT, MOVE])

    assert problems == ["after the undo of 'notes/move', notes:b is different"]


async def test_what_fails_is_refused_or_cannot_be_read_is_named(tmp_path: Path) -> None:
    notes = Notes()
    notes.secrets.add("a")
    drop = ("notes/drop", {"id": "never"})

    problems = await check_undo(
        ("notes", notes), tmp_path, [("notes/send", {}), drop, PUT, PUT]
    )

    assert [problem.partition(": ")[0] for problem in problems] == [
        "'notes/send' changed nothing that the host can read; name it in changes=",
        "'notes/drop' ended failed",
        "'notes/put' changed nothing that the host can read; name it in changes=",
        "the undo of 'notes/put' was refused",
    ]


def test_a_pack_that_is_not_installed_is_guessed() -> None:
    with pytest.raises(LookupFailed, match="Did you mean 'ledger'"):
        installed_pack("leger")
