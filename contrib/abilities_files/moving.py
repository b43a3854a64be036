"""Moving: giving a file or an empty folder another path, or none."""

import os
from collections.abc import Mapping
from typing import Any

from abilities_files.folder import Folder
from abilities_files.paths import canonical_path
from abilities_files.placement import move, remove
from abilities_files.refusals import Exists
from abilities_files.spot import Spot, is_folder
from abilities_files.writing import check_writable


def move_targets(arguments: Mapping[str, Any]) -> list[str]:
    """Name what a move changes.

    Args:
        arguments: of `move_file`.

    Returns:
        Canonical paths.
    """
    return [canonical_path(arguments[end]) for end in ("source", "destination")]


def move_file(root: Folder, arguments: Mapping[str, Any]) -> Any:
    """Move a file or an empty folder.

    Args:
        root: the root.
        arguments: source, destination, and optionally overwrite (default false).

    Returns:
        Both paths, and whether something was overwritten.

    Raises:
        AbilityFailed: when it was not moved.
    """
    source, destination = move_targets(arguments)
    if source == destination:
        raise Exists(destination)
    with root.spot(source) as from_spot:
        status = from_spot.get_status()
        with root.spot(destination) as to_spot:
            over = to_spot.find_status()
            if over is not None:
                _check_overwrite(to_spot, status, over, arguments)
            move(from_spot, to_spot, status, over)
    return {
        "source": source,
        "destination": destination,
        "overwritten": over is not None,
    }


def delete_file(root: Folder, arguments: Mapping[str, Any]) -> Any:
    """Delete a file or an empty folder.

    Args:
        root: the root.
        arguments: path.

    Returns:
        Its path and what it was.

    Raises:
        AbilityFailed: when it was not deleted.
    """
    with root.spot(arguments["path"]) as spot:
        status = spot.get_status()
        remove(spot, status)
    return {"path": spot.path, "kind": "folder" if is_folder(status) else "file"}


def _check_overwrite(
    spot: Spot,
    status: os.stat_result,
    over: os.stat_result,
    arguments: Mapping[str, Any],
) -> None:
    if is_folder(status) or not arguments.get("overwrite", False):
        raise Exists(spot.path)
    check_writable(spot, over)
