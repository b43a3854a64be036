"""Carl: reads what CARL keeps of a project, in its first and in its second form."""

from pathlib import Path
from typing import Any, Final

from abilities_memory.carl_files import CarlFolder, CarlUnreadable
from abilities_memory.carl_json import take_carl_json
from abilities_memory.carl_lines import MANIFEST, take_lines
from abilities_memory.document import Document, listed
from abilities_memory.gathering import Gathering

FOLDER: Final = ".carl"
JSON: Final = "carl.json"


def read_carl(path: Path) -> Document:
    """Read a CARL folder as a document whose guidance all waits; blocks.

    Args:
        path: the folder ``.carl``, the folder that it is in, or the file
            ``carl.json``. No link in the folder is followed.

    Returns:
        All that can be carried, and what cannot in `Document.left_out`.

    Raises:
        CarlUnreadable: when a part of it cannot be read; nothing is taken then.
        DocumentBroken: when a part of it is not as CARL writes it.
    """
    at = path.parent if path.name == JSON else path
    with CarlFolder(at) as outer:
        names = outer.names()
        if JSON in names or MANIFEST in names:
            return _read(outer)
        if FOLDER not in names:
            problem = f"there is no {JSON} and no {MANIFEST} in it"
            raise CarlUnreadable("folder", problem)
        with outer.folder(FOLDER) as inner:
            return _read(inner)


def read_carl_json(raw: Any) -> Document:
    """Read what a ``carl.json`` says as a document; see `read_carl`."""
    gathering = Gathering()
    take_carl_json(gathering, raw)
    return gathering.document()


def _read(folder: CarlFolder) -> Document:
    gathering = Gathering()
    names = folder.names()
    if JSON not in names:
        take_lines(gathering, folder)
        return gathering.document()
    take_carl_json(gathering, folder.json(JSON))
    if others := [name for name in names if name != JSON]:
        gathering.leave(f"Not read, since {JSON} is there: {listed(others)}.")
    return gathering.document()
