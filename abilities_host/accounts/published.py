"""Published: public halves of seal keys and roles, in a file outside the store."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import orjson

from abilities_host.accounts.errors import (
    PublicKeysBroken,
    PublicKeysUnusable,
    SealKeyReplaced,
)
from abilities_host.accounts.role import Role
from abilities_host.filelock import FileLock
from abilities_host.threads import run_in_thread

T = TypeVar("T")

SUFFIX: Final = ".keys"
LOCK_SECONDS: Final = 5.0
_LARGEST: Final = 1 << 20


class Published(NamedTuple):
    """What the file says of each account, by name.

    Attributes:
        keys: the public half of its seal key, 32 bytes.
        roles: the most it may do, whatever the store says.
    """

    keys: dict[str, bytes]
    roles: dict[str, Role]


class KeysFile:
    """The file, or none: then nothing is known and nothing is written.

    Args:
        path: of the file; its folder is made when missing, with mode 0700.

    Attributes:
        path: of the file, None for none.
    """

    def __init__(self, path: Path | None) -> None:
        self.path: Final = path

    async def read(self) -> Published | None:
        """Read what is published.

        Returns:
            It, empty when the file is not there yet; None without a file.

        Raises:
            PublicKeysBroken: when the file cannot be understood.
            PublicKeysUnusable: when it cannot be read.
        """
        if self.path is None:
            return None
        return await self._work(self.path, partial(read_published, self.path))

    async def add(
        self, name: str, public: bytes | None, role: Role, *, is_new_role: bool = False
    ) -> None:
        """Publish an account, durably, unless it is published.

        Args:
            name: of the account.
            public: half of its key, None when it has no key yet.
            role: what it may do.
            is_new_role: in place of the one that is published.

        Raises:
            SealKeyReplaced: when another key of the account is there.
            PublicKeysBroken: when the file cannot be understood.
            PublicKeysUnusable: when it cannot be read or written.
        """
        if self.path is None:
            return
        work = partial(publish, self.path, name, public, role, is_new_role=is_new_role)
        await self._work(self.path, work)

    async def _work(self, path: Path, work: Callable[[], T]) -> T:
        try:
            return await run_in_thread(work)
        except OSError as error:
            raise PublicKeysUnusable(path, error.strerror or "it is locked") from error


def keys_beside(anchor: Path) -> Path:
    """Say where the public halves are, beside the file that anchors the record.

    Args:
        anchor: the record's anchor.

    Returns:
        Path of a file of the same name with the suffix ``.keys``.
    """
    return anchor.with_name(anchor.name + SUFFIX)


def read_published(path: Path) -> Published:
    """Read the file; blocks.

    Args:
        path: the file.

    Returns:
        What it says; nothing when there is no file.

    Raises:
        PublicKeysBroken: when it is no such file.
        OSError: when it cannot be read.
    """
    try:
        with path.open("rb") as file:
            written = file.read(_LARGEST)
    except FileNotFoundError:
        return Published({}, {})
    try:
        found = orjson.loads(written)
        keys = {name: bytes.fromhex(key) for name, key in found["keys"].items()}
        return Published(keys, {n: Role(r) for n, r in found["roles"].items()})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PublicKeysBroken(path) from error


def publish(
    path: Path, name: str, public: bytes | None, role: Role, *, is_new_role: bool
) -> None:
    """Publish an account, durably, unless it is published; blocks.

    Args:
        path: the file; its folder is made when missing, with mode 0700.
        name: of the account.
        public: 32 bytes, None when it has no key yet.
        role: what it may do.
        is_new_role: in place of the one that is published.

    Raises:
        SealKeyReplaced: when another key of the account is there.
        PublicKeysBroken: when the file is none of these.
        OSError: when it cannot be written.
    """

    def added(before: Published) -> Published:
        keys, roles = dict(before.keys), dict(before.roles)
        if public and keys.setdefault(name, public) != public:
            raise SealKeyReplaced(path, name)
        if is_new_role or name not in roles:
            roles[name] = role
        return Published(keys, roles)

    # Who may only read the file can do everything for which it need not change.
    before = read_published(path)
    if added(before) != before:
        _change(path, added)


def _change(path: Path, change: Callable[[Published], Published]) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(path.with_name(path.name + "-lock"))
    if not lock.wait(LOCK_SECONDS):
        raise TimeoutError(lock.path)
    try:
        _replace(path, change(read_published(path)))
    finally:
        lock.release()


def _replace(path: Path, published: Published) -> None:
    written = {
        "keys": {name: key.hex() for name, key in sorted(published.keys.items())},
        "roles": dict(sorted(published.roles.items())),
    }
    temporary = path.with_name(path.name + ".new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    opened = os.open(temporary, flags, 0o600)
    with open(opened, "wb") as file:  # noqa: PTH123 - a descriptor
        file.write(orjson.dumps(written) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
