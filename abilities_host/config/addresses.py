"""Addresses: the names, networks and web addresses that a setting may hold."""

import re
from ipaddress import ip_network
from typing import Final
from urllib.parse import SplitResult, urlsplit

_LABEL: Final = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME: Final = rf"(?:\*|{_LABEL})(?:\.{_LABEL})*"
_NUMBERS: Final = r"\[[0-9a-f:.]{2,45}\]"
_HOST: Final = re.compile(rf"(?:{_NAME}|{_NUMBERS})(?::[0-9]{{1,5}})?")
_SCHEMES: Final = ("http", "https")


def host_pattern(written: str) -> str:
    """Check a name that a host may be reached by.

    Args:
        written: such as ``example.org``, ``*.example.org:443`` or ``[::1]``.

    Returns:
        It in lower case, without a dot at its end.

    Raises:
        ValueError: for anything else.
    """
    name = written.lower()
    name = name.removesuffix(".")
    if len(name) <= 255 and name != "*" and _HOST.fullmatch(name):  # noqa: PLR2004 - as in DNS
        return name
    msg = (
        "expected host names such as 'example.org', '*.example.org', '[::1]' or "
        "'example.org:8443'."
    )
    raise ValueError(msg)


def network(written: str) -> str:
    """Check an address or a network.

    Args:
        written: such as ``127.0.0.1`` or ``10.0.0.0/8``.

    Returns:
        The network in its one spelling.

    Raises:
        ValueError: for anything else.
    """
    try:
        return str(ip_network(written))
    except ValueError:
        msg = "expected addresses or networks such as '127.0.0.1' or '10.0.0.0/8'."
        raise ValueError(msg) from None


def origin(written: str) -> str:
    """Check the origin of a page.

    Args:
        written: such as ``https://app.example.org``.

    Returns:
        It in lower case, as browsers send it.

    Raises:
        ValueError: for anything else.
    """
    parts = _split(written.lower())
    if parts and not (parts.path or parts.query or parts.fragment):
        return f"{parts.scheme}://{parts.netloc}"
    msg = "expected origins such as 'https://app.example.org', without a path."
    raise ValueError(msg)


def web_address(written: str) -> str:
    """Check a web address.

    Args:
        written: such as ``https://example.org/login``; empty for none.

    Returns:
        It, without a slash at its end.

    Raises:
        ValueError: for anything else, and for one that names a user.
    """
    parts = _split(written)
    if not written or (parts and not (parts.query or parts.fragment)):
        return written.rstrip("/")
    msg = "expected an address such as 'https://example.org', without a query."
    raise ValueError(msg)


def issuer_address(written: str) -> str:
    """Check the name of an issuer, which is a web address.

    Args:
        written: such as ``https://login.example.org``; empty for none.

    Returns:
        It, with the slash at its end where its tokens have one.

    Raises:
        ValueError: as for any web address.
    """
    web_address(written)
    return written


def _split(written: str) -> SplitResult | None:
    if not written.isprintable() or " " in written:
        return None
    try:
        parts = urlsplit(written)
        has_place = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    is_web = parts.scheme in _SCHEMES and "@" not in parts.netloc and has_place
    return parts if is_web else None
