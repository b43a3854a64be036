"""Exposure: from where a host may be reached, and what it must ask for then."""

from ipaddress import ip_address
from typing import Final

from abilities_host.config import HostConfig
from abilities_host.errors import StartRefused

LOCALHOST: Final = "127.0.0.1"

_IN_THE_CLEAR: Final = (
    "[http] address can be reached from other machines and public_url is not https: "
    "tokens travel in the clear unless something encrypts them on the way."
)


def is_loopback(address: str) -> bool:
    """Answer whether only this machine reaches an address.

    Args:
        address: of IPv4 or IPv6, or ``localhost``.

    Returns:
        False for whatever else, names included: they may lead anywhere.
    """
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def check_exposure(config: HostConfig) -> tuple[str, ...]:
    """Refuse to be reached by whom nobody checks.

    Args:
        config: its ``[http]``.

    Returns:
        Sentences about what is allowed and unwise.

    Raises:
        StartRefused: with the reason and what to write.
    """
    http = config.http
    if http.auth == "none":
        _check_open(config)
    if is_loopback(http.address):
        return ()
    if not _is_address(http.address):
        raise StartRefused(
            f"{http.address!r} is no address. Write one of this machine, such as "
            f'[http] address = "{LOCALHOST}", or "0.0.0.0" for all of them.'
        )
    if not http.hosts:
        raise StartRefused(
            f"The address {http.address!r} can be reached from other machines, and no "
            "name is allowed: a page in a browser could lead here. Write the names "
            'clients use, such as [http] hosts = ["abilities.example.org"], or serve '
            f'this machine only with [http] address = "{LOCALHOST}".'
        )
    if http.public_url.startswith("https://"):
        return ()
    return (_IN_THE_CLEAR,)


def _check_open(config: HostConfig) -> None:
    """Without a token whoever reaches the host may call: only this machine then."""
    http = config.http
    others = {
        "address": "" if is_loopback(http.address) else http.address,
        "hosts": ", ".join(http.hosts),
        "trusted_proxies": ", ".join(http.trusted_proxies),
        "public_url": http.public_url,
        "issuer.url": http.issuer.url,
    }
    for key, value in others.items():
        if value:
            raise StartRefused(
                f'[http] auth = "none" lets everybody call, and {key} = {value!r} '
                'opens the host to others. Write auth = "token", or leave '
                f"{key} out."
            )


def _is_address(written: str) -> bool:
    try:
        ip_address(written)
    except ValueError:
        return False
    return True
