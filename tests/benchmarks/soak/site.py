"""Site: the configuration that a soak serves, and what is edited of it meanwhile."""

from pathlib import Path
from typing import Final

from benchmarks.pack import FILE
from benchmarks.servers import LONG_REGISTRATION

from abilities_host.config import LoadedConfig, load_config
from abilities_host.testing import write_config

ABILITIES: Final = 20
DEFAULT: Final = "/mcp"
TEAM: Final = "/mcp/team"
WATCH: Final = "/mcp/watch"
TEAM_KEY: Final = "servers.team.enabled"
_BLOCKED: Final = [
    f"abilities-host/{each}"
    for each in ("core", "database", "memory", "memory_enforcer")
]
_TEXT: Final = """plugins_dir = "packs"

[server]
compact = "{compact}"

[[servers]]
id = "team"

[[servers]]
id = "watch"
include = ["bench/tasks"]

[plugins]
blocked = {blocked}
optional = ["memory_enforcer"]

[packs.files]
root = "../content"

[ledger]
required = true
anchor = "{anchor}"
keep_entries = 1000000000

[requests]
keep_entries = 100000000

{limits}requests_per_minute = 100000
requests_per_actor = 1000
failures_per_minute = 100000
calls_per_actor = 64
http_session_seconds = 10
"""


class Site:
    """The folders of one soak.

    Args:
        folder: of everything; it exists.

    Attributes:
        config: the file.
        content: the folder that clients write into.
    """

    def __init__(self, folder: Path) -> None:
        self._anchor: Final = folder / "anchors" / "soak"
        self.content: Final = folder / "content"
        self.content.mkdir()
        packs = folder / "host" / "packs"
        self.config: Final = write_config(folder / "host", self._text("off"))
        packs.mkdir(mode=0o700)
        pack = packs / "bench.py"
        pack.write_text(FILE.format(abilities=ABILITIES, writes=False), "utf-8")
        pack.chmod(0o600)

    def load(self) -> LoadedConfig:
        """Read the configuration as a host would."""
        return load_config(self.config, environ={}, cwd=self.config.parent)

    def make_compact(self, *, is_on: bool) -> None:
        """Save the file as an editor does: another one in its place; blocks."""
        draft = self.config.with_suffix(".draft")
        draft.write_text(self._text("on" if is_on else "off"), encoding="utf-8")
        draft.chmod(0o600)
        draft.replace(self.config)

    def _text(self, compact: str) -> str:
        return _TEXT.format(
            compact=compact,
            blocked=_BLOCKED,
            anchor=self._anchor,
            limits=LONG_REGISTRATION,
        )
