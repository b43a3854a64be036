"""Tokens: the secret a client of this machine shows, kept in a file of its own."""

import os
import re
import secrets
import stat
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from abilities_host.errors import StartRefused

_RANDOM_BYTES: Final = 32
_FILE_BYTES: Final = 256
_SHAPE: Final = re.compile(rb"[A-Za-z0-9_-]{43,128}\n?")
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0)
_TRIES, _PAUSE = 20, 0.05


@dataclass(frozen=True, slots=True)
class Token:
    """The secret of the one client actor.

    Attributes:
        value: what a client sends.
        path: the file it is kept in.
        is_new: whether it was made just now.
    """

    value: str = field(repr=False)
    path: Path
    is_new: bool


def ensure_token(path: Path) -> Token:
    """Read the token, or make it at the first start; blocks.

    Args:
        path: the file; its folder must exist.

    Returns:
        The token.

    Raises:
        StartRefused: when the file cannot be trusted or used.
    """
    try:
        made = _make(path)
        return made or Token(_read(path), path, is_new=False)
    except OSError as error:
        problem = f"The token file {path} cannot be used: {error.strerror}."
        raise StartRefused(problem) from error


def _make(path: Path) -> Token | None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileExistsError:
        return None
    value = secrets.token_urlsafe(_RANDOM_BYTES)
    with open(descriptor, "w", encoding="ascii") as file:  # noqa: PTH123 - a descriptor
        file.write(f"{value}\n")
        file.flush()
        os.fsync(descriptor)
    return Token(value, path, is_new=True)


def _read(path: Path) -> str:
    """Another process may have made the file a moment ago and be writing to it."""
    content = _content(path)
    for _ in range(_TRIES):
        if content:
            break
        time.sleep(_PAUSE)
        content = _content(path)
    if _SHAPE.fullmatch(content):
        return content.decode().strip()
    raise _refusal(path, "holds no token")


def _content(path: Path) -> bytes:
    if path.is_symlink():
        raise _refusal(path, "is a link")
    descriptor = os.open(path, os.O_RDONLY | _NO_LINK | _NO_WAIT)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        _check(path, os.fstat(descriptor))
        return file.read(_FILE_BYTES)


def _check(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _refusal(path, "is no file")
    if os.name != "posix":
        return
    if status.st_uid != os.geteuid():
        raise _refusal(path, "belongs to another user")
    if status.st_mode & _OTHERS:
        raise _refusal(path, "is open to others, who may have read it")


def _refusal(path: Path, problem: str) -> StartRefused:
    return StartRefused(
        f"The token file {path} {problem}. Remove it, and the next start makes a new "
        "token for the clients."
    )
