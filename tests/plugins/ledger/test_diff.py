import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.ledger.shelf import Shelf, change, content_of, open_shelf, other

from abilities_host import MISSING, Domain, State
from abilities_ledger.content import Content
from abilities_ledger.diff import Diffs
from abilities_ledger.structural import structural
from abilities_ledger.unified import (
    CHARACTERS,
    COMPARED,
    LINE_CHARACTERS,
    LINES,
    Shown,
    unified,
)

SEQ = 1


class Plain:
    """A domain whose states are shown as they are."""

    name = "notes"

    def canonical(self, target: str) -> str:
        return target

    async def capture(self, target: str) -> State:
        return MISSING

    async def restore(self, target: str, expected: State, state: State) -> None:
        return


class Showing(Plain):
    """A domain whose states are files in base64, as `abilities_files` has them."""

    def show(self, state: State) -> State:
        data = base64.b64decode(state["base64"])
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data


class Failing(Plain):
    def show(self, state: State) -> NoReturn:
        raise RuntimeError


def gone(name: str) -> Domain:
    raise LookupError(name)


def file(data: bytes, mode: int = 0o644) -> State:
    return {"kind": "file", "mode": mode, "base64": base64.b64encode(data).decode()}


async def put(shelf: Shelf, before: State, after: State, **parts: Any) -> list[Content]:
    """Record one change with its states."""
    kept = [
        None if state is MISSING else content_of(state) for state in (before, after)
    ]
    digests = [each.digest if each else None for each in kept]
    draft = change(before=digests[0], after=digests[1], **parts)
    contents = [each for each in kept if each]
    await shelf.book.append([draft], contents)
    return contents


async def diff_of(
    folder: Path, before: State, after: State, domain: Domain | None = None
) -> Mapping[str, Any]:
    async with open_shelf(folder) as shelf:
        await put(shelf, before, after)
        found = domain or Plain()
        return await Diffs(lambda _: found, shelf.book).diff(SEQ)


def shown(kind: str, text: str, sizes: tuple[int | None, int | None]) -> dict[str, Any]:
    return {
        "kind": kind,
        "text": text,
        "before_bytes": sizes[0],
        "after_bytes": sizes[1],
        "is_cut": False,
        "note": "",
    }


