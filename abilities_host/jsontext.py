"""JSON for people: indented, and harmless wherever it is shown."""

import json
from typing import Any


def json_text(value: Any) -> str:
    """Write a value as JSON that is harmless on a terminal and in a page.

    Args:
        value: a JSON value; keys keep their order.

    Returns:
        Indented JSON; what does not print is escaped as JSON does it.
    """
    written = json.dumps(value, ensure_ascii=False, indent=2)
    if written.replace("\n", "").isprintable():
        return written
    # Whatever does not print is inside a string, where JSON may escape it.
    return "".join(
        c if c == "\n" or c.isprintable() else json.dumps(c)[1:-1] for c in written
    )


def readable(text: str) -> str:
    """Lay out what is JSON; everything else is given as it is.

    Args:
        text: of anybody.

    Returns:
        Indented JSON, or the text.
    """
    try:
        return json_text(json.loads(text))
    except (ValueError, RecursionError):
        return text
