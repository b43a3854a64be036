"""What is printed cannot drive a terminal, and says the same."""

import json
import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abilities_host.cli.log import quieten_log, set_up_log
from abilities_host.cli.printing import (
    complain,
    printable,
    printable_lines,
    show_table,
    wrapped,
)
from abilities_host.jsontext import json_text

ANYTHING = st.text(st.characters(categories=["C", "L", "M", "N", "P", "S", "Z"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | ANYTHING,
    lambda inner: st.lists(inner) | st.dictionaries(ANYTHING, inner),
    max_leaves=10,
)


@given(ANYTHING)
def test_printable_text_holds_nothing_that_drives_a_terminal(text: str) -> None:
    shown = printable(text)

    assert shown.isprintable()
    assert printable(shown) == shown
    assert text != shown or text.isprintable()


@given(ANYTHING)
def test_printable_lines_keep_the_lines_and_nothing_else(text: str) -> None:
    shown = printable_lines(text)

    assert shown.count("\n") == text.count("\n")
    assert shown.replace("\n", "").isprintable()


@given(JSON)
def test_json_says_the_same_without_driving_a_terminal(value: Any) -> None:
    written = json_text(value)

    assert written.replace("\n", "").isprintable()
    assert json.loads(written) == value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, naïve 漢字 🍎", "plain, naïve 漢字 🍎"),
        ("a\x1b[31mb\r\n", "a\\u001b[31mb\\u000d\\u000a"),
        ("abc\u202edcba", "abc\\u202edcba"),
        ("\x7f\x9b\u2028\ufeff", "\\u007f\\u009b\\u2028\\ufeff"),
        ("\U000e0041\ud800", "\\U000e0041\\ud800"),
    ],
)
def test_what_does_not_print_is_written_as_its_number(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_complaint_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    complain("error", "one\ntwo\x1b[2J   three")

    assert capsys.readouterr() == ("", "error: one two\\u001b[2J three\n")


def test_a_table_elsewhere_than_on_a_terminal_is_whole(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_table(("NAME", "WHY"), [("a", "x" * 100), ("longer\x07", "")])

    lines = ["NAME          WHY", f"a             {'x' * 100}", "longer\\u0007"]
    assert capsys.readouterr().out == "\n".join(lines) + "\n"


def test_wrapped_text_is_indented_as_much_as_its_title() -> None:
    shown = wrapped("word " * 20 + "x" * 80, "title ").split("\n")

    assert shown == [
        f"title {'word ' * 14}word",
        f"      {'word ' * 4}word",
        f"      {'x' * 80}",
    ]


def test_the_log_is_one_line_for_a_warning_and_whole_on_request(
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    try:
        set_up_log(is_verbose=False)
        _crash()
        logging.getLogger("x").info("left out")
        quieten_log()
        logging.getLogger("x").warning("left out too")
        short = capsys.readouterr().err
        set_up_log(is_verbose=True)
        quieten_log()
        _crash()
        long = capsys.readouterr().err
    finally:
        root.handlers = handlers
        root.setLevel(level)

    assert short == "error: it failed: ValueError: odd \\u001b\n"
    assert long.startswith(f"{short}Traceback (most recent call last):\n")
    assert long.endswith("\nValueError: odd \\u001b\n")


def _crash() -> None:
    error = ValueError("odd \x1b")
    try:
        raise error
    except ValueError:
        logging.getLogger("x").exception("it failed")
