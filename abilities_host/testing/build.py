"""Building: a real host in a folder of the test, from packs given in the test."""

import os
import tomllib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from abilities_host.calls import Recorder
from abilities_host.config import LoadedConfig, load_config
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.host import Host
from abilities_host.opening import open_host
from abilities_host.threads import run_in_thread

_FILE = "abilities.toml"
_NO_LEDGER = "\n[ledger]\nrequired = false\n"


@asynccontextmanager
async def build_host(
    folder: Path,
    *,
    packs: Sequence[Pack | tuple[str, Any]] = (),
    config: str = "",
    recorder: Recorder | None = None,
) -> AsyncIterator[Host]:
    """Start a host in a folder, with these packs and no installed ones.

    Everything is real: the configuration file, the store, the envelope. A second host
    in the same folder finds the store of the first.

    Args:
        folder: where its files lie; made when it does not exist.
        packs: a pack, or its name and a module or object with hook implementations;
            the name is also its namespace.
        config: TOML text; without a ``[ledger]`` table the record is not required.
        recorder: keeps the record of writes.

    Yields:
        The running host; it is stopped at the end of the block.

    Raises:
        ConfigError: when `config` cannot be used.
    """
    loaded = await run_in_thread(lambda: _load(folder, config))
    given = [pack if isinstance(pack, Pack) else local_pack(*pack) for pack in packs]
    async with open_host(
        loaded, packs=given, finds_packs=False, recorder=recorder, is_traced=False
    ) as host:
        yield host


def write_config(folder: Path, config: str = "") -> Path:
    """Write a configuration that a host without a ledger starts with.

    Args:
        folder: where to; made when it does not exist.
        config: TOML text; broken text is written as it is.

    Returns:
        The file, which only its owner may read.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / _FILE
    text = config if _speaks_of_ledger(config) else config + _NO_LEDGER
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(opened, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor
        file.write(text)
    return path


def _load(folder: Path, config: str) -> LoadedConfig:
    path = write_config(folder, config)
    environ = {"XDG_STATE_HOME": str(folder.resolve() / "state")}
    return load_config(path, environ=environ, cwd=folder)


def _speaks_of_ledger(config: str) -> bool:
    try:
        return "ledger" in tomllib.loads(config)
    except tomllib.TOMLDecodeError:
        return True
