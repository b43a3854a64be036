"""Names of a host and origins of pages: the whole table of what is let through."""

import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server.http_world import Header, ask, served

from abilities_host.server.names import _pattern

CONFIG = """
[http]
hosts = ["abilities.example.org", "*.team.example.org:8443", "[2001:db8::1]"]
origins = ["https://app.example.org"]
public_url = "https://public.example.org:444"
"""


def host(name: str) -> Header:
    return (b"host", name.encode("latin-1"))


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("abilities.example.org", 200),
        ("abilities.example.org:8765", 200),
        ("ABILITIES.Example.Org", 200),
        ("abilities.example.org.", 200),
        ("abilities.example.org.:80", 200),
        ("a.team.example.org:8443", 200),
        ("public.example.org:444", 200),
        ("[2001:db8::1]", 200),
        ("[2001:db8::1]:1", 200),
        ("127.0.0.1", 200),
        ("a.team.example.org", 421),
        ("a.team.example.org:8444", 421),
        ("a.b.team.example.org:8443", 421),
        (".team.example.org:8443", 421),
        ("public.example.org", 421),
        ("abilities.example.org..", 421),
        ("abilities.example.org:", 421),
        ("abilities.example.org:x", 421),
        ("abilities.example.org:123456", 421),
        ("abilities.example.org@evil.example", 421),
        ("abilities-example.org", 421),
        ("evil.example", 421),
        ("2001:db8::1", 421),
        ("[2001:db8::1].", 421),
        ("", 421),
        ("\xe9", 421),
    ],
)
async def test_a_host_answers_to_its_names_only(
    tmp_path: Path, name: str, status: int
) -> None:
    async with served(tmp_path, config=CONFIG) as (app, _):
        reply = await ask(app, "GET", "/healthz", headers=[host(name)])

    assert reply.status == status


@pytest.mark.parametrize(
    "headers", [[], [host("127.0.0.1"), host("127.0.0.1")]], ids=["none", "two"]
)
async def test_a_request_names_the_host_once(
    tmp_path: Path, headers: list[Header]
) -> None:
    async with served(tmp_path, config=CONFIG) as (app, _):
        reply = await ask(app, "GET", "/healthz", headers=headers)

    assert (reply.status, reply.json) == (
        421,
        {
            "error": "This host does not serve that name. Its owner can allow it with "
            "[http] hosts.",
            "code": "host_not_allowed",
        },
    )


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://app.example.org", 200),
        ("HTTPS://APP.example.org", 200),
        ("https://abilities.example.org", 200),
        ("http://127.0.0.1:8765", 200),
        ("http://app.example.org", 403),
        ("https://app.example.org:8443", 403),
        ("https://evil.example", 403),
        ("null", 403),
        ("ftp://127.0.0.1", 403),
        ("https://", 403),
    ],
)
async def test_a_page_calls_from_an_origin_that_is_allowed_only(
    tmp_path: Path, origin: str, status: int
) -> None:
    headers = [host("127.0.0.1"), (b"origin", origin.encode())]
    async with served(tmp_path, config=CONFIG) as (app, _):
        reply = await ask(app, "GET", "/healthz", headers=headers)

    assert reply.status == status


async def test_the_owner_reads_once_what_to_write_and_no_control_character(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    name = host("evil.example\x1b[31m\nx")
    with caplog.at_level(logging.WARNING, "abilities_host.server.names"):
        async with served(tmp_path) as (app, _):
            for _ in range(3):
                await ask(app, "GET", "/healthz", headers=[name])

    [told] = [record.getMessage() for record in caplog.records]
    assert told == (
        "a request for evil.example?[31m?x was refused; if it is yours, add it to "
        "[http] hosts"
    )


async def test_the_log_of_refused_names_is_bounded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "abilities_host.server.names"):
        async with served(tmp_path) as (app, _):
            for number in range(150):
                await ask(app, "GET", "/healthz", headers=[host(f"evil{number}")])

    assert len(caplog.records) == 100


@given(st.text(max_size=60))
def test_no_name_outside_the_list_passes(name: str) -> None:
    names = _pattern(("127.0.0.1",), ("a.example", "*.b.example:1"), "")
    allowed = {"127.0.0.1", "a.example", "127.0.0.1.", "a.example."}
    if names.fullmatch(name):
        stem, _, port = name.partition(":")
        assert stem in allowed or (stem.rstrip(".").endswith(".b.example"), port) == (
            True,
            "1",
        )