CASES: dict[str, tuple[State, State, dict[str, Any]]] = {
    "text": (
        "one\ntwo\nthree\n",
        "one\n2\nthree\n",
        shown("text", "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three", (14, 12)),
    ),
    "text that came": (
        MISSING,
        "né\n",
        shown("text", "@@ -0,0 +1,1 @@\n+né", (None, 4)),
    ),
    "empty text that came": (MISSING, "", shown("text", "", (None, 0))),
    "text that went": (
        "one",
        MISSING,
        shown(
            "text",
            "@@ -1,1 +0,0 @@\n-one\n\\ No newline at end of file",
            (3, None),
        ),
    ),
    "a line end that came": (
        "one",
        "one\n",
        shown(
            "text",
            "@@ -1,1 +1,1 @@\n-one\n\\ No newline at end of file\n+one",
            (3, 4),
        ),
    ),
    "object": (
        {"a": 1, "b": {"c/d": [1, 2]}, "e": None},
        {"a": 1, "b": {"c/d": [1, 3]}, "f": "x"},
        shown(
            "json",
            '- /b/c~1d/1: 2\n+ /b/c~1d/1: 3\n- /e: null\n+ /f: "x"',
            (34, 33),
        ),
    ),
    "object that came": (
        MISSING,
        {"a": 1, "b": 2},
        shown("json", "+ /a: 1\n+ /b: 2", (None, 13)),
    ),
    "number": (1, MISSING, shown("json", "- /: 1", (1, None))),
    "null": (None, [], shown("json", "- /: null\n+ /: []", (4, 2))),
    "item in between": (
        [1, 2, 3],
        [1, 9, 2, 3],
        shown("json", "+ /1: 9", (7, 9)),
    ),
    "true is not one": (
        {"a": True},
        {"a": 1},
        shown("json", "- /a: true\n+ /a: 1", (10, 7)),
    ),
    "text that became an object": (
        "x",
        {"a": 1},
        shown("json", '- /: "x"\n+ /: {"a":1}', (1, 7)),
    ),
    "bytes": (
        b"\0one",
        b"\0",
        {
            **shown("binary", "", (4, 1)),
            "note": "It is no text: only its size is shown.",
        },
    ),
    "bytes beside text": (
        b"\xff",
        "text",
        {
            **shown("binary", "", (1, 4)),
            "note": "It is no text: only its size is shown.",
        },
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_two_states_are_compared_as_what_they_are(
    tmp_path: Path, case: str
) -> None:
    before, after, expected = CASES[case]
    assert await diff_of(tmp_path, before, after) == expected


async def test_a_domain_shows_its_states(tmp_path: Path) -> None:
    found = await diff_of(tmp_path, file(b"one\n"), file(b"two\n"), Showing())
    assert found == shown("text", "@@ -1,1 +1,1 @@\n-one\n+two", (4, 4))


async def test_what_differs_elsewhere_is_told(tmp_path: Path) -> None:
    found = await diff_of(tmp_path, file(b"one"), file(b"one", 0o600), Showing())
    assert (found["kind"], found["text"]) == ("json", "- /mode: 420\n+ /mode: 384")
    assert found["note"].startswith("What a person reads did not change")


async def test_a_domain_that_cannot_show_leaves_the_sizes(tmp_path: Path) -> None:
    found = await diff_of(tmp_path, "one", "longer", Failing())
    assert found == {
        **shown("none", "", (3, 6)),
        "note": "The states are kept and cannot be shown.",
    }


async def test_states_of_a_domain_that_is_gone_are_shown_as_they_are(
    tmp_path: Path,
) -> None:
    async with open_shelf(tmp_path) as shelf:
        await put(shelf, {"a": 1}, {"a": 2})
        found = await Diffs(gone, shelf.book).diff(SEQ)
    assert found["text"] == "- /a: 1\n+ /a: 2"


async def test_no_secret_is_shown(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        await put(
            shelf,
            {"user": "ann", "password": "hunter2", "tokens": ["s3cret"], "list": [{}]},
            {"user": "bob", "password": "hunter3", "list": [{"api_key": "s3cret"}]},
        )
        await put(shelf, "see http://ann:hunter2@host\n", "gone\n")
        diffs = Diffs(gone, shelf.book)
        found = [(await diffs.diff(seq))["text"] for seq in (1, 2)]
    assert found[0].splitlines() == [
        '+ /list/0/api_key: "(hidden)"',
        '- /password: "(hidden)"',
        '+ /password: "(hidden)"',
        '- /tokens: "(hidden)"',
        '- /user: "ann"',
        '+ /user: "bob"',
    ]
    assert found[1] == "@@ -1,1 +1,1 @@\n-see http://ann:(hidden)@host\n+gone"


@pytest.mark.parametrize(
    ("partial", "note"),
    [
        ("size", "Only the digest is kept: a state was larger than the record keeps."),
        ("secret", "Only the digest is kept: it holds a secret."),
        ("", "Its content was removed from the record."),
    ],
)
async def test_what_is_not_kept_is_told_and_why(
    tmp_path: Path, partial: str, note: str
) -> None:
    async with open_shelf(tmp_path) as shelf:
        sizes = {"before_bytes": 30, "after_bytes": None}
        contents = await put(shelf, "old", MISSING, partial=partial, details=sizes)
        await shelf.remove_content(contents[0])
        found = await Diffs(gone, shelf.book).diff(SEQ)
    assert found == {**shown("none", "", (30, None)), "note": note}


async def test_what_somebody_else_did_meanwhile_is_told(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as shelf:
        await put(shelf, "a\n", "b\n", partial="foreign")
        found = await Diffs(gone, shelf.book).diff(SEQ)
    assert found["text"] == "@@ -1,1 +1,1 @@\n-a\n+b"
    assert found["note"].startswith("Somebody else changed it")


@pytest.mark.parametrize("seq", [1, 2, 99])
async def test_only_a_change_has_a_difference(tmp_path: Path, seq: int) -> None:
    async with open_shelf(tmp_path) as shelf:
        await shelf.book.append([other("intent"), other("outcome", is_listed=True)])
        with pytest.raises(LookupError, match=f"there is no change {seq}"):
            await Diffs(gone, shelf.book).diff(seq)


# --- texts --------------------------------------------------------------------


def numbered(first: int, last: int) -> str:
    return "".join(f"line {n}\n" for n in range(first, last + 1))


def test_far_places_of_a_text_are_hunks_of_their_own() -> None:
    old = numbered(1, 40)
    new = old.replace("line 10\n", "").replace("line 30\n", "line 30\nmore\n")
    assert unified(old, new) == Shown(
        "@@ -7,7 +7,6 @@\n"
        " line 7\n line 8\n line 9\n-line 10\n line 11\n line 12\n line 13\n"
        "@@ -28,6 +27,7 @@\n"
        " line 28\n line 29\n line 30\n+more\n line 31\n line 32\n line 33",
        is_cut=False,
    )


def test_a_carriage_return_that_came_shows() -> None:
    assert unified("a\n", "a\r\n").text == "@@ -1,1 +1,1 @@\n-a\n+a\r"


def test_texts_that_differ_too_much_are_not_compared_line_by_line() -> None:
    old = "same\n" + numbered(1, COMPARED + 1)
    new = "same\n" + numbered(2, COMPARED + 1) + "end\n"
    found = unified(old, new)
    lines = found.text.split("\n")
    assert (lines[0], lines[1], lines[2]) == (
        f"@@ -1,{COMPARED + 2} +1,{COMPARED + 2} @@",
        " same",
        "-line 1",
    )
    assert (len(lines), found.is_cut) == (LINES, True)


def test_what_is_shown_has_limits() -> None:
    found = unified("", "x" * (LINE_CHARACTERS + 1))
    lines = found.text.split("\n")
    assert len(lines[1]) == LINE_CHARACTERS + 1
    assert (lines[1][-1], found.is_cut) == ("…", True)

    many = unified("", f"{'y' * 400}\n" * 1000)
    assert (len(many.text) <= CHARACTERS, many.is_cut) == (True, True)

    whole = structural({}, {str(n): n for n in range(LINES)})
    assert (whole.text.count("\n"), whole.is_cut) == (LINES - 1, False)
    more = structural({}, {str(n): n for n in range(LINES + 1)})
    assert (more.text.count("\n"), more.is_cut) == (LINES - 1, True)


LINE = st.sampled_from(["a", "b", "c", "d"])
TEXT = st.lists(LINE, max_size=12).map("\n".join)


@given(TEXT, TEXT)
def test_a_unified_diff_leads_from_one_text_to_the_other(old: str, new: str) -> None:
    assert patched(old, unified(old, new).text) == new


def patched(old: str, diff: str) -> str:
    """Apply a unified diff, as the standard tool would."""
    lines = old.splitlines(keepends=True)
    done: list[str] = []
    at = 0
    mark = ""
    for line in diff.split("\n") if diff else []:
        if line.startswith("@@"):
            start, length = map(int, line.split()[1][1:].split(","))
            to = start - 1 if length else start
            done += lines[at:to]
            at = to
        elif line.startswith("\\"):
            if mark != "-":
                done[-1] = done[-1].removesuffix("\n")
        else:
            mark = line[0]
            if mark in " -":
                assert lines[at].removesuffix("\n") == line[1:]
                at += 1
            if mark in " +":
                done.append(f"{line[1:]}\n")
    return "".join([*done, *lines[at:]])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["x", "y"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    ),
    max_leaves=8,
)


@given(JSON, JSON)
def test_two_values_have_a_difference_exactly_when_they_differ(
    old: Any, new: Any
) -> None:
    is_same = content_of(old).digest == content_of(new).digest
    assert (structural(old, new).text == "") is is_same
