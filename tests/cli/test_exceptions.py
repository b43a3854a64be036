"""Where clients are shown something else than the author's schema, it is said."""

from typing import Any

import pytest

from abilities_host.cli.exceptions import declared_exceptions
from abilities_host.schema.sanitize import sanitize

COLOURS = {"enum": ["", "red"]}
NULL_OR_NOTHING = "an optional property that may be null as well"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, ([], [], [])),
        (
            {
                "type": "object",
                "properties": {"colour": COLOURS, "size": {"enum": ["s", "m"]}},
                "additionalProperties": False,
                "required": ["colour", "size"],
            },
            (["/properties/colour"], [], []),
        ),
        (
            {
                "type": "object",
                "properties": {
                    "inner": {"type": "object", "properties": {"a": {"type": "null"}}}
                },
                "required": ["inner"],
            },
            (
                [],
                ["/", "/properties/inner"],
                [f"/properties/inner/properties/a: {NULL_OR_NOTHING}"],
            ),
        ),
        (
            {"type": "object", "additionalProperties": True, "not": COLOURS},
            ([], [], ["/: an object whose properties are not named"]),
        ),
        (
            {"type": "object", "properties": {"any": True, "list": {"type": "array"}}},
            (
                [],
                ["/"],
                [
                    "/properties/any: a value of any kind",
                    f"/properties/any: {NULL_OR_NOTHING}",
                    "/properties/list: a value of any kind",
                ],
            ),
        ),
    ],
)
def test_every_declared_exception_is_found(
    schema: dict[str, Any], expected: tuple[list[str], list[str], list[str]]
) -> None:
    found = declared_exceptions(schema, sanitize(schema))

    hidden, closed, reasons = expected
    assert found == {
        "hidden_empty_strings": hidden,
        "read_as_closed": closed,
        "strictable": not reasons,
        "not_strictable": reasons,
    }
