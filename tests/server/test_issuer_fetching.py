"""Where an issuer's keys are found, and what is refused on the way to them."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from server.issuer_world import AUDIENCE, Issuer, issuing, key_set, settings
from starlette.responses import JSONResponse, RedirectResponse, Response

from abilities_host.server.issuer.addresses import (
    is_loopback,
    is_same_issuer,
    is_secure,
    metadata_addresses,
)
from abilities_host.server.issuer.discovery import load_keys
from abilities_host.server.issuer.fetching import KeysUnavailable, fetch_document
from abilities_host.server.issuer.issuer import Issuer as Verifier
from abilities_host.server.issuer.verdict import Believed, Disbelieved, Reason

METADATA = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


def verifier(issuer: Issuer, **changes: Any) -> Verifier:
    return Verifier(settings(url=issuer.url, **changes), audience=AUDIENCE)


async def test_keys_are_found_by_the_issuers_own_description(issuer: Issuer) -> None:
    verdict = await verifier(issuer).verify(issuer.token(aud=AUDIENCE))

    assert isinstance(verdict, Believed)
    assert verdict.actor.id == f"{issuer.url.removeprefix('http://')}|ada"
    assert issuer.asked == {METADATA: 1, "/keys": 1}


async def test_an_issuer_below_a_path_is_found_too() -> None:
    with issuing("/realms/a") as issuer:
        verdict = await verifier(issuer).verify(issuer.token(aud=AUDIENCE))

    assert isinstance(verdict, Believed)
    assert issuer.asked == {f"{METADATA}/realms/a": 1, "/realms/a/keys": 1}


async def test_nobody_is_asked_where_the_settings_say_it(issuer: Issuer) -> None:
    mine = verifier(issuer, keys=f"{issuer.url}/keys")

    assert isinstance(await mine.verify(issuer.token(aud=AUDIENCE)), Believed)
    assert issuer.asked == {"/keys": 1}


async def test_a_rotated_key_is_found_and_an_issuer_that_is_down_is_named(
    issuer: Issuer,
) -> None:
    mine = verifier(issuer)
    issuer.is_down = True
    token = issuer.token(aud=AUDIENCE)
    assert await mine.verify(token) == Disbelieved(Reason.UNREACHABLE)
    assert mine.problem.endswith(f"{OPENID} answers 503.")

    issuer.is_down = False
    other = verifier(issuer)
    assert isinstance(await other.verify(token), Believed)
    issuer.rotate("second")
    assert await verifier(issuer).verify(token) == Disbelieved(Reason.KEY)


def _load(issuer: Issuer) -> int:
    return len(load_keys(settings(url=issuer.url), fetch_document))


def _metadata(**changes: Any) -> Callable[[str], dict[str, Response]]:
    def answers(url: str) -> dict[str, Response]:
        right = {"issuer": url, "jwks_uri": f"{url}/keys"}
        return {METADATA: JSONResponse({**right, **changes})}

    return answers


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        (lambda _: {METADATA: Response(b"[]")}, f"{OPENID} answers 404"),
        (lambda _: {METADATA: Response(b"{")}, f"{OPENID} answers 404"),
        (_metadata(issuer="https://evil.example.org"), "describes another issuer"),
        (_metadata(issuer=7), "describes another issuer"),
        (_metadata(jwks_uri=None), "names no address of keys with https"),
        (_metadata(jwks_uri="http://example.org/keys"), "names no address of keys"),
        (_metadata(jwks_uri="file:///etc/passwd"), "names no address of keys"),
        (_metadata(jwks_uri="https://[::1"), "names no address of keys"),
        (lambda _: {"/keys": Response(b"", 204)}, "/keys answers 204"),
        (lambda _: {"/keys": Response(b"{}")}, "/keys is no key set"),
        (
            lambda url: {"/keys": RedirectResponse(f"{url}/other")},
            "/keys leads elsewhere; write the right address into",
        ),
        (
            lambda _: {"/keys": Response(b" " * (512 * 1024) + key_set())},
            "/keys answers with more than 512 KiB",
        ),
        (
            lambda _: {
                "/keys": Response(key_set(), headers={"content-length": "999999"})
            },
            "/keys does not answer",
        ),
    ],
)
def test_what_leads_to_no_keys_is_refused_with_its_reason(
    issuer: Issuer, answers: Callable[[str], dict[str, Response]], problem: str
) -> None:
    issuer.answers = answers(issuer.url)

    with pytest.raises(KeysUnavailable, match=problem):
        _load(issuer)


def test_a_description_of_openid_is_read_where_there_is_no_other(
    issuer: Issuer,
) -> None:
    documents = {
        f"{issuer.url}{OPENID}": json.dumps(
            {"issuer": issuer.url + "/", "jwks_uri": f"{issuer.url}/keys"}
        ).encode(),
        f"{issuer.url}/keys": key_set(issuer.signers[0].jwk()),
    }
    asked = []

    def fetch(address: str) -> bytes:
        asked.append(address.removeprefix(issuer.url))
        if address not in documents:
            raise KeysUnavailable(address, "answers 404")
        return documents[address]

    assert len(load_keys(settings(url=issuer.url), fetch)) == 1
    assert asked == [METADATA, OPENID, "/keys"]


def test_an_issuer_elsewhere_cannot_send_the_host_to_its_own_machine() -> None:
    def fetch(address: str) -> bytes:
        found = {"issuer": url, "jwks_uri": "http://127.0.0.1:9/keys"}
        return json.dumps(found).encode()

    url = "https://login.example.org"
    with pytest.raises(KeysUnavailable, match="names an address of this machine"):
        load_keys(settings(url=url), fetch)


def test_an_address_that_nobody_listens_at_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/keys"
        with pytest.raises(KeysUnavailable, match="does not answer"):
            fetch_document(address)
    with pytest.raises(KeysUnavailable, match="does not answer"):
        fetch_document("http://127.0.0.1:99999/")


def test_a_document_that_comes_drop_by_drop_is_given_up() -> None:
    ended = threading.Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n")
            with suppress(OSError):
                while not ended.wait(0.02):
                    connection.sendall(b" ")

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        thread = threading.Thread(target=drip, args=(listener,))
        thread.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/keys"
        with pytest.raises(KeysUnavailable, match=r"takes longer than 0\.3 seconds"):
            fetch_document(address, seconds=0.3)
        ended.set()
        thread.join()


@pytest.mark.parametrize(
    ("address", "secure", "loopback"),
    [
        ("https://login.example.org", True, False),
        ("https://127.0.0.1:8", True, True),
        ("http://127.0.0.1:8/x", True, True),
        ("http://127.9.9.9", True, True),
        ("http://[::1]:8", True, True),
        ("http://localhost", True, True),
        ("http://localhost.example.org", False, False),
        ("http://login.example.org", False, False),
        ("http://127.0.0.1.example.org", False, False),
        ("http://10.0.0.1", False, False),
        ("ftp://127.0.0.1", False, True),
        ("https://", False, False),
        ("https://[::1", False, False),
        ("", False, False),
    ],
)
def test_plain_http_is_trusted_on_this_machine_alone(
    address: str, *, secure: bool, loopback: bool
) -> None:
    assert (is_secure(address), is_loopback(address)) == (secure, loopback)


def test_an_issuer_is_asked_at_the_places_of_the_standards() -> None:
    base = "https://login.example.org"

    assert metadata_addresses(base + "/") == (base + METADATA, base + OPENID)
    assert metadata_addresses(base + "/realms/a/") == (
        f"{base}{METADATA}/realms/a",
        f"{base}{OPENID}/realms/a",
        f"{base}/realms/a{OPENID}",
    )
    assert is_same_issuer(base, base + "/")
    assert not is_same_issuer(base, base + "/a")
