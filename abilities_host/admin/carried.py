"""Carried: a document that a person brings, from the look at it to the import."""

import base64
import binascii
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from abilities_host.errors import CallError

BYTES: Final = 8_000_000
SHOWN: Final = 50
_TEXT: Final = 200


class DocumentRefused(CallError):
    """A file is nothing that can be imported; nothing was."""

    code = "document_refused"

    def __init__(self, problem: str) -> None:
        super().__init__(f"The file {problem}. Nothing was imported.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What a file says of itself; nobody has checked it.

    Attributes:
        written: the file, packed for a field of a form.
        digest: of the file.
        count: how many entries it has.
        kinds: type to how many, at most ten of them.
        entries: the first of them: id, type, topic and the start of the text.
        topics: how many it has.
    """

    written: str
    digest: str
    count: int
    kinds: Mapping[str, int]
    entries: tuple[tuple[str, str, str, str], ...]
    topics: int


def look_at(content: bytes) -> Brought:
    """Look at a file; blocks.

    Args:
        content: of the file, from anybody.

    Returns:
        What it says.

    Raises:
        DocumentRefused: when it is no document.
    """
    document = _read(content)
    guidance = document.get("guidance")
    entries = guidance if isinstance(guidance, list) else []
    rows = [_row(each) for each in entries if isinstance(each, dict)]
    topics = document.get("domains")
    return Brought(
        written=base64.b64encode(zlib.compress(content)).decode(),
        digest=hashlib.sha256(content).hexdigest(),
        count=len(entries),
        kinds=dict(Counter(kind for _, kind, _, _ in rows).most_common(10)),
        entries=tuple(rows[:SHOWN]),
        topics=len(topics) if isinstance(topics, dict) else 0,
    )


def unpack(written: str, digest: str) -> Any:
    """Read the document that was looked at; blocks.

    Args:
        written: from a form, as `look_at` packed it.
        digest: of what was shown.

    Returns:
        JSON values.

    Raises:
        DocumentRefused: when it is not what was shown.
    """
    try:
        packed = base64.b64decode(written, validate=True)
        content = zlib.decompressobj().decompress(packed, BYTES + 1)
    except (ValueError, binascii.Error, zlib.error):
        raise DocumentRefused("did not arrive whole") from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise DocumentRefused("is not the one that was shown")
    return _read(content)


def _read(content: bytes) -> Mapping[str, Any]:
    if not content:
        raise DocumentRefused("is empty, or none was chosen")
    if len(content) > BYTES:
        raise DocumentRefused(
            f"is larger than {BYTES // 1_000_000} MB; at a terminal 'abilities memory "
            "import' takes more"
        )
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise DocumentRefused("is not JSON") from None
    if not isinstance(document, dict) or not document.keys() & {"guidance", "domains"}:
        raise DocumentRefused(
            "is no document of a memory: that is an object with 'guidance' or 'domains'"
        )
    return document


def _row(entry: Mapping[str, Any]) -> tuple[str, str, str, str]:
    id_, kind, topic, text = (
        _start(entry.get(name)) for name in ("id", "type", "domain", "text")
    )
    return id_, kind, topic, text


def _start(value: Any) -> str:
    return value[:_TEXT] if isinstance(value, str) else ""
