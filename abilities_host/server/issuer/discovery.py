"""Discovery: from an issuer's settings to its keys."""

from typing import Any

import orjson

from abilities_host.config.network import IssuerSettings
from abilities_host.server.issuer.addresses import (
    is_loopback,
    is_same_issuer,
    is_secure,
    metadata_addresses,
)
from abilities_host.server.issuer.fetching import Fetch, KeysUnavailable
from abilities_host.server.issuer.keys import Keys, read_keys


def load_keys(settings: IssuerSettings, fetch: Fetch) -> Keys:
    """Read the keys of an issuer; blocks.

    Args:
        settings: say where they are, or whom to ask.
        fetch: reads one address.

    Returns:
        The keys.

    Raises:
        KeysUnavailable: when they cannot be found, read or used.
    """
    address = settings.keys or _keys_address(settings.url, fetch)
    return read_keys(address, fetch(address), settings.algorithms)


def _keys_address(issuer: str, fetch: Fetch) -> str:
    """Ask one place after the other; the first that describes an issuer decides."""
    failure = KeysUnavailable(issuer, "describes itself nowhere")
    for address in metadata_addresses(issuer):
        try:
            document = _document(address, fetch)
        except KeysUnavailable as error:
            failure = error
        else:
            return _address_in(document, issuer, address)
    raise failure


def _document(address: str, fetch: Fetch) -> dict[str, Any]:
    try:
        document = orjson.loads(fetch(address))
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise KeysUnavailable(address, "is no description of an issuer")
    return document


def _address_in(document: dict[str, Any], issuer: str, source: str) -> str:
    named, address = document.get("issuer"), document.get("jwks_uri")
    if not isinstance(named, str) or not is_same_issuer(named, issuer):
        raise KeysUnavailable(source, f"describes another issuer than {issuer}")
    if not isinstance(address, str) or not is_secure(address):
        raise KeysUnavailable(source, "names no address of keys with https")
    if is_loopback(address) and not is_loopback(issuer):
        raise KeysUnavailable(source, "names an address of this machine for its keys")
    return address
