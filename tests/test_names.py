import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from abilities_host import exposed_name, original_name
from abilities_host.names import ABILITY_NAME, namespace_of

TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
WORDS = st.text("ab0-", min_size=1, max_size=80)
LONG = st.text("ab0-", min_size=33, max_size=80)
SHORT = st.text("ab0-", min_size=1, max_size=31)


def names(words: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds("{}/{}".format, words, words)


def test_the_exposed_name_of_an_ability_has_an_underscore_for_its_slash() -> None:
    assert exposed_name("files/write-all") == "files_write-all"


def test_a_long_name_is_cut_and_ends_in_its_hash() -> None:
    name = f"files/{'w' * 100}"
    assert exposed_name(name) == f"files_{'w' * 49}_2b0b17ee"


def test_a_name_cut_inside_its_namespace_does_not_look_whole() -> None:
    name = f"{'n' * 60}/write"
    tool = exposed_name(name)
    assert re.fullmatch(rf"{'n' * 54}__[0-9a-f]{{8}}", tool)
    assert original_name(tool) is None


@given(names(SHORT))
def test_a_name_that_fits_comes_back_whole(name: str) -> None:
    assert original_name(exposed_name(name)) == name


@given(names(WORDS))
def test_every_exposed_name_is_one_that_clients_accept(name: str) -> None:
    tool = exposed_name(name)
    assert TOOL_NAME.fullmatch(tool)
    assert original_name(tool) in (name, None)


@given(names(WORDS), names(WORDS))
@example("a/b-c", "a-b/c")
@example(f"{'n' * 55}/{'a' * 20}", f"{'n' * 55}/{'b' * 20}")
def test_two_names_never_share_a_tool_name(one: str, two: str) -> None:
    assume(one != two)
    assert exposed_name(one) != exposed_name(two)


@given(names(LONG), names(SHORT))
def test_no_shortened_name_can_be_taken_for_a_whole_one(long: str, short: str) -> None:
    tool = exposed_name(long)
    assert re.search(r"_[0-9a-f]{8}$", tool)
    assert tool.count("_") >= 2
    assert tool != exposed_name(short)


@given(names(WORDS), st.integers(12, 64))
def test_a_shorter_limit_is_kept(name: str, limit: int) -> None:
    assert len(exposed_name(name, limit)) <= limit


@given(st.text("ab/_-A. \n", max_size=12))
def test_only_a_whole_tool_name_gives_an_ability_name(tool: str) -> None:
    name = original_name(tool)
    if name is not None:
        assert ABILITY_NAME.fullmatch(name)
        assert exposed_name(name) == tool


@pytest.mark.parametrize(
    "tool", ["", "_", "files", "files/write", "files_write_", "_write", "Files_write"]
)
def test_what_is_no_tool_name_gives_nothing(tool: str) -> None:
    assert original_name(tool) is None


def test_the_namespace_is_what_stands_before_the_slash() -> None:
    assert namespace_of("files/write") == "files"
