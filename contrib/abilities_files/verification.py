"""Verification: what is true of a path after a write."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from abilities_files.folder import Folder
from abilities_files.refusals import NotAFolder, ParentMissing
from abilities_files.settings import Settings
from abilities_files.spot import is_folder


def verify_path(root: Folder, settings: Settings, arguments: Mapping[str, Any]) -> Any:
    """Read back the path that a write, an edit or a deletion named.

    Args:
        root: the root.
        settings: the largest file.
        arguments: of the ability that ran.

    Returns:
        Whether it exists, and what it is.
    """
    return describe(root, settings, arguments["path"])


def verify_move(root: Folder, settings: Settings, arguments: Mapping[str, Any]) -> Any:
    """Read back both paths of a move.

    Args:
        root: the root.
        settings: the largest file.
        arguments: of the ability that ran.

    Returns:
        For source and destination, whether it exists and what it is.
    """
    ends = ("source", "destination")
    return {end: describe(root, settings, arguments[end]) for end in ends}


def describe(root: Folder, settings: Settings, path: str) -> dict[str, Any]:
    """Say what is true of a path.

    Args:
        root: the root.
        settings: the largest file.
        path: any spelling.

    Returns:
        ``exists``, ``kind``, ``size`` and ``sha256``, as far as they apply.

    Raises:
        AbilityFailed: when it cannot be read.
    """
    try:
        with root.spot(path) as spot:
            status = spot.find_status()
            if status is None:
                return {"exists": False}
            if is_folder(status):
                return {"exists": True, "kind": "folder"}
            data, _ = spot.read(settings.max_bytes)
    except (ParentMissing, NotAFolder):
        return {"exists": False}
    digest = sha256(data).hexdigest()
    return {"exists": True, "kind": "file", "size": len(data), "sha256": digest}
