"""Paths: where the pages are, and where a person may be sent."""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote

ROOT: Final = "/admin"
_LONGEST: Final = 500
# Below the root; nothing that a browser may read as another place.
_INSIDE: Final = re.compile(
    rf"{ROOT}(?:/[A-Za-z0-9._~/-]*)?(?:\?[A-Za-z0-9._~&=%+/:-]*)?"
)


def inside(wish: str, otherwise: str = ROOT) -> str:
    """Give a path that a person may be sent to.

    Args:
        wish: from an address or a form; anything.
        otherwise: in place of what leads out.

    Returns:
        A path below ``/admin``.
    """
    is_good = len(wish) <= _LONGEST and _INSIDE.fullmatch(wish) and "//" not in wish
    return wish if is_good and "/.." not in wish else otherwise


def below(path: str, **query: str) -> str:
    """Write the address of a page.

    Args:
        path: below ``/admin``; of what others named too.
        query: what follows; empty values are left out.

    Returns:
        The path from the root of the host.
    """
    said = "&".join(f"{name}={quote(value)}" for name, value in query.items() if value)
    # What is quoted already stays, and so do the parameters of a route.
    whole = ROOT if path == "/" else f"{ROOT}{quote(path, safe='/%{}:')}"
    return f"{whole}?{said}" if said else whole


def marks_of(path: str, listed: Iterable[str]) -> dict[str, str]:
    """Say where in the navigation a page is.

    Args:
        path: of the page, below ``/admin``.
        listed: paths that the navigation leads to.

    Returns:
        Path to the value of ``aria-current``: ``page`` for the page itself, ``true``
        for the section that it is in, empty for all others.
    """
    marks = dict.fromkeys(listed, "")
    around = [each for each in marks if path.startswith(f"{each}/")]
    if path in marks:
        marks[path] = "page"
    elif around:
        marks[max(around, key=len)] = "true"
    return marks
