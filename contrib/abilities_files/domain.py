"""Domain: the state of a path, so that the host can record a change and undo it."""

from collections.abc import Iterable, Sequence
from typing import Final

from abilities_files.folder import Folder
from abilities_files.paths import canonical_path
from abilities_files.restoring import restore_paths
from abilities_files.secrecy import SecretNames
from abilities_files.states import DOMAIN, read_state, show_state
from abilities_host import Restoration, State, run_in_thread


class Files:
    """The domain of everything under one root.

    A state is ``{"kind": "file" or "folder", "mode": permission bits, "base64":
    contents}`` or MISSING; a folder's contents are states of their own. What cannot be
    read whole, such as a link or a file over the limit, has no state and raises.

    Args:
        root: the root.
        limit: largest file in bytes.
        secret: more patterns of names whose contents the record must not keep.
    """

    name = DOMAIN

    def __init__(self, root: Folder, limit: int, secret: Iterable[str] = ()) -> None:
        self._root: Final = root
        self._limit: Final = limit
        self._secret: Final = SecretNames(secret)

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

    def is_secret(self, target: str) -> bool:
        """Answer whether the record must keep no more of a state than its digest.

        Args:
            target: canonical path.

        Returns:
            True when its name, or a folder's above it, says that it holds secrets.
        """
        return self._secret.match(target)

    def show(self, state: State) -> State:
        """Give what a person compares.

        Args:
            state: not MISSING.

        Returns:
            The text of a file, its bytes when it is not text, kind and bits of a
            folder.

        Raises:
            ValueError: when it is no state.
        """
        return show_state(state)

    async def capture(self, target: str) -> State:
        """Read what is there.

        Args:
            target: a path.

        Returns:
            The state.

        Raises:
            AbilityFailed: when it has no state.
        """
        return await run_in_thread(lambda: read_state(self._root, self._limit, target))

    async def restore(self, target: str, expected: State, state: State) -> None:
        """Put a state back if the current one is the expected one.

        Args:
            target: a path.
            expected: what must be there now.
            state: what shall be there.

        Raises:
            Drifted: when something else is there; nothing was changed.
            AbilityFailed: when it cannot be put back, such as into a folder that is
                gone, or when a folder that shall go holds something.
        """
        await self.restore_all([Restoration(target, expected, state)])

    async def restore_all(self, changes: Sequence[Restoration]) -> None:
        """Put several states back if all the current ones are the expected ones.

        A folder that a write made for a file goes with the file, unless others have
        put something there: then it stays, as the next capture tells.

        Args:
            changes: each path once.

        Raises:
            Drifted: when something else is there; nothing was changed.
            PartlyRestored: when it failed in the middle and could not all be taken
                back.
            AbilityFailed: when it cannot be done; nothing was changed.
        """
        await run_in_thread(lambda: restore_paths(self._root, self._limit, changes))
