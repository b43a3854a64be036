"""Finder: which packs are installed or lie in the plugins folder."""

import importlib.util
import logging
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from types import ModuleType

from packaging.utils import canonicalize_name

from abilities_host.access import others_may_write
from abilities_host.hooks import NAME
from abilities_host.hooks.packs import Pack
from abilities_host.installed import (
    Installed,
    place_of,
    sources_of,
    without_shadows,
)

log = logging.getLogger(__name__)

POLICY_GROUP = f"{NAME}.policy"
_GROUPS = (NAME, POLICY_GROUP)
FILE_LIMIT = 500


def find_packs(plugins_dir: Path | None) -> list[Pack]:
    """Find every pack without importing any.

    Args:
        plugins_dir: folder of single-file packs, None for none.

    Returns:
        Sorted by identity; a policy entry wins over a plain one. A further copy of a
        distribution is marked: Python imports from one place only.
    """
    found = [*_from_distributions(), *_from_folder(plugins_dir)]
    return sorted(found, key=lambda pack: pack.identity)


def _from_distributions() -> Iterator[Pack]:
    known: list[Installed] = []
    for distribution in distributions():
        entries = [e for e in distribution.entry_points if e.group in _GROUPS]
        if not entries:
            continue
        place, sources = place_of(distribution), sources_of(distribution)
        name = canonicalize_name(distribution.name)
        this = Installed(name, distribution.version, place, sources=sources)
        kept = without_shadows([*known, this])
        if len(kept) > len(known):
            is_copy = any(each.name == name for each in known)
            known = kept
            yield from _from_entries(this, distribution.name, entries, is_copy=is_copy)


def _from_entries(
    installed: Installed, name: str, entries: Iterable[EntryPoint], *, is_copy: bool
) -> Iterator[Pack]:
    chosen = {entry.name: entry for entry in sorted(entries, key=_is_policy)}
    for entry in chosen.values():
        yield Pack(
            f"{name}/{entry.name}",
            entry.name,
            installed.version,
            _is_policy(entry),
            entry.load,
            place=str(installed.place),
            is_copy=is_copy,
        )


def _is_policy(entry: EntryPoint) -> bool:
    return entry.group == POLICY_GROUP


def _from_folder(folder: Path | None) -> Iterator[Pack]:
    if folder is None:
        return
    if not folder.is_dir():
        log.warning("plugins_dir %s is no folder; no pack of it is loaded", folder)
        return
    files = sorted(folder.glob("*.py"))
    if len(files) > FILE_LIMIT:
        log.warning("plugins_dir has more than %d files; the rest is left", FILE_LIMIT)
    for file in files[:FILE_LIMIT]:
        yield Pack(
            f"plugins_dir/{file.stem}",
            file.stem,
            "",
            is_policy=False,
            load=lambda file=file: _load_file(file),  # type: ignore[misc]  # binds this file
            place=str(file),
        )


def _load_file(file: Path) -> ModuleType:
    for path in (file.parent, file):
        if others_may_write(path.stat()):
            msg = f"others may write {path}, so it is not run; chmod go-w '{path}'"
            raise PermissionError(msg)
    name = f"abilities_plugins_dir_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        msg = f"{file.name} cannot be read as a Python file"
        raise ImportError(msg)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
