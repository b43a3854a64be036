"""The site: a folder with a configuration and three packs, and how it is changed."""

import json
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from cli.world import IN_TREE

PACKS: Final = ("target", "open", "guard")
BLOCKED: Final = json.dumps([name for name in IN_TREE if name != "dispatcher"])
SCOPES: Final = ("read", "write", "target:use")
CONFIG: Final = """\
plugins_dir = "packs"
{top}
[plugins]
blocked = {blocked}
optional = ["memory_enforcer"]
{plugins}
[ledger]
required = false
[limits]
requests_per_minute = 100000
failures_per_minute = 100000
[roles]
matrix = {scopes}
[actors.http]
scopes = {scopes}
[actors.stdio]
scopes = {scopes}
[actors.cli]
scopes = {scopes}
[server]
id = "first"
{server}
[[servers]]
id = "second"
{server}
[[servers]]
id = "first-small"
compact = "split"
{server}
[[servers]]
id = "second-small"
compact = "split"
{server}
"""
SERVERS: Final = ("first", "second")
SMALL: Final = "-small"
"""What the name of the compact server beside each ends with."""


@dataclass(frozen=True)
class Settings:
    """What the configuration says beside what it always says.

    Attributes:
        top: keys before the first table.
        plugins: keys of ``[plugins]``.
        server: keys of every server.
        scopes: of every actor.
    """

    top: str = ""
    plugins: str = ""
    server: str = ""
    scopes: tuple[str, ...] = SCOPES

    @property
    def text(self) -> str:
        return CONFIG.format(
            top=self.top,
            plugins=self.plugins,
            server=self.server,
            scopes=json.dumps(self.scopes),
            blocked=BLOCKED,
        )


@dataclass
class Site:
    """A folder; every method blocks.

    Attributes:
        folder: of the configuration.
        settings: as they were written last.
    """

    folder: Path
    settings: Settings = field(default_factory=Settings)

    @property
    def config(self) -> Path:
        return self.folder / "abilities.toml"

    def make(self) -> None:
        """Write everything."""
        packs = self.folder / "packs"
        packs.mkdir(mode=0o700)
        self.folder.chmod(0o700)
        for name in PACKS:
            shutil.copy(Path(__file__).with_name(f"{name}.py"), packs)
        self.change()

    def change(self, **settings: object) -> None:
        """Write the configuration anew, with some other settings."""
        self.settings = replace(self.settings, **settings)  # type: ignore[arg-type]  # checked where it is read
        self.config.write_text(self.settings.text, encoding="utf-8")
        self.config.chmod(0o600)

    def flag(self, word: str) -> None:
        """Lay the file beside the packs that they look for."""
        (self.folder / "packs" / word).touch()
