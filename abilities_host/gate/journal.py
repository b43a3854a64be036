"""Journal: outside the store, what was decided; it shows what somebody removed."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import orjson

from abilities_host.gate.seal import Seal, Verb

SUFFIX: Final = ".seals"
_KEYS: Final = frozenset({"verb", "kind", "id", "at", "binds"})


def journal_beside(anchor: Path) -> Path:
    """Say where decisions are noted, beside the file that anchors the record.

    Args:
        anchor: the record's anchor.

    Returns:
        Path of a file of the same name with the suffix ``.seals``.
    """
    return anchor.with_name(anchor.name + SUFFIX)


class Line(NamedTuple):
    """The last decision about an entry.

    Attributes:
        verb: what was decided.
        at: microseconds since 1970.
        binds: it stops something.
    """

    verb: Verb
    at: int
    binds: bool


_Lines = Mapping[str, Mapping[str, Line]]


class Journal:
    """One line for each decision, added once it is durable in the store.

    A process that dies between the two leaves no line, and so no alarm.

    Args:
        path: the file, None for none.
    """

    def __init__(self, path: Path | None) -> None:
        self._path: Final = path
        self._read: tuple[tuple[int, ...], _Lines] | None = None

    def add(self, verb: Verb, seal: Seal, *, binds: bool) -> None:
        """Add a line, durably; blocks.

        Args:
            verb: what was decided.
            seal: the decision.
            binds: what was approved stops something.

        Raises:
            OSError: when it cannot be written.
        """
        if self._path is None:
            return
        line = {
            "verb": verb,
            "kind": seal.kind,
            "id": seal.id,
            "at": seal.at,
            "binds": binds,
        }
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        opened = os.open(self._path, flags, 0o600)
        with open(opened, "ab") as file:  # noqa: PTH123 - a descriptor
            # The line before may have been cut off by a crash.
            file.write(b"\n" + orjson.dumps(line) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def read(self, kind: str) -> Mapping[str, Line]:
        """Read the last decision about each entry of a kind; blocks.

        Args:
            kind: name of the kind.

        Returns:
            Id to decision; lines that are none are left out.

        Raises:
            OSError: when it cannot be read.
        """
        if self._path is None:
            return {}
        try:
            with self._path.open("rb") as file:
                return self._lines(file).get(kind, {})
        except FileNotFoundError:
            return {}

    def _lines(self, file: BinaryIO) -> _Lines:
        """Thousands of lines take longer to read than the file to be the same."""
        mark = _mark_of(file)
        if self._read is None or self._read[0] != mark:
            self._read = mark, _by_kind(file.read().splitlines())
        return self._read[1]


def _mark_of(file: BinaryIO) -> tuple[int, ...]:
    """Give what is another once a file was written to or exchanged."""
    found = os.fstat(file.fileno())
    times = found.st_mtime_ns, found.st_ctime_ns
    return (found.st_dev, found.st_ino, found.st_size, *times)


def _by_kind(lines: Iterable[bytes]) -> _Lines:
    found: dict[str, dict[str, Line]] = {}
    for line in filter(None, map(_parsed, lines)):
        last = Line(line["verb"], line["at"], bool(line["binds"]))
        found.setdefault(line["kind"], {})[line["id"]] = last
    return found


def _parsed(line: bytes) -> Any:
    try:
        found = orjson.loads(line)
    except ValueError:
        return None
    if not (isinstance(found, dict) and found.keys() >= _KEYS):
        return None
    is_named = isinstance(found["kind"], str) and isinstance(found["id"], str)
    return found if is_named and isinstance(found["at"], int) else None
