"""Fetching: a small document from an issuer, in bounded time and size."""

import time
from collections.abc import Callable
from typing import Final

import httpx2

from abilities_host.errors import AbilitiesError
from abilities_host.server.issuer.addresses import is_loopback

DOCUMENT_BYTES: Final = 512 * 1024
DOCUMENT_SECONDS: Final = 5.0

Fetch = Callable[[str], bytes]

# Packed content could be far larger than what arrives.
_HEADERS: Final = {"Accept": "application/json", "Accept-Encoding": "identity"}


class KeysUnavailable(AbilitiesError):
    """Raised when an issuer's keys, or the way to them, cannot be read."""

    def __init__(self, address: str, problem: str) -> None:
        super().__init__(f"The issuer's keys cannot be read: {address} {problem}.")


def fetch_document(address: str, seconds: float = DOCUMENT_SECONDS) -> bytes:
    """Fetch a document; blocks.

    Args:
        address: where it is. Nothing is followed to another address.
        seconds: how long connecting may take, and how long the rest.

    Returns:
        At most 512 KiB.

    Raises:
        KeysUnavailable: when it does not come whole, in time, at once.
    """
    client = httpx2.Client(
        timeout=seconds,
        headers=_HEADERS,
        trust_env=not is_loopback(address),  # a proxy knows another loopback
    )
    try:
        with client, client.stream("GET", address) as response:
            _check_status(address, response)
            return _body(address, response, seconds)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        problem = f"does not answer ({type(error).__name__})"
        raise KeysUnavailable(address, problem) from error


def _check_status(address: str, response: httpx2.Response) -> None:
    if response.is_redirect:
        raise KeysUnavailable(
            address, "leads elsewhere; write the right address into [http.issuer]"
        )
    if response.status_code != httpx2.codes.OK:
        raise KeysUnavailable(address, f"answers {response.status_code}")


def _body(address: str, response: httpx2.Response, seconds: float) -> bytes:
    body, ends = bytearray(), time.monotonic() + seconds
    for part in response.iter_raw():
        body += part
        if len(body) > DOCUMENT_BYTES:
            raise KeysUnavailable(address, "answers with more than 512 KiB")
        if time.monotonic() > ends:
            raise KeysUnavailable(address, f"takes longer than {seconds:g} seconds")
    return bytes(body)
