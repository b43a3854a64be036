"""Anchor: the head of the record in a second file, where who has the store is not."""

import logging
import os
from collections.abc import Awaitable, Callable
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from abilities_host import FileLock, StoreError, run_in_thread
from abilities_ledger.book import Head

log = logging.getLogger(__name__)

LOCK_SECONDS: Final = 2.0


class Anchored(NamedTuple):
    """What the file says.

    Attributes:
        record: id of the record.
        seq: number of the newest entry when it was written.
        hash: hash of that entry.
    """

    record: str
    seq: int
    hash: bytes


class AnchorBroken(ValueError):
    """Raised when the file is there and is no anchor."""


class Course(Enum):
    """How a record goes on from what an anchor saw."""

    SAME = "the entry is as it was, or was pruned since"
    REPLACED = "an entry says that another record was put in the place of that one"
    BROKEN = "nothing says why it is not there"


Follow = Callable[[Anchored], Awaitable[Course]]


class Anchor:
    """Keeps the head of one record in a file; never goes back.

    Args:
        path: the file; None for no anchor.
        record: id of the record.
        follow: says how the record goes on from what the file says; if it does not,
            the file stays as it is, being the evidence.
    """

    def __init__(self, path: Path | None, record: str, follow: Follow) -> None:
        self.path: Final = path
        self.record: Final = record
        self._follow: Final = follow
        self._head: Head | None = None
        self._is_refused = False
        self._problem = ""

    def note(self, head: Head) -> None:
        """Have the newest head written at the next `write`; does not block."""
        if self._head is None or head.seq > self._head.seq:
            self._head = head

    async def write(self) -> None:
        """Write the newest noted head; what fails is in the log, and tried again."""
        head, self._head = self._head, None
        if self.path is None or head is None or self._is_refused:
            return
        try:
            await self._advance(self.path, head)
            self._problem = ""
        except (OSError, ValueError, StoreError) as error:  # whatever was tampered with
            if self._problem != str(error):  # once, not once a second
                self._problem = str(error)
                log.warning("the anchor %s cannot be written: %s", self.path, error)
            self.note(head)
        except BaseException:
            self.note(head)
            raise

    async def read(self) -> Anchored | None:
        """Read the file.

        Returns:
            What it says, None when there is no file or no anchor is kept.

        Raises:
            AnchorBroken: when it is no anchor.
            OSError: when it cannot be read.
        """
        path = self.path
        return None if path is None else await run_in_thread(lambda: read_anchor(path))

    async def _advance(self, path: Path, head: Head) -> None:
        old = await run_in_thread(lambda: read_anchor(path))
        course = Course.SAME if old is None else await self._follow(old)
        if old is not None and course is Course.BROKEN:
            self._is_refused = True
            log.error(
                "the record does not go on from what the anchor %s saw (entry %d); "
                "run 'abilities ledger verify'",
                path,
                old.seq,
            )
            return
        new = Anchored(self.record, head.seq, head.hash)
        replaced = old if course is Course.REPLACED else None
        await run_in_thread(lambda: write_anchor(path, new, replaced=replaced))


def read_anchor(path: Path) -> Anchored | None:
    """Read an anchor; blocks.

    Args:
        path: the file.

    Returns:
        What it says, None when there is none.

    Raises:
        AnchorBroken: when it is no anchor.
        OSError: when it cannot be read.
    """
    try:
        written = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        return _anchored(orjson.loads(written))
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{path} is no anchor"
        raise AnchorBroken(msg) from error


def _anchored(found: Any) -> Anchored:
    record, seq, hash_ = found["record"], found["seq"], bytes.fromhex(found["hash"])
    if type(record) is not str or type(seq) is not int:
        raise TypeError
    return Anchored(record, seq, hash_)


def write_anchor(
    path: Path, new: Anchored, *, replaced: Anchored | None = None
) -> None:
    """Replace an anchor unless the file is further already; blocks.

    Args:
        path: the file; its folder is made when missing, with mode 0700.
        new: what it shall say.
        replaced: what it said of a record that another one has taken the place of; in
            this one case it goes back.

    Raises:
        OSError: when it cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(path.with_name(path.name + "-lock"))
    if not lock.wait(LOCK_SECONDS):
        raise TimeoutError(lock.path)
    try:
        old = read_anchor(path)
        if old is None or old == replaced or _is_behind(old, new):
            _replace(path, new)
    finally:
        lock.release()


def _is_behind(old: Anchored, new: Anchored) -> bool:
    return old.record != new.record or old.seq < new.seq


def _replace(path: Path, new: Anchored) -> None:
    written = {"record": new.record, "seq": new.seq, "hash": new.hash.hex()}
    temporary = path.with_name(path.name + ".new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    opened = os.open(temporary, flags, 0o600)
    with open(opened, "wb") as file:  # noqa: PTH123 - a descriptor
        file.write(orjson.dumps(written) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
