"""Published: public halves of seal keys, in a file outside the store."""

import os
from pathlib import Path
from typing import Final

import orjson

from abilities_host.accounts.errors import PublicKeysBroken, SealKeyReplaced
from abilities_host.filelock import FileLock

SUFFIX: Final = ".keys"
LOCK_SECONDS: Final = 5.0
_LARGEST: Final = 1 << 20


def keys_beside(anchor: Path) -> Path:
    """Say where the public halves are, beside the file that anchors the record.

    Args:
        anchor: the record's anchor.

    Returns:
        Path of a file of the same name with the suffix ``.keys``.
    """
    return anchor.with_name(anchor.name + SUFFIX)


def read_published(path: Path) -> dict[str, bytes]:
    """Read the public halves; blocks.

    Args:
        path: the file.

    Returns:
        Name of an account to its 32 bytes; empty when there is no file.

    Raises:
        PublicKeysBroken: when it is no such file.
        OSError: when it cannot be read.
    """
    try:
        with path.open("rb") as file:
            written = file.read(_LARGEST)
    except FileNotFoundError:
        return {}
    try:
        found = orjson.loads(written)["keys"]
        return {str(name): bytes.fromhex(key) for name, key in found.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PublicKeysBroken(path) from error


def publish(path: Path, name: str, public: bytes) -> None:
    """Add a public half, durably, unless it is there; blocks.

    Args:
        path: the file; its folder is made when missing, with mode 0700.
        name: of the account.
        public: 32 bytes.

    Raises:
        SealKeyReplaced: when another key of the account is there.
        PublicKeysBroken: when the file is none of these.
        OSError: when it cannot be written.
    """
    if read_published(path).get(name) == public:
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(path.with_name(path.name + "-lock"))
    if not lock.wait(LOCK_SECONDS):
        raise TimeoutError(lock.path)
    try:
        keys = read_published(path)
        if keys.setdefault(name, public) != public:
            raise SealKeyReplaced(path, name)
        _replace(path, keys)
    finally:
        lock.release()


def _replace(path: Path, keys: dict[str, bytes]) -> None:
    written = {"keys": {name: key.hex() for name, key in sorted(keys.items())}}
    temporary = path.with_name(path.name + ".new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    opened = os.open(temporary, flags, 0o600)
    with open(opened, "wb") as file:  # noqa: PTH123 - a descriptor
        file.write(orjson.dumps(written) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
