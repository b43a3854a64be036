"""Both states of a change, as a person reads them."""

from pathlib import Path
from typing import Any

import pytest
from plugins.ledger.shelf import change, open_shelf, other
from plugins.ledger.test_diff import Failing, Plain, Showing, file, gone, put

from abilities_host import MISSING, Domain, State
from abilities_host.ledger import ShownStates
from abilities_ledger.diff import Diffs

SEQ = 1


async def states_of(
    folder: Path,
    before: State,
    after: State,
    domain: Domain | None = None,
    **parts: Any,
) -> ShownStates | None:
    async with open_shelf(folder) as shelf:
        await put(shelf, before, after, **parts)
        found = domain or Plain()
        return await Diffs(lambda _: found, shelf.book).states(SEQ)


CASES: dict[str, tuple[State, State, ShownStates]] = {
    "a text that came": (MISSING, "one", ShownStates(MISSING, "one")),
    "bytes that went": (b"\0", MISSING, ShownStates(b"\0", MISSING)),
    "values": ({"a": 1}, {"a": True}, ShownStates({"a": 1}, {"a": True})),
    "texts that differ in a password only": (
        "ftp://a:b@c",
        "ftp://a:x@c",
        ShownStates("ftp://a:b@c", "ftp://a:x@c"),
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_states_are_given_as_they_are(tmp_path: Path, case: str) -> None:
    before, after, expected = CASES[case]
    assert await states_of(tmp_path, before, after) == expected


async def test_a_domain_says_what_a_person_reads(tmp_path: Path) -> None:
    found = await states_of(tmp_path, file(b"one"), file(b"\xff"), Showing())
    assert found == ShownStates("one", b"\xff")


async def test_what_differs_in_nothing_that_is_read_is_shown_as_it_is(
    tmp_path: Path,
) -> None:
    before, after = file(b"one"), file(b"one", 0o600)
    found = await states_of(tmp_path, before, after, Showing())
    assert found == ShownStates(before, after)


@pytest.mark.parametrize("domain", [Failing(), None])
async def test_what_cannot_be_shown_or_is_secret_is_not_given(
    tmp_path: Path, domain: Domain | None
) -> None:
    parts = {} if domain else {"partial": "secret"}
    assert await states_of(tmp_path, "a", "b", domain, **parts) is None


async def test_what_is_not_kept_is_not_given(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        [first, _] = await put(shelf, "a", "b")
        await shelf.remove_content(first)
        assert await Diffs(gone, shelf.book).states(SEQ) is None


async def test_only_changes_have_states(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append([other("veto", action="vetoed", details={}), change()])
        diffs = Diffs(gone, shelf.book)
        with pytest.raises(LookupError, match="no change 1"):
            await diffs.states(SEQ)
        assert await diffs.states(2) == ShownStates(MISSING, MISSING)
