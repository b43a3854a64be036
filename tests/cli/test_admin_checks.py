"""`doctor` says where the pages for people are, who reaches them, and who cannot."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cli.conftest import Command
from cli.record_world import ANA, Scripted, make_host
from cli.test_doctor import seen

from abilities_host.admin.headers import POLICY
from abilities_host.cli.accounts import add
from abilities_host.cli.admin_checks import check_admin
from abilities_host.cli.findings import Finding
from abilities_host.config import LoadedConfig, load_config
from abilities_host.opening import open_host
from abilities_host.testing import write_config

NOBODY = Finding(
    "info",
    "pages",
    "Nobody can sign in to the pages: there is no account.",
    "abilities admin link",
)
AT = Finding("ok", "pages", "The pages for people are at http://127.0.0.1:8765/admin.")


def started(folder: Path, text: str = "") -> LoadedConfig:
    """Give a configuration whose host has started once."""
    path = write_config(folder, text)
    loaded = load_config(path, environ={}, cwd=folder)

    async def start() -> None:
        async with open_host(loaded, finds_packs=False):
            pass

    asyncio.run(start())
    return loaded


@contextmanager
def answering(policy: str) -> Iterator[int]:
    """Stand where pages are expected, and answer in their place."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Security-Policy", policy)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_doctor_tells_where_they_are_and_that_nobody_can_sign_in(
    tmp_path: Path, command: Command
) -> None:
    loaded = make_host(tmp_path)

    ended = command("doctor", "--json", "--config", loaded.path)

    assert seen(ended, "pages") == [
        ("ok", AT.message, ""),
        ("info", NOBODY.message, NOBODY.fix),
    ]


def test_with_an_account_there_is_nothing_to_mend(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    add(loaded, "ana", None, person=Scripted(ANA, ANA))

    assert list(check_admin(loaded)) == [AT]


def test_accounts_that_cannot_be_read_are_told_elsewhere(tmp_path: Path) -> None:
    loaded = make_host(tmp_path)
    loaded.store_path.write_bytes(b"garbage" * 1000)

    assert list(check_admin(loaded)) == [AT]


def test_pages_that_are_not_wanted_are_said_and_that_is_all(tmp_path: Path) -> None:
    loaded = started(tmp_path, "[admin]\nenabled = false\nport = 1\n")

    sentence = "[admin] enabled is false: there are no pages for people."
    assert list(check_admin(loaded)) == [Finding("info", "pages", sentence)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[http]\nport = 9000\n", "at http://127.0.0.1:9000/admin."),
        ("[admin]\nport = 8765\n", "at http://127.0.0.1:8765/admin."),
        ("[http]\nport = 0\n", "where the servers are: [http] port is 0."),
        (
            '[http]\npublic_url = "https://abilities.example.org"\n',
            "at https://abilities.example.org/admin.",
        ),
        ('[http]\naddress = "::1"\n', "at http://[::1]:8765/admin."),
    ],
)
def test_where_they_are_with_the_servers(
    tmp_path: Path, text: str, sentence: str
) -> None:
    found = list(check_admin(started(tmp_path, text)))

    place = Finding("ok", "pages", f"The pages for people are {sentence}")
    assert found == [place, NOBODY]


def test_a_port_of_their_own_is_free_or_theirs_or_of_another(tmp_path: Path) -> None:
    def place(port: int) -> Finding:
        loaded = started(tmp_path, f"[admin]\nport = {port}\n")
        return next(iter(check_admin(loaded)))

    free = free_port()
    found = [place(free)]
    with answering(POLICY) as theirs:
        found.append(place(theirs))
    with answering("default-src 'self'") as other:
        found.append(place(other))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        mute = silent.getsockname()[1]
        found.append(place(mute))

    taken = "belongs to another program, so no host can start."
    fix = "[admin] port = 0, to have the pages where the servers are, or another one"
    assert found == [
        Finding("ok", "pages", f"127.0.0.1:{free} is free for the pages for people."),
        Finding("ok", "pages", f"Pages for people answer at 127.0.0.1:{theirs}."),
        Finding("warning", "pages", f"127.0.0.1:{other} {taken}", fix),
        Finding("warning", "pages", f"127.0.0.1:{mute} {taken}", fix),
    ]


PLAIN = (
    "Nobody can sign in or change anything at {}: only over https, or to this machine, "
    "do browsers say where a form comes from (Sec-Fetch-Site), and the pages refuse "
    "what does not say it."
)
LISTENING = (
    "The pages listen on 0.0.0.0: whoever reaches this machine sees the sign-in, and "
    "the secrets of accounts keep them out."
)
TLS = 'public_url = "https://abilities.example.org"\n'
NAMES = 'hosts = ["abilities.example.org"]\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '[http]\npublic_url = "http://abilities.example.org"\n',
            [("warning", PLAIN.format("http://abilities.example.org/admin"))],
        ),
        (
            f'[http]\naddress = "0.0.0.0"\n{NAMES}',
            [
                ("warning", PLAIN.format("http://0.0.0.0:8765/admin")),
                ("warning", LISTENING),
            ],
        ),
        (
            f'[http]\naddress = "0.0.0.0"\nport = 0\n{NAMES}',
            [("warning", PLAIN.format("http://0.0.0.0")), ("warning", LISTENING)],
        ),
        (
            f'[http]\naddress = "0.0.0.0"\n{NAMES}{TLS}',
            [("info", LISTENING)],
        ),
        ('[http]\npublic_url = "http://localhost:9000"\n', []),
    ],
    ids=["plain name", "all addresses", "no port", "behind TLS", "this machine"],
)
def test_from_where_browsers_can_use_them(
    tmp_path: Path, text: str, told: list[tuple[str, str]]
) -> None:
    _, *found, last = check_admin(started(tmp_path, text))

    assert [(each.severity, each.message) for each in found] == told
    assert all(each.fix for each in found)
    assert last == NOBODY


def test_the_public_address_is_not_that_of_a_port_of_their_own(tmp_path: Path) -> None:
    port = free_port()
    text = f'[http]\naddress = "0.0.0.0"\n{NAMES}{TLS}[admin]\nport = {port}\n'

    _, plain, listening, _ = check_admin(started(tmp_path, text))

    assert plain.message == PLAIN.format(f"http://0.0.0.0:{port}/admin")
    assert f"ssh -L {port}:127.0.0.1:{port} HOST" in plain.fix
    assert listening.severity == "warning"
