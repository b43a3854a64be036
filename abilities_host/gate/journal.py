"""Journal: outside the store, what was decided; it shows what somebody removed."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

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


class Journal:
    """One line for each decision, added once it is durable in the store.

    A process that dies between the two leaves no line, and so no alarm.

    Args:
        path: the file, None for none.
    """

    def __init__(self, path: Path | None) -> None:
        self._path: Final = path

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
            lines = self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return {}
        found = filter(None, map(_parsed, lines))
        return {
            line["id"]: Line(line["verb"], line["at"], bool(line["binds"]))
            for line in found
            if line["kind"] == kind
        }


def _parsed(line: bytes) -> Any:
    try:
        found = orjson.loads(line)
    except ValueError:
        return None
    is_line = isinstance(found, dict) and found.keys() >= _KEYS
    return found if is_line and isinstance(found["at"], int) else None
