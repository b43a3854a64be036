"""The configuration file: found, read with care, parsed, and its lines known."""

import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from abilities_host.access import others_may_write
from abilities_host.errors import ConfigError

FILE_NAME = "abilities.toml"
FILE_BYTES = 1 << 20

_KEY_PARTS = 64
_PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"[ \t]*\[\[?[ \t]*({_KEY})[ \t]*\]\]?[ \t]*(?:#.*)?$")
_DEEP = re.compile(rf"(?<![A-Za-z0-9_\\-])(?:{_PART}[ \t]*\.[ \t]*){{{_KEY_PARTS}}}")
_PAIR = re.compile(rf"[ \t]*({_KEY})[ \t]*=(.*)")


def find_config(path: Path | None, environ: Mapping[str, str], cwd: Path) -> Path:
    """Find the configuration file.

    Args:
        path: named by the operator; a relative one starts at `cwd`.
        environ: its ``ABILITIES_CONFIG`` comes next.
        cwd: where the search upwards begins.

    Returns:
        The absolute path.

    Raises:
        ConfigError: when there is none, with the command that makes one, or when the
            search meets one that somebody else put there.
    """
    named = str(path or environ.get("ABILITIES_CONFIG", ""))
    if named:
        return cwd / expanded(named)
    for folder in (cwd, *cwd.parents):
        # Whatever has the name is taken: an odd one must not lead to another file.
        if os.path.lexists(folder / FILE_NAME):
            _check_owner(folder / FILE_NAME, cwd)
            return folder / FILE_NAME
    raise ConfigError(
        cwd,
        f"no {FILE_NAME} here or in a folder above. `abilities init` makes one.",
    )


def read_config(path: Path) -> str:
    """Read the file, if nobody else may write it.

    Args:
        path: a regular file of at most 1 MiB.

    Returns:
        The text, UTF-8.

    Raises:
        ConfigError: when it is missing, not such a file, or not safe.
    """
    try:
        content = _content(path)
    except FileNotFoundError:
        problem = "there is no such file. `abilities init` makes one."
        raise ConfigError(path, problem) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or "the name is impossible"
        raise ConfigError(path, f"cannot be read: {reason}.") from None
    if len(content) > FILE_BYTES:
        raise ConfigError(path, f"is larger than {FILE_BYTES} bytes.")
    return _decoded(path, content)


def parse_config(path: Path, text: str) -> dict[str, Any]:
    """Parse the text as TOML.

    Args:
        path: for the error.
        text: the whole file.

    Returns:
        Its tables.

    Raises:
        ConfigError: with the line that is not TOML.
        RecursionError: when its values are nested too deep.
    """
    # The parser's time grows with the square of a key's parts.
    if deep := _DEEP.search(text):
        line = text.count("\n", 0, deep.start()) + 1
        problem = f"a key has more than {_KEY_PARTS} parts."
        raise ConfigError(path, problem, line=line)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem, _, place = str(error).rpartition(" (at ")
        said = re.search(r"line (\d+)", place)
        line = int(said[1]) if said else text.count("\n") + 1
        raise ConfigError(path, f"not TOML: {problem}.", line=line) from None
    except ValueError:
        raise ConfigError(path, "a number is too large.") from None


def line_of(text: str, key: str) -> int:
    """Find the line that says a key.

    Args:
        text: a file that is TOML.
        key: dotted key, or one below it.

    Returns:
        The number of the first line of the key, or of the nearest table around it;
        0 when no line says any of it.
    """
    lines = dict[str, int]()
    for number, said in _keys_by_line(text):
        lines.setdefault(said, number)
    parts = key.split(".")
    tries = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((lines[each] for each in tries if each in lines), 0)


def expanded(path: str) -> Path:
    """Put the home folder in the place of a leading ``~``.

    Args:
        path: as it was written.

    Returns:
        The path; unchanged when there is no such home folder.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def is_trusted(owner: int, user: int, folder_owner: int) -> bool:
    """Answer whether a file that was met by searching may be believed.

    Args:
        owner: user id of the file's owner.
        user: user id of this process.
        folder_owner: user id of the owner of the folder the search began in.

    Returns:
        True when it is the superuser's, our own, or of who owns the folder.
    """
    return owner in {0, user, folder_owner}


def _check_owner(path: Path, cwd: Path) -> None:
    # A file in a folder open to all, such as /tmp, may name packs to be run.
    user = getattr(os, "geteuid", lambda: 0)()
    if not is_trusted(path.lstat().st_uid, user, cwd.stat().st_uid):
        raise ConfigError(
            path, "belongs to somebody else; name it in ABILITIES_CONFIG."
        )


def _content(path: Path) -> bytes:
    # Opening a pipe without O_NONBLOCK would wait for its other end.
    extra = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, os.O_RDONLY | extra)
    try:
        _check_file(path, os.fstat(descriptor))
        return os.read(descriptor, FILE_BYTES + 1)
    finally:
        os.close(descriptor)


def _check_file(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise ConfigError(path, "is not a file; name the file itself.")
    if others_may_write(status):
        raise ConfigError(path, f"others may write it. Run `chmod 600 {path}`.")


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(path, "is not UTF-8 text.", line=line) from None


def _keys_by_line(text: str) -> Iterator[tuple[int, str]]:
    table, closing = "", ""
    for number, line in enumerate(text.split("\n"), start=1):
        if closing:
            closing = "" if closing in line else closing
        elif header := _HEADER.match(line):
            table = _plain(header[1])
            yield number, table
        elif pair := _PAIR.match(line):
            yield number, f"{table}.{_plain(pair[1])}".lstrip(".")
            closing = _opened(pair[2])


def _opened(value: str) -> str:
    """Give the quotes of a text that goes on in the next line, if one does."""
    for quotes in ('"""', "'''"):
        if value.lstrip().startswith(quotes) and value.count(quotes) == 1:
            return quotes
    return ""


def _plain(key: str) -> str:
    return ".".join(part.strip("\"'") for part in re.findall(_PART, key))
