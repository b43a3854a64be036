"""`doctor` looks at token, port and its own answers, as a client would meet them."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from cli.conftest import Command
from cli.test_doctor import seen
from cli.world import make_demo

from abilities_host.cli.findings import Finding
from abilities_host.cli.install import http_server
from abilities_host.cli.serving_checks import check_serving
from abilities_host.config import LoadedConfig, load_config
from abilities_host.server.http import PATH
from abilities_host.server.serving import PORT
from abilities_host.threads import run_in_thread


def load(config: Path, flags: dict[str, int] | None = None) -> LoadedConfig:
    return load_config(config, environ={}, flags=flags, cwd=config.parent)


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[int]:
    """Listen, and answer every request with the same bytes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def port_finding(config: Path, port: int) -> Finding:
    loaded = load(config, {"http.port": port})
    return next(each for each in check_serving(loaded) if each.about == "port")


def test_a_port_that_nobody_has_is_free(tmp_path: Path) -> None:
    config = make_demo(tmp_path)
    with taken_port() as port:
        pass

    finding = port_finding(config, port)

    sentence = f"127.0.0.1:{port} is free for abilities serve."
    assert finding == Finding("ok", "port", sentence)


@pytest.mark.parametrize(
    "answer",
    [b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhello", b""],
    ids=["no http", "no json", "nothing"],
)
async def test_a_port_of_another_program_is_a_warning(
    tmp_path: Path, answer: bytes
) -> None:
    config = await run_in_thread(lambda: make_demo(tmp_path))

    async with answering(answer) as port:
        finding = await run_in_thread(lambda: port_finding(config, port))

    place = f"127.0.0.1:{port}"
    assert finding == Finding(
        "warning",
        "port",
        f"{place} belongs to another program, so abilities serve cannot have it.",
        "abilities serve --port 0",
    )


async def test_a_host_that_serves_there_is_known_without_showing_it_a_token(
    tmp_path: Path,
) -> None:
    config = await run_in_thread(lambda: make_demo(tmp_path))
    answer = b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"ok":true}'

    async with answering(answer) as port:
        finding = await run_in_thread(lambda: port_finding(config, port))

    assert finding == Finding("ok", "port", f"A host serves at 127.0.0.1:{port}.")


def test_the_token_is_looked_at_and_never_printed(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path)
    token = tmp_path / "token"
    missing = command("doctor", "--json", "--config", config)
    token.write_text("s" * 43)
    token.chmod(0o600)
    good = command("doctor", "--json", "--config", config)
    token.chmod(0o644)

    opened = command("doctor", "--json", "--config", config)

    told = f"{token} does not exist yet; abilities serve makes it."
    assert seen(missing, "token") == [("info", told, "")]
    assert seen(good, "token") == [("ok", f"{token} can be read by you only.", "")]
    ((severity, sentence, fix),) = seen(opened, "token")
    assert (missing.code, good.code, opened.code) == (0, 0, 1)
    assert (severity, fix) == ("error", f"rm '{token}'")
    assert sentence.startswith(f"The token file {token} is open to others")
    assert "s" * 43 not in good.out + opened.out


def test_a_listing_that_is_too_large_is_a_warning_with_its_fix(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, end="[limits]\nlisting_bytes = 1024")

    ended = command("doctor", "--json", "--config", config)

    fix = "raise [limits] listing_bytes, or write [server] compact = true"
    requests = seen(ended, "request")
    assert ended.code == 0
    assert [(severity, told) for severity, _, told in requests] == [
        ("warning", fix),
        ("warning", fix),
    ]
    assert "sees 3 of 6 tools over HTTP." in requests[0][1]


LARGE = """
from abilities_host import hookimpl

@hookimpl
def register_categories(registry):
    registry.register_category("demo", label="Demo", description="Demo.")

@hookimpl
def register_abilities(registry):
    for number in range(8):
        registry.register_ability(
            f"demo/a{number}", label="A", description="x" * 200_000, category="demo",
            execute_callback=lambda: 1, permission_callback=lambda: True)
"""


def test_an_answer_that_a_client_cannot_read_is_an_error(
    tmp_path: Path, command: Command
) -> None:
    config = make_demo(tmp_path, pack=LARGE)

    ended = command("doctor", "--json", "--config", config)

    modern, (severity, sentence, fix) = seen(ended, "request")
    told = "A client of 2025-11-25 could not list over HTTP: MCPError: "
    assert modern[0] == "ok"
    assert (ended.code, severity) == (1, "error")
    assert sentence.startswith(told)
    assert "exceeded the 1048576 byte limit" in sentence
    assert "abilities list --tokens" in fix


def test_every_server_is_asked_at_its_own_route(
    tmp_path: Path, command: Command
) -> None:
    text = '[[servers]]\nid = "team"\ninclude = ["demo/echo"]\nrequires = "team"'
    config = make_demo(tmp_path, end=text)

    ended = command("doctor", "--json", "--config", config)

    told = [sentence for _, sentence, _ in seen(ended, "request")]
    assert [sentence.rpartition(" sees ")[2] for sentence in told] == [
        "6 of 6 tools over HTTP.",
        "6 of 6 tools over HTTP.",
        "1 of 1 tools over HTTP at /mcp/team.",
        "1 of 1 tools over HTTP at /mcp/team.",
    ]


def test_the_names_of_the_configuration_are_tried(
    tmp_path: Path, command: Command
) -> None:
    text = (
        '[http]\nhosts = ["abilities.example.org", "*.example.org"]\n'
        'public_url = "https://public.example.org"'
    )
    config = make_demo(tmp_path, end=text)

    ended = command("doctor", "--json", "--config", config)

    ((severity, sentence, _),) = seen(ended, "names")
    names = "127.0.0.1, abilities.example.org, public.example.org"
    told = f"It answers to {names}, and to no foreign name."
    assert (severity, sentence) == ("ok", told)


def test_a_server_that_is_off_is_not_asked(tmp_path: Path, command: Command) -> None:
    config = make_demo(tmp_path, end="[server]\nenabled = false")

    ended = command("doctor", "--json", "--config", config)

    assert (ended.code, seen(ended, "request")) == (0, [])


def test_the_client_is_sent_where_the_host_serves() -> None:
    assert http_server(PORT)["url"] == f"http://127.0.0.1:{PORT}{PATH}"
