"""Listing: what is under a folder, page by page."""

import stat
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from abilities_files.folder import Folder
from abilities_files.paths import split_path
from abilities_files.spot import is_file
from abilities_files.tree import Entry, walk_tree

PAGE = 200
LARGEST_PAGE = 1000
DEEPEST = 16

# Long paths must not make a page larger than the host lets a result be.
_ROOM = 400_000
_ENTRY_ROOM = 100


def list_files(root: Folder, arguments: Mapping[str, Any]) -> Any:
    """List one page of what is under a folder.

    Args:
        root: the root.
        arguments: all optional: path, depth, limit and after, which is the path of
            the last entry of the page before.

    Returns:
        Entries in the order of their paths, and the `after` of the next page.

    Raises:
        AbilityFailed: when it is not a folder that may be listed.
    """
    path = "/".join(key := split_path(arguments.get("path", "")))
    after = tuple(arguments.get("after", "").split("/"))
    with (
        root.enter(path) as handle,
        closing(
            walk_tree(
                root,
                handle,
                key,
                depth=arguments.get("depth", 1),
                after=after if after != ("",) else (),
            )
        ) as tree,
    ):
        entries, is_truncated = _take(tree, arguments.get("limit", PAGE))
    return {
        "path": path,
        "entries": entries,
        "truncated": is_truncated,
        "next_after": entries[-1]["path"] if is_truncated else None,
    }


def _take(tree: Iterator[Entry], limit: int) -> tuple[list[dict[str, Any]], bool]:
    entries: list[dict[str, Any]] = []
    room = _ROOM
    for entry in tree:
        if len(entries) == limit or room < 0:
            return entries, True
        entries.append(_show(entry))
        room -= _ENTRY_ROOM + len(entry.path)
    return entries, False


def _show(entry: Entry) -> dict[str, Any]:
    status = entry.status
    shown = {
        "path": entry.path,
        "kind": _kind(status.st_mode),
        "size": status.st_size if is_file(status) else 0,
        "modified": datetime.fromtimestamp(status.st_mtime, UTC).isoformat(),
    }
    return shown if entry.is_usable else {**shown, "unreadable_name": True}


def _kind(mode: int) -> str:
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    return kinds.get(stat.S_IFMT(mode), "other")
