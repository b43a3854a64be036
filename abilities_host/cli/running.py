"""Running: the configuration and the host that a command needs."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from abilities_host.cli.exits import Interrupted

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig
    from abilities_host.host import Host

T = TypeVar("T")


def load(path: Path | None, **flags: bool | int | str | None) -> "LoadedConfig":
    """Read the configuration that a command works with.

    Args:
        path: named by the operator, or None to search.
        **flags: setting to value; two underscores stand for a dot, None says nothing.

    Returns:
        The effective configuration.

    Raises:
        ConfigError: names file, line, key and what was expected.
    """
    from abilities_host.config import load_config  # noqa: PLC0415 - a slow import

    said = {key.replace("__", "."): value for key, value in flags.items()}
    return load_config(path, environ=os.environ, flags=said, cwd=Path.cwd())


def with_host(loaded: "LoadedConfig", work: "Callable[[Host], Awaitable[T]]") -> T:
    """Start a host, work with it, and stop it.

    Args:
        loaded: the configuration.
        work: what the command does.

    Returns:
        What `work` returned.

    Raises:
        AbilitiesError: from the start or from `work`, or after Ctrl+C.
    """
    from abilities_host.opening import open_host  # noqa: PLC0415 - a slow import

    async def run() -> T:
        async with open_host(loaded) as host:
            return await work(host)

    try:
        return asyncio.run(run())
    except KeyboardInterrupt:
        raise Interrupted from None
