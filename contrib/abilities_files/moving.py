"""Moving: giving a file or an empty folder another path."""

import os
from collections.abc import Mapping
from typing import Any

from abilities_files.folder import Folder
from abilities_files.paths import canonical_path, check_new_name
from abilities_files.placement import move
from abilities_files.refusals import Exists, NotFound
from abilities_files.settings import Settings
from abilities_files.spot import Spot, is_folder
from abilities_files.states import DOMAIN, Running, look
from abilities_files.writing import check_writable
from abilities_host import MISSING


def move_targets(arguments: Mapping[str, Any]) -> list[str]:
    """Name what a move changes.

    Args:
        arguments: of `move_file`.

    Returns:
        Canonical paths.
    """
    return [canonical_path(arguments[end]) for end in ("source", "destination")]


def move_file(
    root: Folder, settings: Settings, arguments: Mapping[str, Any], call: Running
) -> Any:
    """Move a file or an empty folder.

    Args:
        root: the root.
        settings: the largest file.
        arguments: source, destination, and optionally overwrite (default false).
        call: is told what was left at both.

    Returns:
        Both paths, and whether something was overwritten.

    Raises:
        AbilityFailed: when it was not moved.
    """
    source, destination = move_targets(arguments)
    if source == destination:
        raise Exists(destination)
    with root.spot(source) as from_spot:
        status, state = look(from_spot, settings.max_bytes)
        if status is None:
            raise NotFound(source)
        with root.spot(destination) as to_spot:
            over = to_spot.find_status()
            if over is None:
                check_new_name(to_spot.name)
            else:
                _check_overwrite(to_spot, status, over, arguments)
            move(from_spot, to_spot, status, over)
    call.made(DOMAIN, source, MISSING)
    call.made(DOMAIN, destination, state)
    return {
        "source": source,
        "destination": destination,
        "overwritten": over is not None,
    }


def _check_overwrite(
    spot: Spot,
    status: os.stat_result,
    over: os.stat_result,
    arguments: Mapping[str, Any],
) -> None:
    if is_folder(status) or not arguments.get("overwrite", False):
        raise Exists(spot.path)
    check_writable(spot, over)
