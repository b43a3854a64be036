"""`doctor` looks at exposure, clock, issuer and what stands before the host."""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from abilities_host.cli.findings import Finding
from abilities_host.cli.network_checks import check_network
from abilities_host.config import LoadedConfig, load_config

KEYS: Mapping[str, Any] = {"keys": []}


def loaded(folder: Path, text: str) -> LoadedConfig:
    path = folder / "abilities.toml"
    path.write_text(text)
    path.chmod(0o600)
    return load_config(path, environ={}, cwd=folder)


def found(config: LoadedConfig, about: str, *, serves: bool = True) -> list[Finding]:
    findings = check_network(config, is_serving=serves)
    return [each for each in findings if each.about == about]


@contextmanager
def front(
    *, health: int = 200, refusal: int = 401, cache: str = "no-store", ahead: float = 0
) -> Iterator[str]:
    """Stand before a host that is not there, and answer in its place."""

    class Handler(BaseHTTPRequestHandler):
        def date_time_string(self, timestamp: float | None = None) -> str:
            return formatdate(time.time() + ahead, usegmt=True)

        def do_GET(self) -> None:
            self._answer(health, {"ok": True})

        def do_POST(self) -> None:
            self._answer(refusal, {"error": "no"})

        def _answer(self, status: int, said: Any) -> None:
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", cache)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(
    ("text", "severity", "part"),
    [
        ("", "ok", "It listens on 127.0.0.1; a token is asked for."),
        ('[http]\nauth = "none"', "ok", "no token is asked for."),
        ('[http]\naddress = "192.0.2.1"', "error", "no name is allowed"),
        (
            '[http]\naddress = "192.0.2.1"\nhosts = ["a.example.org"]',
            "warning",
            "tokens travel in the clear",
        ),
        (
            '[http]\nauth = "none"\ntrusted_proxies = ["127.0.0.1"]',
            "error",
            "trusted_proxies",
        ),
    ],
)
def test_from_where_it_is_reached(
    tmp_path: Path, text: str, severity: str, part: str
) -> None:
    [finding] = found(loaded(tmp_path, text), "exposure")

    assert finding.severity == severity
    assert part in finding.message
    assert bool(finding.fix) == (severity != "ok")


@pytest.mark.parametrize(
    ("front_says", "severity", "part"),
    [
        ({}, "ok", "leads to a host."),
        ({"health": 421}, "error", "with a name that is not allowed"),
        ({"health": 502}, "warning", "is answered with 502 by others"),
        ({"refusal": 200}, "error", "without a token"),
        ({"cache": "public"}, "warning", "no-store away"),
    ],
)
def test_what_stands_before_the_host_is_asked_as_clients_do(
    tmp_path: Path, front_says: dict[str, Any], severity: str, part: str
) -> None:
    with front(**front_says) as base:
        config = loaded(tmp_path, f'[http]\npublic_url = "{base}"')
        findings = found(config, "public")

    assert any(
        part in each.message and each.severity == severity for each in findings
    ), findings


def test_nothing_before_the_host_is_an_error_with_its_fix(tmp_path: Path) -> None:
    with front() as base:
        pass
    [finding] = found(loaded(tmp_path, f'[http]\npublic_url = "{base}"'), "public")

    assert finding == Finding(
        "error",
        "public",
        f"{base} does not answer (ConnectError).",
        "start what stands before the host, or mend [http] public_url",
    )


def test_nobody_is_asked_while_no_host_serves(tmp_path: Path) -> None:
    config = loaded(tmp_path, '[http]\npublic_url = "http://192.0.2.1"')

    assert found(config, "public", serves=False) == []


def test_clocks_that_differ_are_told(tmp_path: Path) -> None:
    with front(ahead=1000) as base:
        config = loaded(tmp_path, f'[http]\npublic_url = "{base}"')
        [finding] = found(config, "clock")

    assert finding.severity == "warning"
    assert f"The clocks of {base} and of this machine differ by" in finding.message


def test_a_store_from_the_future_is_an_error(tmp_path: Path) -> None:
    config = loaded(tmp_path, "")
    config.store_path.write_bytes(b"")
    later = time.time() + 3600
    os.utime(config.store_path, (later, later))

    [finding] = found(config, "clock")

    assert finding.severity == "error"
    assert "the clock is wrong" in finding.message


def test_an_issuer_that_does_not_answer_is_an_error(tmp_path: Path) -> None:
    with front() as base:
        pass
    text = f'[http.issuer]\nurl = "{base}"\nkeys = "{base}/keys"\naudience = "x"'

    [finding] = found(loaded(tmp_path, text), "issuer")

    assert finding.severity == "error"
    assert "The issuer's keys cannot be read" in finding.message
