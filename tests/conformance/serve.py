"""Serving what the suite is run against: as `abilities serve` does, with the pack."""

import asyncio
import sys
from pathlib import Path
from typing import Final

from conformance import pack
from conformance.naming import rename
from conformance.protocol import add_deprecated
from starlette.types import ASGIApp, Receive, Scope, Send

from abilities_host.config import load_config
from abilities_host.hooks.packs import local_pack
from abilities_host.server.http import HttpApp
from abilities_host.server.serving import Served, fast_loop, run_http

CONFIG: Final = """
[ledger]
required = false
"""


class Known:
    """Shows the token for a client that cannot: the suite sends none.

    Args:
        app: the host's application.
        token: what it asks for; known once the host serves.
    """

    def __init__(self, app: ASGIApp, token: list[str]) -> None:
        self._app: Final = app
        self._token: Final = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http":
            shown = (b"authorization", f"Bearer {self._token[0]}".encode())
            scope = {**scope, "headers": [*scope["headers"], shown]}
        await self._app(scope, receive, send)


def serve(folder: Path) -> int:
    """Serve until a signal; the address goes to standard output.

    Args:
        folder: where the store and the token go.

    Returns:
        The process's exit code.
    """
    token: list[str] = []
    file = folder / "abilities.toml"
    file.write_text(CONFIG, encoding="utf-8")
    file.chmod(0o600)

    def announce(served: Served) -> None:
        token.append(served.token.value)
        print(served.url, flush=True)  # noqa: T201 - who started this reads it

    def around(app: HttpApp) -> ASGIApp:
        add_deprecated(app.server)
        rename(app.server)
        return Known(app, token)

    loaded = load_config(file, environ={}, cwd=folder)
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        serving = run_http(
            loaded,
            announce=announce,
            port=0,
            packs=(local_pack("conformance", pack),),
            finds_packs=False,
            around=around,
        )
        return runner.run(serving)


if __name__ == "__main__":
    sys.exit(serve(Path(sys.argv[1])))
