"""Finder: which packs are installed or lie in the plugins folder."""

import importlib.util
import logging
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from abilities_host.access import others_may_write
from abilities_host.hooks import NAME
from abilities_host.hooks.packs import Pack

log = logging.getLogger(__name__)

POLICY_GROUP = f"{NAME}.policy"
FILE_LIMIT = 500


def find_packs(plugins_dir: Path | None) -> list[Pack]:
    """Find every pack without importing any.

    Args:
        plugins_dir: folder of single-file packs, None for none.

    Returns:
        One pack for each identity, sorted; a policy entry wins over a plain one.
    """
    found: dict[str, Pack] = {}
    for group in (NAME, POLICY_GROUP):
        for entry in entry_points(group=group):
            pack = _from_entry(entry, is_policy=group == POLICY_GROUP)
            found[pack.identity] = pack
    for pack in _from_folder(plugins_dir):
        found[pack.identity] = pack
    return [found[identity] for identity in sorted(found)]


def _from_entry(entry: EntryPoint, *, is_policy: bool) -> Pack:
    distribution = entry.dist.name if entry.dist else "unknown"
    version = entry.dist.version if entry.dist else ""
    return Pack(
        f"{distribution}/{entry.name}", entry.name, version, is_policy, entry.load
    )


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
