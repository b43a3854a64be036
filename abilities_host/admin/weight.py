"""Weight: what a text takes up in a page, so that pages stay small."""

from typing import Final

from markupsafe import escape

from abilities_host.admin.frame import visible

_FIRST: Final = 1_000  # characters of a line that is too long alone


def weight_of(text: str) -> int:
    """Count the bytes of HTML that a text becomes.

    Args:
        text: of anybody.
    """
    return len(escape(visible(text)).encode())


def shortened(text: str, room: int) -> str:
    """Cut a text at the end of a line.

    Args:
        text: of anybody.
        room: bytes of HTML.

    Returns:
        Its first lines; a part of the first when that alone is too long.
    """
    kept: list[str] = []
    for line in text.split("\n"):
        room -= weight_of(line) + 1
        if room < 0:
            break
        kept.append(line)
    if not kept and text:
        return text[:_FIRST]
    return "\n".join(kept)
