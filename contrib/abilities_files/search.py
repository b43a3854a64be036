"""Search: where a text stands in names and contents, case and accents folded."""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any
from unicodedata import combining

from abilities_files.folder import Folder
from abilities_files.paths import split_path
from abilities_files.reading import decode_text
from abilities_files.refusals import InvalidContent, PathRefused, TooLarge
from abilities_files.settings import Settings
from abilities_files.spot import Spot, is_file
from abilities_files.tree import Entry, walk_tree
from abilities_host import fold

PAGE = 50
LARGEST_PAGE = 100
QUERY_CHARACTERS = 200

_SNIPPET = 200
_LEAD = 60
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


def fold_text(text: str) -> str:
    """Take case and accents out of a long text, quickly where it is mostly ASCII.

    Args:
        text: any text.

    Returns:
        The same as the host's `fold`.
    """
    return _BEYOND_ASCII.sub(lambda found: fold(found[0]), text.casefold())


@dataclass(slots=True)
class _Search:
    """One search and what it found so far."""

    root: Folder
    settings: Settings
    query: str
    limit: int
    deadline: float
    matches: list[dict[str, Any]] = field(default_factory=list)
    searched: int = 0
    skipped: int = 0

    def run(self, tree: Iterator[Entry]) -> str:
        """Go through the tree; give what stopped the search, or nothing."""
        for entry in tree:
            for match in self._look(entry):
                if len(self.matches) == self.limit:
                    return "limit"
                self.matches.append(match)
            if self.searched >= self.settings.search_files:
                return "files"
            if time.monotonic() > self.deadline:
                return "time"
        return ""

    def _look(self, entry: Entry) -> Iterator[dict[str, Any]]:
        if not entry.is_usable:
            self.skipped += 1
            return
        if self.query in fold_text(entry.key[-1]):
            yield {"path": entry.path, "kind": "name", "snippet": entry.key[-1]}
        if is_file(entry.status):
            self.searched += 1
            yield from self._read(entry)

    def _read(self, entry: Entry) -> Iterator[dict[str, Any]]:
        spot = Spot(self.root.hides, entry.handle, entry.name, entry.path)
        try:
            data, _ = spot.read(self.settings.search_bytes)
        except (OSError, PathRefused, TooLarge):
            self.skipped += 1
            return
        text = decode_text(data)
        if text is None:
            self.skipped += 1
        elif self.query in fold_text(text):
            yield from self._find_lines(entry.path, text)

    def _find_lines(self, path: str, text: str) -> Iterator[dict[str, Any]]:
        for number, line in enumerate(text.split("\n"), 1):
            place = fold_text(line).find(self.query)
            if place >= 0:
                snippet = cut_snippet(line.rstrip("\r"), place)
                yield {"path": path, "kind": "text", "line": number, "snippet": snippet}


def search_files(root: Folder, settings: Settings, arguments: Mapping[str, Any]) -> Any:
    """Search names and text under a folder for one piece of text.

    Args:
        root: the root.
        settings: how many files, how large and how long.
        arguments: query, and optionally path and limit.

    Returns:
        Matches in the order of the tree, how many files were searched and skipped,
        and what stopped the search early.

    Raises:
        AbilityFailed: when the folder cannot be searched.
    """
    query = fold_text(arguments["query"])
    if not query or "\n" in query:
        raise InvalidContent("The query must be a part of one line.")
    path = "/".join(key := split_path(arguments.get("path", "")))
    deadline = time.monotonic() + settings.search_seconds
    search = _Search(root, settings, query, arguments.get("limit", PAGE), deadline)
    with root.enter(path) as handle, closing(walk_tree(root, handle, key)) as tree:
        stopped = search.run(tree)
    return {
        "path": path,
        "matches": search.matches,
        "searched": search.searched,
        "skipped": search.skipped,
        "stopped_by": stopped or None,
    }


def cut_snippet(line: str, place: int) -> str:
    """Cut a long line around a match.

    Args:
        line: the line as it is.
        place: where the match begins in the folded line.

    Returns:
        At most 200 characters of the line, not beginning inside a character.
    """
    if len(line) <= _SNIPPET:
        return line
    start = place if line.isascii() else _unfold(line, place)
    start = max(0, min(start - _LEAD, len(line) - _SNIPPET))
    while start < len(line) and combining(line[start]):
        start += 1
    return line[start : start + _SNIPPET]


def _unfold(line: str, place: int) -> int:
    """Find the character that a place in the folded line comes from."""
    low, high = 0, len(line)
    while high - low > 1:
        middle = (low + high) // 2
        length = len(fold_text(line[low:middle]))
        if length <= place:
            place, low = place - length, middle
        else:
            high = middle
    return low
