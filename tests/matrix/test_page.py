"""The page of refusals says what the matrix shows."""

from docs.pages import page, rows
from matrix.words import answer_rows, reason_rows

PAGE = "reference/refusals.md"


def test_the_table_of_reasons_is_that_of_the_matrix() -> None:
    assert rows(page(PAGE), "## Why, and what a caller sees") == list(reason_rows())


def test_the_table_of_answers_is_that_of_the_matrix() -> None:
    told = rows(page(PAGE), "## What each of these is")

    assert [row[:3] for row in told] == list(answer_rows())
