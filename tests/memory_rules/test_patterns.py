"""Patterns match what the plain definition of them says, and in little time."""

from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abilities_host.memory.broken import RuleBroken
from abilities_host.memory.patterns import CHARACTERS, Patterns

EMPTY = "no name has an empty part, '.' or '..'; write it without."
PARTS = st.text(alphabet="ab*?", min_size=1, max_size=4).filter(lambda p: "**" not in p)
PATTERNS = st.lists(PARTS | st.just("**"), min_size=1, max_size=6).map("/".join)
NAMES = st.lists(st.text(alphabet="ab", max_size=4), min_size=1, max_size=7).map(
    "/".join
)


def fits(pattern: list[str], name: list[str]) -> bool:
    """Say by definition whether a pattern names a thing or something above it."""
    if not pattern:
        return True
    if pattern[0] == "**":
        return any(fits(pattern[1:], name[skip:]) for skip in range(len(name) + 1))
    return bool(name) and fits_part(pattern[0], name[0]) and fits(pattern[1:], name[1:])


def fits_part(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(fits_part(pattern[1:], name[i:]) for i in range(len(name) + 1))
    return (
        bool(name)
        and (pattern[0] in ("?", name[0]))
        and fits_part(pattern[1:], name[1:])
    )


def matches(pattern: str, name: str) -> bool:
    return Patterns([pattern], "targets").match(name)


@given(PATTERNS, NAMES)
@example("a*b*/**/a/**/b", "aabab/a/b/a/a/b/b")
@example("**/a/b/**/a", "a/a/b/b/a")
@example("*a*ab", "aaab")
@example("a/**/*", "a")
@example("a*b*a", "aa/ba")
def test_a_pattern_matches_what_its_definition_says(pattern: str, name: str) -> None:
    assert matches(pattern, name) == fits(pattern.split("/"), name.split("/"))


@given(NAMES.filter(lambda name: all(name.split("/"))), NAMES)
def test_a_name_covers_itself_and_all_that_is_below(name: str, below: str) -> None:
    assert matches(name, name)
    assert matches(f"{name}/", f"{name}/{below}")
    assert matches(f"{name}/**", name)
    assert not matches(name, f"{name}x")


@given(st.text(alphabet=st.characters(exclude_characters="*?/"), min_size=1))
@example("cafe\u0301")
def test_everything_else_stands_for_itself(text: str) -> None:
    if not text.isprintable() or text in (".", ".."):
        return
    assert matches(text, text)
    assert matches(text, normalize("NFC", text))
    assert not matches(text, f"{text}{text}")


@given(st.lists(PATTERNS, min_size=1, max_size=4), NAMES)
def test_any_of_several_may_match(patterns: list[str], name: str) -> None:
    several = Patterns(patterns, "targets").match(name)
    assert several == any(matches(pattern, name) for pattern in patterns)


@given(st.lists(PATTERNS, min_size=1, max_size=4), NAMES)
@example(["a/**"], "a")
@example(["**/b"], "b")
def test_what_matches_holds_a_needle_and_has_a_head(
    patterns: list[str], name: str
) -> None:
    several = Patterns(patterns, "targets")
    if several.match(name):
        assert any(needle in name for needle in several.needles)
        assert several.heads is None or name.split("/", maxsplit=1)[0] in several.heads


@pytest.mark.parametrize(
    ("pattern", "needle"),
    [("**", ""), ("config/**", "config"), ("**/app.?oml", "app."), ("a/b*/c", "a/b")],
)
def test_a_needle_is_the_longest_that_must_be_there(pattern: str, needle: str) -> None:
    assert Patterns([pattern], "targets").needles == {needle}


@pytest.mark.parametrize(
    ("patterns", "heads"),
    [
        (["config/**", "a"], {"config", "a"}),
        (["/etc/*"], {""}),
        (["a", "**/b"], None),
        (["a?/b"], None),
    ],
)
def test_heads_are_known_where_every_pattern_has_one(
    patterns: list[str], heads: set[str] | None
) -> None:
    assert Patterns(patterns, "targets").heads == heads


def test_an_absolute_name_begins_with_an_empty_part() -> None:
    match = Patterns(["/etc/*"], "targets").match
    assert [bool(match(name)) for name in ("/etc/a", "etc/a", "/etc", "x/etc/a")] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("", "a pattern is empty; write '**' for everything."),
        ("///", "a pattern is empty; write '**' for everything."),
        ("a" * (CHARACTERS + 1), "a pattern is longer than 1000 characters."),
        ("a\u202eb", "'a\\u202eb' holds what nobody can see."),
        (
            "a**/b",
            "'a**/b' matches nothing: '**' is a part of its own, between slashes.",
        ),
        ("./a", "'./a' matches nothing: " + EMPTY),
        ("a/../b", "'a/../b' matches nothing: " + EMPTY),
        ("a//b", "'a//b' matches nothing: " + EMPTY),
    ],
)
def test_what_is_no_pattern_is_refused(pattern: str, sentence: str) -> None:
    with pytest.raises(RuleBroken) as refused:
        Patterns(["fine", pattern], "targets")
    assert str(refused.value) == (
        f"The rule cannot be enforced in 'targets': {sentence}"
    )


@pytest.mark.parametrize(
    "pattern",
    ["/".join(["**", "a"] * 200), "*a" * 400, "/".join(["*a*"] * 200) + "/**/b"],
)
@pytest.mark.parametrize("name", ["a" * 4000, "a/" * 2000 + "b", "a" * 4000 + "b"])
def test_no_pattern_takes_long(pattern: str, name: str) -> None:
    # One that went back would not be done within the time that a test has.
    assert isinstance(Patterns([pattern] * 5, "targets").match(name), bool)
