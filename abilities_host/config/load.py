"""Loading: file, environment and flags become one frozen configuration."""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from abilities_host.config.file import expanded, find_config, read_config
from abilities_host.config.layers import (
    Layer,
    environment_layers,
    file_layer,
    flag_layers,
    unknown_variables,
)
from abilities_host.config.merged import combine, config_of
from abilities_host.config.settings import HostConfig
from abilities_host.frozen import FrozenDict
from abilities_host.protected import ProtectedPaths

STORE_COMPANIONS = ("-wal", "-shm", "-journal", "-lock", "-mark")
STORE_FOLDERS = ("anchor", "backups", "blobs", "leases", "locks")
NO_ANCHOR = "none"
REQUESTS = "requests.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedConfig:
    """The configuration, and where each part of it came from.

    Attributes:
        config: the effective values.
        path: the configuration file.
        folder: its folder, where relative paths start.
        sources: dotted key to ``default``, ``file``, ``store``, variable or flag;
            several are joined by `` + ``.
        replaced: dotted key to the values that later layers replaced.
        warnings: sentences about what was written and has no effect.
        layers: what file, variables and flags say, in this order.
        unknown: sentences about variables that mean nothing.
        stored: what the store says, key to JSON value; see `with_stored`.
        state_folder: where this user's programs keep what outlives them.
        reload: reads the same file again, with the same environment and flags.
    """

    config: HostConfig
    path: Path
    folder: Path
    sources: Mapping[str, str]
    replaced: Mapping[str, tuple[Any, ...]]
    warnings: tuple[str, ...]
    layers: tuple[Layer, ...] = field(compare=False, repr=False)
    unknown: tuple[str, ...]
    stored: Mapping[str, Any] = field(default_factory=FrozenDict)
    state_folder: Path
    reload: Callable[[], "LoadedConfig"] = field(compare=False, repr=False)

    @property
    def store_path(self) -> Path:
        """The store's file."""
        return self.resolve(self.config.store.path)

    @property
    def requests_path(self) -> Path:
        """The file of the log of requests."""
        return self.store_path.with_name(REQUESTS)

    @property
    def anchor_path(self) -> Path | None:
        """The file that shows whether the record was changed, None for none."""
        written = self.config.ledger.anchor
        if written == NO_ANCHOR:
            return None
        if written:
            return self.resolve(written)
        store = sha256(str(self.store_path).encode()).hexdigest()[:16]
        return self.state_folder / f"{self.store_path.stem}-{store}.anchor"

    @property
    def token_path(self) -> Path:
        """The file of the token that HTTP clients show."""
        return self.folder / "token"

    @property
    def plugins_path(self) -> Path | None:
        """The folder whose files are packs, None for none."""
        folder = self.config.plugins_dir
        return None if folder is None else self.resolve(folder)

    def resolve(self, path: str) -> Path:
        """Give the place a setting means.

        Args:
            path: as it was written; a leading ``~`` is the home folder.

        Returns:
            An absolute path; a relative one starts at the file's folder.
        """
        return self.folder / expanded(path)


def load_config(
    path: Path | None = None,
    *,
    environ: Mapping[str, str],
    flags: Mapping[str, Any] | None = None,
    cwd: Path,
) -> LoadedConfig:
    """Read the configuration once; it reads the disk, so call it in a thread.

    Restrictions add up: environment and flags may tighten the file, never loosen it.

    Args:
        path: the file; searched for when None.
        environ: the process's environment.
        flags: dotted key to a value or a text; None says nothing.
        cwd: absolute; where the search begins, upwards.

    Returns:
        The effective configuration, with sources and warnings.

    Raises:
        ConfigError: names file, line, key and what was expected.
    """
    found = find_config(path, environ, cwd)
    unknown = tuple(unknown_variables(environ))
    layers = (
        file_layer(found, read_config(found)),
        *environment_layers(environ),
        *flag_layers(flags or {}),
    )
    merged = combine(layers, unknown)
    return LoadedConfig(
        config=config_of(merged, found),
        path=found,
        folder=found.parent,
        sources=FrozenDict(merged.sources),
        replaced=FrozenDict(merged.replaced),
        warnings=tuple(merged.warnings),
        layers=layers,
        unknown=unknown,
        state_folder=_state_folder(environ),
        reload=partial(load_config, found, environ=environ, flags=flags, cwd=cwd),
    )


def protected_paths_of(loaded: LoadedConfig) -> ProtectedPaths:
    """List what no pack may touch; it reads the disk, so call it in a thread.

    Args:
        loaded: the configuration.

    Returns:
        The configuration file, the token, the store with all that stands beside it, the
        log of requests, the record's anchor with what is kept beside it, the folder of
        packs, the environment the host runs from, and what `[protect] paths` adds.
        What environment and flags replaced stays protected: it may be another host's.
    """
    config, replaced = loaded.config, loaded.replaced
    stores = {config.store.path, *replaced.get("store.path", ())}
    folders = {config.plugins_dir, *replaced.get("plugins_dir", ())} - {None}
    return ProtectedPaths(
        [
            loaded.path,
            loaded.token_path,
            *(_outside(loaded.anchor_path) if loaded.anchor_path else []),
            *(p for store in stores for p in _beside(loaded.resolve(store))),
            *map(loaded.resolve, folders),
            *map(loaded.resolve, config.protect.paths),
            *_environment(),
        ]
    )


def _outside(anchor: Path) -> Iterator[Path]:
    """What is kept outside the store, so that the store can be held against it."""
    for kept in ("", ".keys", ".pins", ".seals"):
        for suffix in ("", "-lock", ".new"):
            yield anchor.with_name(f"{anchor.name}{kept}{suffix}")


def _state_folder(environ: Mapping[str, str]) -> Path:
    """Where the platform keeps state; beside the store nobody could trust it."""
    given = environ.get("XDG_STATE_HOME") or environ.get("LOCALAPPDATA")
    if given and Path(given).is_absolute():
        return Path(given) / "abilities-host"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "abilities-host"
    return Path.home() / ".local" / "state" / "abilities-host"


def _beside(store: Path) -> list[Path]:
    files = (store, store.with_name(REQUESTS))
    companions = [Path(f"{file}{end}") for file in files for end in STORE_COMPANIONS]
    return [*files, *companions, *(store.parent / name for name in STORE_FOLDERS)]


def _environment() -> list[Path]:
    package = Path(__file__).resolve().parents[1]
    found = [Path(sys.prefix), package]
    if package.parent.name in {"site-packages", "dist-packages"}:
        found.append(package.parent)
    return found
