"""Admin checks: what ``doctor`` sees of the pages for people."""

import http.client
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from abilities_host.accounts import Accounts
from abilities_host.cli.findings import Finding
from abilities_host.cli.link import NoPages, pages_address
from abilities_host.cli.proof import with_accounts
from abilities_host.errors import AbilitiesError

if TYPE_CHECKING:
    from abilities_host.config import HostConfig, LoadedConfig

_SECONDS: Final = 1.0
_ABOUT: Final = "pages"


def check_admin(loaded: "LoadedConfig") -> Iterator[Finding]:
    """Look at where the pages are, from where they are reached, and by whom.

    Args:
        loaded: the configuration; its host has started before.

    Yields:
        What was seen.
    """
    if not loaded.config.admin.enabled:
        sentence = "[admin] enabled is false: there are no pages for people."
        yield Finding("info", _ABOUT, sentence)
        return
    yield _check_place(loaded.config)
    yield from _check_reach(loaded.config)
    yield from _check_people(loaded)


def _check_place(config: "HostConfig") -> Finding:
    from abilities_host.cli.ports import is_free, near  # noqa: PLC0415 - a slow import

    try:
        place = pages_address(config)
    except NoPages:
        sentence = "The pages for people are where the servers are: [http] port is 0."
        return Finding("ok", _ABOUT, sentence)
    port = config.admin.port
    if port in (0, config.http.port):
        return Finding("ok", _ABOUT, f"The pages for people are at {place}.")
    address = near(config.http.address)
    if is_free(address, port):
        sentence = f"{address}:{port} is free for the pages for people."
        return Finding("ok", _ABOUT, sentence)
    if _are_pages(address, port):
        return Finding("ok", _ABOUT, f"Pages for people answer at {address}:{port}.")
    sentence = f"{address}:{port} belongs to another program, so no host can start."
    fix = "[admin] port = 0, to have the pages where the servers are, or another one"
    return Finding("warning", _ABOUT, sentence, fix)


def _are_pages(address: str, port: int) -> bool:
    """Nothing secret is sent: another program may listen there."""
    from abilities_host.admin.headers import POLICY  # noqa: PLC0415 - a slow import

    connection = http.client.HTTPConnection(address, port, timeout=_SECONDS)
    try:
        connection.request("GET", "/admin/login")
        said = connection.getresponse().getheader("content-security-policy")
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return said == POLICY


def _check_reach(config: "HostConfig") -> Iterator[Finding]:
    """Browsers say where a form comes from over https, or to this machine, only."""
    from abilities_host.server.exposure import is_loopback  # noqa: PLC0415 - same

    try:
        place = urlsplit(pages_address(config))
    except NoPages:
        place = urlsplit(f"http://{config.http.address}")
    is_sure = place.scheme == "https" or is_loopback(place.hostname or "")
    if not is_sure:
        yield _not_sure(place.geturl(), config.admin.port or config.http.port)
    if not is_loopback(config.http.address):
        sentence = (
            f"The pages listen on {config.http.address}: whoever reaches this machine "
            "sees the sign-in, and the secrets of accounts keep them out."
        )
        fix = '[http] address = "127.0.0.1", or [admin] enabled = false'
        yield Finding("info" if is_sure else "warning", _ABOUT, sentence, fix)


def _not_sure(place: str, port: int) -> Finding:
    sentence = (
        f"Nobody can sign in or change anything at {place}: only over https, or to "
        "this machine, do browsers say where a form comes from (Sec-Fetch-Site), and "
        "the pages refuse what does not say it."
    )
    fix = (
        'serve behind a proxy with TLS, [http] public_url = "https://…", or come '
        f"through a tunnel: ssh -L {port}:127.0.0.1:{port} HOST"
    )
    return Finding("warning", _ABOUT, sentence, fix)


def _check_people(loaded: "LoadedConfig") -> Iterator[Finding]:
    async def has_people(accounts: Accounts) -> bool:
        return any(account.is_active for account in await accounts.list())

    try:
        is_open = with_accounts(loaded, has_people)
    except AbilitiesError:
        return  # what is wrong with the accounts is told as such
    if not is_open:  # that nothing can be approved is told, as a warning, with those
        sentence = "Nobody can sign in to the pages: there is no account."
        yield Finding("info", _ABOUT, sentence, "abilities admin link")
