"""Clients: the file in which an MCP client keeps its servers, and one entry of it."""

import json
import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from abilities_host.errors import ConfigError
from abilities_host.jsontext import json_text

SERVERS: Final = "mcpServers"
PROJECT_FILE: Final = ".mcp.json"
BACKUP: Final = ".before-abilities"
FILE_BYTES: Final = 4 << 20

_DESKTOP_FILE: Final = "claude_desktop_config.json"
_NOTHING_CHANGED: Final = "so nothing was changed."


def desktop_file() -> Path:
    """Find the file of Claude Desktop on this platform.

    Returns:
        An absolute path; nothing need be there.
    """
    if sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        folder = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "Claude" / _DESKTOP_FILE


class ClientFile:
    """A client's file as it was read; everything in it that is not ours stays.

    Args:
        path: of the file; it may be missing, or be a link to the real one.

    Raises:
        ConfigError: when it cannot be read, or changing it would lose something.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._real: Final = Path(os.path.realpath(path))  # a loop is told by reading
        self._content: Final = self._read()
        self._values: Final = self._parse(self._content or b"{}")
        servers = self._values.setdefault(SERVERS, {})
        if not isinstance(servers, dict):
            problem = f"{SERVERS} is not an object, {_NOTHING_CHANGED}"
            raise ConfigError(path, problem)
        self._servers: Final = servers

    def server(self, name: str) -> Any:
        """Give the entry of one server.

        Args:
            name: its key.

        Returns:
            A JSON value, None for no entry.
        """
        return self._servers.get(name)

    def put(self, name: str, server: Mapping[str, Any]) -> Path | None:
        """Write one server into the file, in one step.

        Args:
            name: its key; an entry of that name is replaced.
            server: the new entry.

        Returns:
            Where the file as it was before is kept, None if there was none.

        Raises:
            ConfigError: when it cannot be written, or was changed meanwhile.
        """
        self._servers[name] = dict(server)
        text = f"{json_text(self._values)}\n"
        try:
            return self._replace(text.encode())
        except OSError as error:
            raise ConfigError(self.path, f"cannot be written: {error.strerror}.") from (
                error
            )

    def _replace(self, content: bytes) -> Path | None:
        real, before = self._real, self._content
        real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._read() != before:
            problem = f"was changed meanwhile, {_NOTHING_CHANGED} Run it again."
            raise ConfigError(self.path, problem)
        mode = 0o600 if before is None else real.stat().st_mode & 0o777
        backup = None
        if before is not None:
            backup = real.with_name(f"{real.name}{BACKUP}")
            write_in_one_step(backup, before, mode)
        write_in_one_step(real, content, mode)
        return backup

    def _read(self) -> bytes | None:
        try:
            with self._real.open("rb") as file:
                content = file.read(FILE_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            problem = f"cannot be read: {error.strerror}."
            raise ConfigError(self.path, problem) from error
        if len(content) > FILE_BYTES:
            problem = f"is larger than {FILE_BYTES:,} bytes, {_NOTHING_CHANGED}"
            raise ConfigError(self.path, problem)
        return content

    def _parse(self, content: bytes) -> dict[str, Any]:
        try:
            values = json.loads(content, object_pairs_hook=_unique)
        except json.JSONDecodeError as error:
            problem = f"is not JSON: {error.msg}; {_NOTHING_CHANGED}"
            raise ConfigError(self.path, problem, line=error.lineno) from None
        except (ValueError, RecursionError) as error:
            problem = f"{_reason(error)}, {_NOTHING_CHANGED}"
            raise ConfigError(self.path, problem) from None
        if isinstance(values, dict):
            return values
        raise ConfigError(self.path, f"does not hold one object, {_NOTHING_CHANGED}")


class _KeyTwice(ValueError):
    """Writing the file again would lose one of the two."""

    def __init__(self, key: str) -> None:
        super().__init__(f"has the key {key!r} twice")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _KeyTwice(key)
        found[key] = value
    return found


def _reason(error: Exception) -> str:
    if isinstance(error, _KeyTwice):
        return str(error)
    is_text = not isinstance(error, RecursionError)
    return "is not UTF-8" if is_text else "is nested too deep"


def write_in_one_step(path: Path, content: bytes, mode: int) -> None:
    """Write beside the place and move it there, so that no half of it is ever seen.

    Args:
        path: of the file; what was there is replaced.
        content: all of it.
        mode: permission bits.

    Raises:
        OSError: when it cannot be written; the file is as it was then.
    """
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with open(os.open(new, flags, mode), "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.chmod(mode)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
