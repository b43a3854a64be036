"""Outside: the hashes of first sight once more, out of reach of the store's writers."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

SUFFIX: Final = ".pins"


class Seen(NamedTuple):
    """One definition as it was first seen."""

    pack: str
    ability: str
    hash: str


def pins_beside(anchor: Path) -> Path:
    """Say where hashes are noted, beside the file that anchors the record.

    Args:
        anchor: the record's anchor.

    Returns:
        Path of a file of the same name with the suffix ``.pins``.
    """
    return anchor.with_name(anchor.name + SUFFIX)


class PinFile:
    """One line for each pack and start at which something was seen for the first time.

    Args:
        path: the file, None for none.
    """

    def __init__(self, path: Path | None) -> None:
        self._path: Final = path

    def add(self, seen: Iterable[Seen]) -> None:
        """Add what was seen, durably; blocks.

        Args:
            seen: definitions that the store has by now.

        Raises:
            OSError: when it cannot be written.
        """
        packs: dict[str, dict[str, str]] = {}
        for each in seen:
            packs.setdefault(each.pack, {})[each.ability] = each.hash
        if self._path is None or not packs:
            return
        lines = [orjson.dumps({"pack": p, "pins": pins}) for p, pins in packs.items()]
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        opened = os.open(self._path, flags, 0o600)
        with open(opened, "ab") as file:  # noqa: PTH123 - a descriptor
            # The line before may have been cut off by a crash.
            file.write(b"\n" + b"\n".join(lines) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> Mapping[str, Mapping[str, str]] | None:
        """Read all that was noted; blocks.

        Returns:
            Pack to ability to the hash that was noted first; None without a file to
            note in. Lines that are none are left out.

        Raises:
            OSError: when it cannot be read.
        """
        if self._path is None:
            return None
        try:
            lines = self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return {}
        packs: dict[str, dict[str, str]] = {}
        for line in filter(None, map(_parsed, lines)):
            pins = packs.setdefault(line["pack"], {})
            packs[line["pack"]] = {**line["pins"], **pins}
        return packs


def _parsed(line: bytes) -> Any:
    try:
        found = orjson.loads(line)
    except ValueError:
        return None
    if not isinstance(found, dict) or not isinstance(found.get("pack"), str):
        return None
    return found if isinstance(found.get("pins"), dict) else None
