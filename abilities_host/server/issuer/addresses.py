"""Addresses: where an issuer says what it is, and which of them can be trusted."""

from urllib.parse import urlsplit, urlunsplit

from abilities_host.server import exposure

_SERVER = "/.well-known/oauth-authorization-server"
_OPENID = "/.well-known/openid-configuration"


def is_loopback(address: str) -> bool:
    """Answer whether an address never leaves this machine.

    Args:
        address: an absolute web address.

    Returns:
        False for what cannot be read too.
    """
    try:
        return exposure.is_loopback(urlsplit(address).hostname or "")
    except ValueError:
        return False


def is_secure(address: str) -> bool:
    """Answer whether nobody on the way can change what an address answers.

    Args:
        address: an absolute web address.

    Returns:
        True for https, and for http on this machine.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    is_plain_here = parts.scheme == "http" and is_loopback(address)
    return bool(parts.hostname) and (parts.scheme == "https" or is_plain_here)


def metadata_addresses(issuer: str) -> tuple[str, ...]:
    """List where an issuer may describe itself.

    Args:
        issuer: its name, an absolute web address.

    Returns:
        The places of RFC 8414, then that of OpenID Connect.
    """
    parts = urlsplit(issuer)
    base = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
    path = parts.path.rstrip("/")
    standard = (f"{base}{_SERVER}{path}", f"{base}{_OPENID}{path}")
    return (*standard, f"{base}{path}{_OPENID}") if path else standard


def is_same_issuer(one: str, other: str) -> bool:
    """Answer whether two names are those of one issuer.

    Args:
        one: a name.
        other: another.

    Returns:
        True where they differ by a slash at the end at most, which people lose when
        they copy an address.
    """
    return one.rstrip("/") == other.rstrip("/")
