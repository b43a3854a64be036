"""A host of files in a folder, with the record of what was written to them."""

import json
from pathlib import Path

from cli.conftest import Command, Ended

CONFIG = """\
plugins_dir = "plugins"
[plugins]
blocked = {blocked}
[ledger]
anchor = "../anchor"
{ledger}
[packs.files]
root = "content"
[actors.cli]
scopes = {scopes}
"""
PLAIN = ("read", "write")
UNDO = (*PLAIN, "ledger:undo")
FORCE = (*UNDO, "ledger:force")


def make_files(
    folder: Path,
    *,
    scopes: tuple[str, ...] = PLAIN,
    blocked: tuple[str, ...] = (),
    ledger: str = "",
) -> Path:
    """Make a host of the folder ``content``; give its configuration."""
    host = folder / "host"
    for each in (host, host / "content", host / "plugins"):
        each.mkdir(mode=0o700)
    config = host / "abilities.toml"
    written = json.dumps(list(blocked)), json.dumps(list(scopes))
    text = CONFIG.format(blocked=written[0], scopes=written[1], ledger=ledger)
    config.write_text(text, encoding="utf-8")
    config.chmod(0o600)
    return config


def write(
    command: Command, config: Path, text: str, path: str = "a.txt", session: str = "s"
) -> Ended:
    """Write a file, as a call of its own."""
    arguments = json.dumps({"path": path, "text": text})
    more = ("--yes", "--session", session, "--config", config)
    return command("call", "files/write", arguments, *more)


def content(config: Path, path: str = "a.txt") -> str:
    return (config.parent / "content" / path).read_text(encoding="utf-8")
