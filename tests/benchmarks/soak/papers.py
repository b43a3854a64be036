"""Papers: the files of clients, what each may hold, and what clients were told."""

from typing import Final, NamedTuple


class Told(NamedTuple):
    """A write that was acknowledged.

    Attributes:
        path: of the file.
        text: what it was to hold then; None for no file.
        is_undo: whether it put back what was there before.
    """

    path: str
    text: str | None
    is_undo: bool = False


class Paper:
    """One file that one client writes, one call at a time.

    Args:
        path: below the root.
        papers: all of them.
    """

    def __init__(self, path: str, papers: "Papers") -> None:
        self.path: Final = path
        self.possible: set[str | None] = {None}
        self._papers: Final = papers
        self._undone: str | None = None
        self.can_undo = False

    def wrote(self, text: str, call: str) -> None:
        """Note an acknowledged write."""
        self._papers.told[call] = Told(self.path, text)
        self.can_undo = len(self.possible) == 1
        [self._undone] = self.possible if self.can_undo else [None]
        self.possible = {text}

    def undid(self, call: str) -> None:
        """Note an acknowledged undo of the last write."""
        self._papers.told[call] = Told(self.path, self._undone, is_undo=True)
        self.possible, self.can_undo = {self._undone}, False

    def lost(self, text: str) -> None:
        """Note a write of which nobody knows whether it happened."""
        self.possible, self.can_undo = {*self.possible, text}, False

    def lost_undo(self) -> None:
        """Note an undo of which nobody knows whether it happened."""
        self.possible, self.can_undo = {*self.possible, self._undone}, False

    def refused(self, text: str) -> None:
        """Note a write that was refused: it may never be found anywhere."""
        self._papers.refused.add((self.path, text))

    def found(self, text: str | None) -> bool:
        """Take what was read for what is there; answer whether that was possible."""
        was_possible = text in self.possible
        self.possible = {text}
        return was_possible


class Papers:
    """Every file of a soak.

    Attributes:
        told: call to the write that was acknowledged with it.
        refused: path and text of each write that was refused.
        all: path to file.
    """

    def __init__(self) -> None:
        self.told: Final[dict[str, Told]] = {}
        self.refused: Final[set[tuple[str, str]]] = set()
        self.all: Final[dict[str, Paper]] = {}

    def paper(self, path: str) -> Paper:
        """Give a file, a new one the first time."""
        if path not in self.all:
            self.all[path] = Paper(path, self)
        return self.all[path]
