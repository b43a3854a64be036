"""World: hosts with every pack of this repository, served as an operator would."""

import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from clients.catalogue import HostKind
from server.issuer_world import AUDIENCE, issuing

ROOT: Final = Path(__file__).parents[2]
PATIENCE: Final = 30.0
HOUR: Final = 3600.0
PAUSE: Final = 0.05
SERVING: Final = re.compile(r"^serving: (\S+)", re.MULTILINE)

CONFIG: Final = """\
plugins_dir = "plugins"
enabled = ["*"]

[server]
compact = {compact}

[actors.http]
scopes = {scopes}

[actors.stdio]
scopes = {scopes}

[packs.files]
root = "content"

[packs.database]
path = "content.db"
"""
ISSUER: Final = """
[http.issuer]
url = "{url}"
audience = "{audience}"
scopes = {{ "tools.use" = {scopes} }}
"""
SCOPES: Final = '["read", "write", "ledger:undo", "ledger:force", "ledger:read-all"]'
COMPACT: Final = ("false", '"split"')
ZOO: Final = """\
from clients.zoo_pack import register_abilities, register_categories

__all__ = ["register_abilities", "register_categories"]
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a client finds a host.

    Attributes:
        url: of its server over HTTP.
        token: what a client shows there.
        command: starts it on the standard streams.
        environment: of that command.
    """

    url: str
    token: str
    command: tuple[str, ...]
    environment: dict[str, str]


def make_host(folder: Path, kind: HostKind) -> Path:
    """Make the folder of a host.

    Args:
        folder: where; it is made.
        kind: with the zoo of awkward schemas or without, or compact.

    Returns:
        Its configuration.
    """
    for made in (folder, folder / "plugins", folder / "content"):
        made.mkdir(mode=0o700)
    (folder / "content" / "a").write_text("An example.\n", encoding="utf-8")
    with sqlite3.connect(folder / "content.db") as database:
        database.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT)")
        database.execute("INSERT INTO a (name) VALUES ('An example')")
    database.close()
    if kind == "zoo":
        (folder / "plugins" / "zoo.py").write_text(ZOO, encoding="utf-8")
    config = folder / "abilities.toml"
    text = CONFIG.format(scopes=SCOPES, compact=COMPACT[kind == "compact"])
    config.write_text(text, encoding="utf-8")
    config.chmod(0o600)
    return config


@contextmanager
def served(folder: Path, kind: HostKind) -> Iterator[Place]:
    """Serve a new host in a process of its own.

    Args:
        folder: where it goes; made.
        kind: with the zoo of awkward schemas or without, compact, or for people who
            sign in at an issuer.

    Yields:
        Where clients find it.
    """
    config = make_host(folder, kind)
    if kind != "issuer":
        with _serving(config) as place:
            yield place
        return
    with issuing() as issuer:
        said = ISSUER.format(url=issuer.url, audience=AUDIENCE, scopes=SCOPES)
        with config.open("a", encoding="utf-8") as file:
            file.write(said)
        token = issuer.token(exp=time.time() + HOUR)
        with _serving(config) as place:
            yield replace(place, token=token)


@contextmanager
def _serving(config: Path) -> Iterator[Place]:
    folder = config.parent
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "tests"),  # the zoo is there
        "XDG_STATE_HOME": str(folder / "state"),
    }
    log = folder / "serve.log"
    with log.open("wb") as errors:
        words = [*_command("serve"), "--config", str(config), "--port", "0"]
        process = subprocess.Popen(words, stderr=errors, env=environment, cwd=folder)
    try:
        url = _until_serving(log, process)
        token = (folder / "token").read_text(encoding="utf-8").strip()
        command = (*_command("stdio"), "--config", str(config))
        yield Place(url, token, command, environment)
    finally:
        _end(process)


def _command(word: str) -> tuple[str, ...]:
    return (sys.executable, "-W", "ignore", "-m", "abilities_host", word)


def _until_serving(log: Path, process: "subprocess.Popen[bytes]") -> str:
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        if found := SERVING.search(log.read_text(encoding="utf-8")):
            return found[1]
        time.sleep(PAUSE)
    sys.exit(f"The host did not start: {log.read_text(encoding='utf-8')}")


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
