"""The server for one client that started this process."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from typing import Any, Final, cast

import anyio
from mcp.server.stdio import stdio_server

from abilities_host.calls import Recorder
from abilities_host.config import HostConfig, LoadedConfig
from abilities_host.errors import AbilitiesError, StartRefused
from abilities_host.hooks.packs import Pack
from abilities_host.host import Host
from abilities_host.opening import open_host
from abilities_host.requestlog.opening import open_request_log
from abilities_host.server.builder import HostServer, build_server
from abilities_host.server.pipes import Pipes
from abilities_host.server.spec import settings_of
from abilities_host.server.stopping import Stopping, keep_what_stays

MESSAGE_BYTES: Final = 4 << 20
FLUSH_SECONDS: Final = 1.0


async def run_stdio(
    loaded: LoadedConfig,
    *,
    server: str = "",
    packs: Sequence[Pack] = (),
    finds_packs: bool = True,
    recorder: Recorder | None = None,
) -> int:
    """Start a host and serve it over standard input and output until the client goes.

    Standard output belongs to the protocol from before the first pack is imported;
    what packs and their children print goes to standard error. Call it in the main
    thread of a process of its own.

    Args:
        loaded: the configuration.
        server: id of the server; empty for the first.
        packs: further packs, already imported.
        finds_packs: look for installed packs and those of `plugins_dir`.
        recorder: keeps the record of writes.

    Returns:
        The process's exit code: 0 when the client closed its end, 128 and the number
        of a signal otherwise.

    Raises:
        AbilitiesError: when the host cannot be started.
    """
    _check_is_on(loaded.config, server)
    pipes = Pipes.take(max(MESSAGE_BYTES, 2 * loaded.config.limits.input_bytes))
    opening = open_host(loaded, packs=packs, finds_packs=finds_packs, recorder=recorder)
    building = _building(loaded, server, opening)
    with Stopping() as stopping:
        failure = await _converse(building, pipes, stopping)
    if failure is not None:
        raise failure
    return stopping.code


@asynccontextmanager
async def _building(
    loaded: LoadedConfig, server: str, opening: AbstractAsyncContextManager[Host]
) -> AsyncIterator[HostServer]:
    async with opening as host:
        _check_is_on(host.config, server)  # it may have been switched off in the store
        async with open_request_log(loaded, lambda: host.config) as requests:
            yield build_server(
                host,
                server,
                authenticate=lambda _ctx: host.actor("stdio"),
                requests=requests,
            )


async def _converse(
    building: AbstractAsyncContextManager[HostServer], pipes: Pipes, stopping: Stopping
) -> AbilitiesError | None:
    """Serve until client or signal end it; an error would leave here in a group."""
    failure: AbilitiesError | None = None
    # The SDK only iterates, writes and flushes.
    stdin = stdout = cast("anyio.AsyncFile[str]", pipes)
    with ExitStack() as stack, anyio.CancelScope() as transport:
        async with stdio_server(stdin, stdout) as (read, write):
            # The SDK's reader may hold a message when the server ends, and fails if
            # nobody could take it any more.
            stack.callback(read.clone().close)
            try:
                async with building as server:
                    await _serve(server, (read, write), stopping)
            except AbilitiesError as error:
                failure = error
            is_over = failure or stopping.code
            seconds = 0 if is_over else FLUSH_SECONDS
            transport.deadline = anyio.current_time() + seconds
    return failure


async def _serve(
    server: HostServer, streams: tuple[Any, Any], stopping: Stopping
) -> None:
    """Only the server is cancelled by a signal, so that the host stops in order."""
    keep_what_stays()
    with anyio.CancelScope() as scope:
        stopping.stop = scope.cancel
        await server.run(*streams, server.create_initialization_options())


def _check_is_on(config: HostConfig, server: str) -> None:
    settings = settings_of(config, server)
    if config.kill_switch:
        raise StartRefused(
            "The server is off: kill_switch is true. Set it to false to serve again; "
            "`abilities call` works meanwhile."
        )
    if not settings.enabled:
        table = "[[servers]]" if server else "[server]"
        raise StartRefused(
            f"The server is off: {table} enabled is false. Set it to true to serve "
            "again; `abilities call` works meanwhile."
        )
    if settings.requires and not config.actors.stdio.actor("agent").may(
        settings.requires
    ):
        raise StartRefused(
            f"The server {settings.id!r} requires the scope {settings.requires!r}, "
            "which [actors.stdio] scopes does not have."
        )
