"""State: what the host keeps of a path, and how it is read, shown and exchanged."""

import os
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol

from abilities_files.folder import Folder
from abilities_files.placement import (
    make_folder,
    permission_bits,
    put_contents,
    remove,
    set_folder_mode,
)
from abilities_files.reading import decode_text
from abilities_files.refusals import (
    Changed,
    Exists,
    IsFolder,
    NotAFolder,
    NotFound,
    ParentMissing,
)
from abilities_files.spot import Spot, is_folder
from abilities_host import MISSING, Drifted, State

DOMAIN: Final = "files"
_LOOKS = 5


class Running(Protocol):
    """What the abilities use of the call they run in."""

    async def touch(self, domain: str, target: str) -> None:
        """Announce a change of something that was not named before."""
        ...

    def made(self, domain: str, target: str, state: State) -> None:
        """Say in which state a target was left."""
        ...


class Contents(NamedTuple):
    """A state, taken apart.

    Attributes:
        kind: ``file``, ``folder``, or ``missing``.
        mode: permission bits.
        data: bytes of a file.
    """

    kind: str
    mode: int = 0
    data: bytes = b""


def file_state(mode: int, data: bytes) -> dict[str, Any]:
    """Give the state of a file.

    Args:
        mode: permission bits.
        data: the whole contents.

    Returns:
        A JSON value.
    """
    return {"kind": "file", "mode": mode, "base64": b64encode(data).decode()}


def folder_state(mode: int) -> dict[str, Any]:
    """Give the state of a folder; what is in it has states of its own.

    Args:
        mode: permission bits.

    Returns:
        A JSON value.
    """
    return {"kind": "folder", "mode": mode, "base64": ""}


def parse_state(state: State) -> Contents:
    """Take a state apart.

    Args:
        state: of this domain.

    Returns:
        Its parts.

    Raises:
        ValueError: when it is none.
    """
    if state is MISSING:
        return Contents("missing")
    if not isinstance(state, Mapping) or state.get("kind") not in {"file", "folder"}:
        msg = f"that is not a state of the domain {DOMAIN!r}"
        raise ValueError(msg)
    return Contents(state["kind"], state["mode"], b64decode(state["base64"]))


def show_state(state: State) -> State:
    """Give what a person compares.

    Args:
        state: of this domain, not MISSING.

    Returns:
        The text of a file, its bytes when it is not text, kind and bits of a folder.

    Raises:
        ValueError: when it is no state.
    """
    kind, mode, data = parse_state(state)
    if kind != "file":
        return {"kind": kind, "mode": f"{mode:04o}"}
    text = decode_text(data)
    return data if text is None else text


def look(spot: Spot, limit: int) -> tuple[os.stat_result | None, State]:
    """Read what is at a place.

    Args:
        spot: the place.
        limit: largest file in bytes.

    Returns:
        Its status as it was before it was read, and its state.

    Raises:
        AbilityFailed: when it has no state.
    """
    for _ in range(_LOOKS):
        status = spot.find_status()
        if status is None:
            return None, MISSING
        if is_folder(status):
            return status, folder_state(permission_bits(status))
        with suppress(IsFolder, NotFound, FileNotFoundError):  # since the look
            data, status = spot.read(limit)
            return status, file_state(permission_bits(status), data)
    raise Changed(spot.path)


def read_state(root: Folder, limit: int, path: str) -> State:
    """Read what is at a path.

    Args:
        root: the root.
        limit: largest file in bytes.
        path: any spelling.

    Returns:
        The state; MISSING also where the folder to hold it is missing.

    Raises:
        AbilityFailed: when it has no state.
    """
    try:
        with root.spot(path) as spot:
            return look(spot, limit)[1]
    except (ParentMissing, NotAFolder):
        return MISSING


def swap_state(
    root: Folder, limit: int, path: str, expected: State, state: State
) -> None:
    """Put a state in place of the expected one.

    Args:
        root: the root.
        limit: largest file in bytes.
        path: canonical.
        expected: what must be there.
        state: what shall be there.

    Raises:
        Drifted: when something else is there; nothing was changed.
        AbilityFailed: when it cannot be done.
    """
    try:
        with root.spot(path) as spot:
            status, current = look(spot, limit)
            if current != expected:
                raise Drifted(current)
            if current != state:
                _set_state(spot, status, state)
    except (Changed, Exists, NotFound):  # by somebody outside, since the look
        raise Drifted(read_state(root, limit, path)) from None
    except (ParentMissing, NotAFolder):
        if expected is not MISSING:
            raise Drifted(read_state(root, limit, path)) from None
        if state is not MISSING:
            raise


def _set_state(spot: Spot, status: os.stat_result | None, state: State) -> None:
    kind, mode, data = parse_state(state)
    if status is not None and kind != ("folder" if is_folder(status) else "file"):
        remove(spot, status)
        status = None
    if kind == "file":
        put_contents(spot, data, over=status, mode=mode)
    elif kind == "folder":
        set_folder_mode(spot, mode, status) if status else make_folder(spot, mode)
