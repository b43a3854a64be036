"""Deletion: a file, an empty folder, or a folder with everything in it."""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from threading import Event
from typing import Any

from abilities_files.folder import Folder
from abilities_files.handle import Handle
from abilities_files.paths import canonical_path, spell_names
from abilities_files.placement import check_single, remove
from abilities_files.refusals import NotEmpty, Protected, TooLarge, refusing
from abilities_files.settings import Settings
from abilities_files.spot import Spot, is_file, is_folder
from abilities_files.states import DOMAIN, Running
from abilities_host import MISSING, run_in_thread

PATHS_LIMIT = 1000
BYTES_LIMIT = 64 << 20


async def delete_targets(
    root: Folder, settings: Settings, arguments: Mapping[str, Any]
) -> list[str]:
    """Name what a deletion removes, after a look at the disk.

    Args:
        root: the root.
        settings: the largest file.
        arguments: of `delete_path`.

    Returns:
        Canonical paths, a folder before what is in it.

    Raises:
        AbilityFailed: when there is too much, or something that may not be removed.
    """
    path = canonical_path(arguments["path"])
    if not arguments.get("recursive"):
        return [path]
    return await run_in_thread(lambda: _list_all(root, settings, path))


async def delete_path(
    root: Folder, settings: Settings, arguments: Mapping[str, Any], call: Running
) -> Any:
    """Delete a file, an empty folder, or a folder with everything in it.

    Args:
        root: the root.
        settings: the largest file.
        arguments: path, and optionally recursive (default false).
        call: is told what was removed.

    Returns:
        Its path, what it was, and how many files and folders are gone.

    Raises:
        AbilityFailed: when not all of it was deleted; what was is told to `call`.
    """
    paths = await delete_targets(root, settings, arguments)
    for path in paths:
        await call.touch(DOMAIN, path)  # what has come since the targets were named
    stop = Event()
    work = run_in_thread(lambda: delete_all(root, paths, call, stop))
    try:
        kind = await asyncio.shield(work)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([work])
        raise
    return {"path": paths[0], "kind": kind, "deleted": len(paths)}


def delete_all(root: Folder, paths: Sequence[str], call: Running, stop: Event) -> str:
    """Delete paths, the last first.

    Args:
        root: the root.
        paths: canonical, a folder before what is in it.
        call: is told of each that is gone.
        stop: when set, nothing more is deleted.

    Returns:
        What the first one was, when all are gone.

    Raises:
        AbilityFailed: for the first that cannot be deleted.
    """
    kind = "file"
    for path in reversed(paths):
        if stop.is_set():
            break
        with root.spot(path) as spot:
            status = spot.get_status()
            remove(spot, status)
        call.made(DOMAIN, path, MISSING)
        kind = "folder" if is_folder(status) else "file"
    return kind


def _list_all(root: Folder, settings: Settings, path: str) -> list[str]:
    with root.spot(path) as spot:
        status = spot.find_status()
        if status is None or not is_folder(status):
            return [path]
        with spot.handle.enter(spot.name) as handle:
            found = [path]
            size = 0
            for inner, status in _walk(root, handle, path):
                found.append(inner)
                size += _weigh(inner, status, settings.max_bytes)
                if len(found) > PATHS_LIMIT:
                    raise TooLarge(path, PATHS_LIMIT, "paths in one deletion")
                if size > BYTES_LIMIT:
                    raise TooLarge(path, BYTES_LIMIT, "bytes in one deletion")
            return found


def _weigh(path: str, status: os.stat_result, limit: int) -> int:
    if is_folder(status):
        return 0
    if status.st_size > limit:
        raise TooLarge(path, limit)
    return status.st_size


def _walk(
    root: Folder, handle: Handle, path: str
) -> Iterator[tuple[str, os.stat_result]]:
    """Go through everything in a folder; nothing may be passed over."""
    if root.hides(handle, "", handle.status()):
        raise Protected(path)
    for spelling in spell_names(root.list_names(handle, path)):
        if not spelling.is_usable:
            raise NotEmpty(path)
        inner = canonical_path(f"{path}/{spelling.shown}")
        with refusing(inner):
            status = _look(root, handle, spelling.raw, path, inner)
            yield inner, status
            if is_folder(status):
                with handle.enter(spelling.raw) as deeper:
                    yield from _walk(root, deeper, inner)


def _look(
    root: Folder, handle: Handle, name: str, path: str, inner: str
) -> os.stat_result:
    spot = Spot(root.hides, handle, name, inner)
    try:
        status = spot.get_status()
    except Protected:
        raise Protected(path) from None  # what is hidden is not named
    if is_file(status):
        check_single(spot, status)
    return status
