from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.schema.pointer import (
    NowhereError,
    Pointer,
    find_place,
    look_up,
    printable,
    read_pointer,
    write_pointer,
)

VALUE: dict[str, Any] = {"a": [{"b/c~d": 1}, 2], "": {"é": 3}, "0": 4}


@pytest.mark.parametrize(
    ("written", "place", "found"),
    [
        ("", (), VALUE),
        ("/a/0/b~1c~0d", ("a", 0, "b/c~d"), 1),
        ("/a/1", ("a", 1), 2),
        ("//%C3%A9", ("", "é"), 3),
        ("/0", ("0",), 4),
    ],
)
def test_a_pointer_leads_to_its_place(written: str, place: Pointer, found: Any) -> None:
    assert find_place(VALUE, read_pointer(written)) == place
    assert look_up(VALUE, place) == found


@pytest.mark.parametrize(
    "written",
    ["/b", "/a/2", "/a/-1", "/a/01", "/a/x", "/0/0", "/a/0/b", "/a/9999999999"],
)
def test_a_pointer_to_nothing_is_an_error(written: str) -> None:
    with pytest.raises(NowhereError):
        find_place(VALUE, read_pointer(written))


@given(st.lists(st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=8)))
def test_what_is_written_can_be_read(tokens: list[str]) -> None:
    written = write_pointer(tuple(tokens)).replace("%", "%25")

    assert read_pointer(written) == tuple(tokens)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("title", "title"),
        ("a\x1b[31m\u202eb\n", "a\\u001b[31m\\u202eb\\u000a"),
        ("x" * 65, "x" * 64 + "…"),
    ],
)
def test_a_name_is_shown_escaped_and_short(name: str, shown: str) -> None:
    assert printable(name) == shown
    assert write_pointer((name,)) == f"/{shown}"
