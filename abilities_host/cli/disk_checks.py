"""Disk checks: what ``doctor`` can see without starting a host."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from abilities_host.access import others_may_write
from abilities_host.cli.findings import Finding

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig

_OTHERS_READ: Final = stat.S_IRGRP | stat.S_IROTH


def check_disk(loaded: "LoadedConfig") -> Iterator[Finding]:
    """Look at the configuration and at the files of the host.

    Args:
        loaded: the configuration.

    Yields:
        What was seen.
    """
    yield Finding("ok", "configuration", f"{loaded.path} is read.")
    for warning in loaded.warnings:
        yield Finding("warning", "configuration", warning)
    if os.name == "posix":
        yield from _check_rights(loaded)
    yield from _check_store(loaded.store_path)
    yield from _check_sqlite()


def _check_rights(loaded: "LoadedConfig") -> Iterator[Finding]:
    for path in (loaded.path, loaded.store_path):
        if _mode(path) & _OTHERS_READ:
            fix = f"chmod go-r '{path}'"
            yield Finding("warning", "permissions", f"others may read {path}.", fix)
    plugins = loaded.plugins_path
    for path in [plugins, *plugins.glob("*.py")] if plugins else []:
        if path.exists() and others_may_write(path.stat()):
            sentence = f"others may write {path}, so what is in it is not run."
            yield Finding("error", "permissions", sentence, f"chmod go-w '{path}'")


def _check_store(path: Path) -> Iterator[Finding]:
    try:
        size = path.stat().st_size
    except OSError:
        yield Finding("info", "store", f"{path} does not exist yet; a start makes it.")
    else:
        yield Finding("ok", "store", f"{path} has {size:,} bytes.")


def _check_sqlite() -> Iterator[Finding]:
    from abilities_host.storage.sqlite import wal_reset_bug  # noqa: PLC0415 - a slow import

    if wal_reset_bug(sqlite3.sqlite_version_info):
        sentence = (
            f"SQLite {sqlite3.sqlite_version} may damage a file that several programs "
            "write. Hosts keep clear of it; open the store with nothing else."
        )
        yield Finding("info", "sqlite", sentence)


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError:  # what is not there yet has no rights
        return 0
