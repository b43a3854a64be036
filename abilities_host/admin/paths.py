"""Paths: where the pages are, and where a person may be sent."""

import re
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
        path: below ``/admin``.
        query: what follows; empty values are left out.

    Returns:
        The path from the root of the host.
    """
    said = "&".join(f"{name}={quote(value)}" for name, value in query.items() if value)
    whole = ROOT if path == "/" else f"{ROOT}{path}"
    return f"{whole}?{said}" if said else whole
