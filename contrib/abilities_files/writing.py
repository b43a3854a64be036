"""Writing: a whole file, or exact edits of one."""

import os
from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from abilities_files.folder import Folder
from abilities_files.paths import canonical_path, check_new_name, list_ancestors
from abilities_files.placement import make_folder, put_contents
from abilities_files.reading import decode_text
from abilities_files.refusals import (
    Binary,
    EditRefused,
    Exists,
    InvalidContent,
    IsFolder,
    ReadOnly,
    TooLarge,
)
from abilities_files.settings import Settings
from abilities_files.spot import Spot, is_folder
from abilities_files.states import DOMAIN, Running, file_state, folder_state
from abilities_host import MISSING, State

EDITS_LIMIT = 100


def write_targets(arguments: Mapping[str, Any]) -> list[str]:
    """Name what a write may change: the file, and the folders it may make.

    Args:
        arguments: of `write_file`.

    Returns:
        Canonical paths.
    """
    path = canonical_path(arguments["path"])
    return [*(list_ancestors(path) if arguments.get("make_folders") else ()), path]


def write_file(
    root: Folder, settings: Settings, arguments: Mapping[str, Any], call: Running
) -> Any:
    """Write a whole file in one step.

    Args:
        root: the root.
        settings: the largest file.
        arguments: path, one of text and base64, and optionally overwrite (default
            true) and make_folders (default false).
        call: is told what was left.

    Returns:
        Its path and size, and whether it is new.

    Raises:
        AbilityFailed: when it was not written; the old contents are whole.
    """
    data = _take_data(arguments)
    path = canonical_path(arguments["path"])
    if len(data) > settings.max_bytes:
        raise TooLarge(path, settings.max_bytes)
    if arguments.get("make_folders"):
        _make_folders(root, list_ancestors(path), call)
    with root.spot(path) as spot:
        over = spot.find_status()
        if over is None:
            check_new_name(spot.name)
        else:
            check_writable(spot, over)
            if not arguments.get("overwrite", True):
                raise Exists(path)
        mode = put_contents(spot, data, over=over)
    call.made(DOMAIN, path, file_state(mode, data))
    return {"path": path, "size": len(data), "created": over is None}


def edit_file(
    root: Folder, settings: Settings, arguments: Mapping[str, Any], call: Running
) -> Any:
    """Replace exact pieces of a text file; all of them or none.

    Args:
        root: the root.
        settings: the largest file.
        arguments: path and edits, each with old, new and optionally all; an edit sees
            what the ones before it did.
        call: is told what was left.

    Returns:
        Its path and size, and how many places were replaced.

    Raises:
        AbilityFailed: when an edit does not fit; nothing was written.
    """
    with root.spot(arguments["path"]) as spot:
        data, status = spot.read(settings.max_bytes)
        check_writable(spot, status)
        text = decode_text(data)
        if text is None:
            raise Binary(spot.path)
        edited, count = _apply(spot.path, text, arguments["edits"], settings.max_bytes)
        new = _encode(edited)
        if len(new) > settings.max_bytes:
            raise TooLarge(spot.path, settings.max_bytes)
        mode = put_contents(spot, new, over=status)
    call.made(DOMAIN, spot.path, file_state(mode, new))
    return {"path": spot.path, "size": len(new), "replacements": count}


def check_writable(spot: Spot, status: os.stat_result) -> None:
    """Check that what is there is a file that somebody may write.

    Args:
        spot: where.
        status: of what is there.

    Raises:
        IsFolder: for a folder.
        ReadOnly: when no permission bit lets anybody write.
    """
    if is_folder(status):
        raise IsFolder(spot.path)
    if not status.st_mode & 0o222:
        raise ReadOnly(spot.path)


def _make_folders(root: Folder, paths: list[str], call: Running) -> None:
    """Make the folders that are missing, the outermost first."""
    for path in paths:
        with root.spot(path) as spot:
            if spot.find_status() is not None:
                continue
            check_new_name(spot.name)
            state: State = MISSING
            with suppress(FileExistsError):  # somebody else was as quick
                state = folder_state(make_folder(spot))
            call.made(DOMAIN, path, state)


def _take_data(arguments: Mapping[str, Any]) -> bytes:
    if ("text" in arguments) == ("base64" in arguments):
        raise InvalidContent("Send either text or base64, and only one of them.")
    if "text" in arguments:
        return _encode(arguments["text"])
    try:
        return b64decode(arguments["base64"], validate=True)
    except ValueError:
        raise InvalidContent("base64 is not valid base64.") from None


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidContent(
            "The text holds half a character (a lone surrogate)."
        ) from None


def _apply(
    path: str, text: str, edits: list[dict[str, Any]], limit: int
) -> tuple[str, int]:
    count = 0
    for number, edit in enumerate(edits, 1):
        places = _count_places(path, text, number, edit)
        grown = len(text) + places * (len(edit["new"]) - len(edit["old"]))
        if grown > limit:  # before it takes the memory
            raise TooLarge(path, limit)
        text = text.replace(edit["old"], edit["new"])
        count += places
    return text, count


def _count_places(path: str, text: str, number: int, edit: dict[str, Any]) -> int:
    old = edit["old"]
    if not old:
        raise EditRefused(path, number, "empty_old", "old is empty.")
    first = text.find(old)
    if first < 0:
        raise EditRefused(path, number, "no_match", _guess_mismatch(text, old))
    if edit.get("all"):
        return text.count(old)
    if text.find(old, first + 1) >= 0:
        problem = "old stands there more than once. Make it longer, or set all to true."
        raise EditRefused(path, number, "multiple_matches", problem)
    return 1


def _guess_mismatch(text: str, old: str) -> str:
    if old.replace("\n", "\r\n") in text:
        return "the file ends its lines with \\r\\n; write them so in old and new."
    if old.strip() and old.strip() in text:
        return "old is there with other blanks around it."
    return "old is not there exactly so. Read the file again."
