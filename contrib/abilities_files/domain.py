"""Domain: the state of a path, so that the host can record a change and undo it."""

import os
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Final

from abilities_files.folder import Folder
from abilities_files.paths import canonical_path
from abilities_files.placement import (
    make_folder,
    permission_bits,
    put_contents,
    remove,
    set_folder_mode,
)
from abilities_files.refusals import Changed, Exists, NotAFolder, ParentMissing
from abilities_files.spot import Spot, is_folder
from abilities_host import MISSING, Drifted, State, run_in_thread


class Files:
    """The domain of everything under one root.

    A state is ``{"kind": "file" or "folder", "mode": permission bits, "base64":
    contents}`` or MISSING; a folder's contents are states of their own. What cannot be
    read whole, such as a link or a file over the limit, has no state and raises.

    Args:
        root: the root.
        limit: largest file in bytes.
    """

    name = "files"

    def __init__(self, root: Folder, limit: int) -> None:
        self._root: Final = root
        self._limit: Final = limit

    def canonical(self, target: str) -> str:
        """Give the one spelling of a path.

        Args:
            target: any spelling.

        Returns:
            Names in Unicode normal form C, joined by ``/``.

        Raises:
            InvalidPath: a ValueError; when it cannot be a path under the root.
        """
        return canonical_path(target)

    async def capture(self, target: str) -> State:
        """Read what is there.

        Args:
            target: a path.

        Returns:
            The state.

        Raises:
            AbilityFailed: when it has no state.
        """
        return await run_in_thread(lambda: self._capture(target))

    async def restore(self, target: str, expected: State, state: State) -> None:
        """Put a state back if the current one is the expected one.

        Args:
            target: a path.
            expected: what must be there now.
            state: what shall be there.

        Raises:
            Drifted: when something else is there; nothing was changed.
            AbilityFailed: when it cannot be put back, such as into a folder that is
                gone.
        """
        await run_in_thread(lambda: self._restore(target, expected, state))

    def _capture(self, target: str) -> State:
        try:
            with self._root.spot(target) as spot:
                return self._look(spot)[1]
        except (ParentMissing, NotAFolder):
            return MISSING

    def _look(self, spot: Spot) -> tuple[os.stat_result | None, State]:
        status = spot.find_status()
        if status is None:
            return None, MISSING
        if is_folder(status):
            return status, _state("folder", permission_bits(status), b"")
        data, status = spot.read(self._limit)
        return status, _state("file", permission_bits(status), data)

    def _restore(self, target: str, expected: State, state: State) -> None:
        try:
            with self._root.spot(target) as spot:
                status, current = self._look(spot)
                if current != expected:
                    raise Drifted(current)
                if current != state:
                    _set_state(spot, status, state)
        except (Changed, Exists):  # by somebody outside, since the look
            raise Drifted(self._capture(target)) from None
        except (ParentMissing, NotAFolder):
            if expected is not MISSING:
                raise Drifted(MISSING) from None
            if state is not MISSING:
                raise


def _set_state(spot: Spot, status: os.stat_result | None, state: State) -> None:
    kind, mode, data = _parse(state)
    if status is not None and kind != ("folder" if is_folder(status) else "file"):
        remove(spot, status)
        status = None
    if kind == "file":
        put_contents(spot, data, over=status, mode=mode)
    elif kind == "folder" and status is None:
        make_folder(spot, mode)
    elif kind == "folder":
        set_folder_mode(spot, mode)


def _state(kind: str, mode: int, data: bytes) -> dict[str, Any]:
    return {"kind": kind, "mode": mode, "base64": b64encode(data).decode()}


def _parse(state: State) -> tuple[str, int, bytes]:
    if state is MISSING:
        return "missing", 0, b""
    if not isinstance(state, Mapping) or state.get("kind") not in {"file", "folder"}:
        msg = "that is not a state of the domain 'files'"
        raise ValueError(msg)
    return state["kind"], state["mode"], b64decode(state["base64"])
