import os
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_files.paths import (
    canonical_path,
    check_new_name,
    choose_name,
    list_ancestors,
    spell_names,
    split_path,
)
from abilities_files.refusals import InvalidPath, OutsideRoot

PIECES = [
    "..",
    ".",
    "/",
    "a",
    "é",
    "e\u0301",
    "\\",
    " ",
    "\0",
    "\n",
    "~",
    "C:",
    "\ud800",
]
PATHS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))


@pytest.mark.parametrize(
    ("path", "spelling"),
    [
        ("a", "a"),
        ("./a//b/./c/", "a/b/c"),
        ("cafe\u0301.md", "caf\u00e9.md"),
        ("a b/.hidden", "a b/.hidden"),
        ("~/x", "~/x"),
        ("C:x", "C:x"),
    ],
)
def test_one_thing_has_one_spelling(path: str, spelling: str) -> None:
    assert canonical_path(path) == spelling


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "//x", "..", "a/../../b", "a/..", "../content/a"]
)
def test_a_path_that_leaves_the_root_says_so(path: str) -> None:
    with pytest.raises(OutsideRoot) as refusal:
        split_path(path)
    assert refusal.value.code == "outside_root"


@pytest.mark.parametrize(
    "path",
    [
        "a\\b",
        "a\0b",
        "a\nb",
        "a\x1b[31mb",
        "a\x85b",
        "a\u202eb",
        "a\u2028b",
        "a\ud800b",
        "...",
        "a/. ./b",
        "x" * 256,
        "é" * 128,
        "/".join("x" * 65),
        "x/" * 2049,
        ".abilities-0123456789abcdef.part",
        ".ABILITIES-0123456789ABCDEF.PART",
    ],
)
def test_text_that_is_no_path_is_refused_and_not_repeated(path: str) -> None:
    with pytest.raises(InvalidPath) as refusal:
        split_path(path)
    assert (refusal.value.code, path in str(refusal.value)) == (
        "outside_root" if path.startswith("/") else "invalid_path",
        False,
    )


@pytest.mark.parametrize("path", ["", ".", "./", "./."])
def test_the_root_itself_is_no_target(path: str) -> None:
    assert split_path(path) == ()
    with pytest.raises(ValueError, match="the root itself"):
        canonical_path(path)


@pytest.mark.parametrize(
    "name", ["a.", "a ", "CON", "nul.txt", "Lpt1", "com9.tar.gz", "COM¹"]
)
def test_a_name_that_not_every_system_holds_is_not_made(name: str) -> None:
    with pytest.raises(InvalidPath):
        check_new_name(name)


@pytest.mark.parametrize("name", ["console", "com10", "aux-notes.md", ".env", "a.b"])
def test_an_ordinary_name_is_made(name: str) -> None:
    check_new_name(name)


def test_the_folders_above_come_outermost_first() -> None:
    assert list_ancestors("a/b/c.md") == ["a", "a/b"]


def test_no_two_names_on_disk_are_shown_alike() -> None:
    names = ["b\udcff", "b\\xff", "caf\u00e9", "cafe\u0301", "x\x1by", "plain", "..."]
    assert spell_names(names) == [
        ("...", "...", False),
        ("b\\\\xff", "b\\xff", False),
        ("b\\xff", "b\udcff", False),
        ("cafe\\xcc\\x81", "cafe\u0301", False),
        ("caf\u00e9", "caf\u00e9", True),
        ("plain", "plain", True),
        ("x\\x1by", "x\x1by", False),
    ]


def test_a_name_in_another_unicode_form_is_found_unless_the_exact_one_is_there() -> (
    None
):
    assert [
        choose_name("caf\u00e9", ["x", "cafe\u0301"]),
        choose_name("caf\u00e9", ["cafe\u0301", "caf\u00e9"]),
        choose_name("caf\u00e9", ["cafe"]),
    ] == ["cafe\u0301", "caf\u00e9", None]


@given(PATHS)
def test_the_spelling_of_a_spelling_is_itself(path: str) -> None:
    try:
        spelling = canonical_path(path)
    except InvalidPath:
        return
    assert canonical_path(spelling) == spelling
    assert normalize("NFC", spelling) == spelling


@given(PATHS)
def test_no_path_ever_leads_out_of_the_root(path: str) -> None:
    try:
        names = split_path(path)
    except InvalidPath:
        return
    joined = os.path.normpath("/".join(["/root", *names]))
    assert joined == "/".join(["/root", *names])


@given(st.sets(st.binary(min_size=1, max_size=8), max_size=6))
def test_every_usable_spelling_leads_back_to_its_name(raw: set[bytes]) -> None:
    names = [os.fsdecode(name) for name in raw if not set(name) & {0, 47}]
    spellings = spell_names(names)
    usable = [s for s in spellings if s.is_usable]
    assert len({s.shown for s in spellings}) == len(names)
    assert [choose_name(s.shown, names) for s in usable] == [s.raw for s in usable]
    assert [split_path(s.shown) for s in usable] == [(s.shown,) for s in usable]
