"""Content: states and arguments as bytes, found by their digest."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from math import isfinite
from typing import Any, Final

import orjson

from abilities_host import MISSING, State

INLINE: Final = 32_768  # bytes; a larger state is packed and unpacked off the loop
PACKED_FROM: Final = 512  # bytes; below that packing gains nothing
_JSON, _ODD, _BYTES = b"j", b"o", b"b"
_OPTIONS: Final = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)


class NotKept(ValueError):
    """Raised for a state that is neither JSON nor bytes."""


@dataclass(frozen=True, slots=True)
class Content:
    """One state, or the arguments of one call.

    Attributes:
        digest: SHA-256 of kind and bytes.
        size: bytes of the state itself, before packing.
        data: packed with zlib or as it is; None when only the digest is kept.
        is_packed: whether it was packed.
    """

    digest: bytes
    size: int
    data: bytes | None
    is_packed: bool


def encode(state: State) -> bytes:
    """Write a state so that equal states are equal bytes.

    Args:
        state: JSON, or bytes; not MISSING.

    Returns:
        One byte for its kind, then the state.

    Raises:
        NotKept: when it is neither.
    """
    if isinstance(state, bytes | bytearray | memoryview):
        return _BYTES + bytes(state)
    try:
        written = orjson.dumps(state, option=_OPTIONS)
    except TypeError:
        return _ODD + _write_odd(state)
    # What is no number is written as null too.
    if b"null" in written and not _is_json(state):
        raise NotKept(_NO_JSON)
    return _JSON + written


_NO_JSON: Final = "a state is neither JSON nor bytes"


def _write_odd(state: State) -> bytes:
    """Write JSON that orjson does not: great numbers, half characters, deep nests."""
    try:
        if not _is_json(state):
            raise NotKept(_NO_JSON)
        return json.dumps(state, sort_keys=True, separators=(",", ":")).encode()
    except RecursionError as error:
        raise NotKept("a state is nested too deep") from error


def _is_json(value: Any) -> bool:
    if isinstance(value, Mapping):
        names = all(isinstance(name, str) for name in value)
        return names and all(_is_json(item) for item in value.values())
    if isinstance(value, list | tuple):
        return all(_is_json(item) for item in value)
    if isinstance(value, float):
        return isfinite(value)
    return value is None or isinstance(value, str | int)


def decode(written: bytes) -> State:
    """Read what `encode` wrote."""
    kind, rest = written[:1], written[1:]
    if kind == _BYTES:
        return rest
    return json.loads(rest) if kind == _ODD else orjson.loads(rest)


def digest_of(state: State) -> bytes | None:
    """Give the digest of a state, None for MISSING."""
    return None if state is MISSING else sha256(encode(state)).digest()


def is_same(one: State, other: State) -> bool:
    """Answer whether two states are the same, as they would be kept."""
    return digest_of(one) == digest_of(other)


def keep(state: State, *, limit: int, is_secret: bool = False) -> Content | None:
    """Make what is kept of a state; may take long for large ones.

    Args:
        state: JSON, bytes or MISSING.
        limit: bytes; of a larger one only the digest is kept.
        is_secret: only the digest is kept.

    Returns:
        The content, None for MISSING.
    """
    if state is MISSING:
        return None
    written = encode(state)
    digest, size = sha256(written).digest(), len(written) - 1
    if is_secret or size > limit:
        return Content(digest, size, None, is_packed=False)
    packed = zlib.compress(written, 6) if size >= PACKED_FROM else written
    if len(packed) >= len(written):
        return Content(digest, size, written, is_packed=False)
    return Content(digest, size, packed, is_packed=True)


def unpack(data: bytes, *, is_packed: bool) -> State:
    """Give the state that was kept.

    Args:
        data: as it is stored.
        is_packed: whether it was packed.

    Returns:
        The state.
    """
    return decode(zlib.decompress(data) if is_packed else data)


def columns_of(content: Content) -> tuple[bytes, int, int, bytes | None]:
    """Give digest, size, whether it is packed, and data."""
    return content.digest, content.size, int(content.is_packed), content.data
