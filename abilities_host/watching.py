"""Watching: what changes on the disk while a host runs, noticed soon."""

import asyncio
import logging
from hashlib import sha256
from pathlib import Path
from typing import Final

from abilities_host.config import adopt, with_stored
from abilities_host.config.unknown import unknown_profiles
from abilities_host.errors import ConfigError, StoreUnreadable
from abilities_host.host import Host
from abilities_host.threads import run_in_thread

log = logging.getLogger(__name__)

SECONDS: Final = 0.25


class WatchedFile:
    """A file that editors rewrite, replace or link elsewhere; every method blocks.

    It is asked for its state again and again, which follows links and needs no
    library: notices of changes are lost when a file is replaced or is a link.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, ...] = self._look()
        self._pending = self._seen
        self._digest = self._read()

    def has_changed(self) -> bool:
        """Answer whether the content differs from the last time it did.

        Returns:
            True once for each change, when the file has stood still for one look; a
            touch is no change, and neither is a file that is gone or empty.
        """
        now = self._look()
        if now == self._seen:
            return False
        if now != self._pending:
            self._pending = now  # it may still be written to
            return False
        self._seen = now
        digest = self._read()
        is_new = digest is not None and digest != self._digest
        self._digest = digest if digest is not None else self._digest
        return is_new

    def forget(self) -> None:
        """Take what is there for new, once it stands still."""
        self._seen = self._pending = ()
        self._digest = None

    def is_still(self) -> bool:
        """Answer whether the file is as it was when it had changed last."""
        return self._look() == self._seen

    def _look(self) -> tuple[int, ...]:
        try:
            status = self._path.stat()
        except OSError as error:
            return (error.errno or 0,)
        return (
            status.st_dev,
            status.st_ino,
            status.st_size,
            status.st_mtime_ns,
            status.st_ctime_ns,
        )

    def _read(self) -> bytes | None:
        try:
            content = self._path.read_bytes()
        except OSError:
            return None
        # Empty is what a save that was cut short leaves: it would lift everything.
        return sha256(content).digest() if content.strip() else None


async def watch(host: Host) -> None:
    """Notice toggles of other processes and a changed configuration, until cancelled.

    No call depends on it for toggles: each reads the store's generation itself.

    Args:
        host: what is kept up to date.
    """
    file = await run_in_thread(lambda: WatchedFile(host.loaded.path))
    file.forget()  # it may have been saved after the host had read it
    while True:
        await asyncio.sleep(SECONDS)
        if await run_in_thread(file.has_changed):
            await reload(host, file)
        try:
            await host.refresh()
        except StoreUnreadable:
            continue  # it is in the log; calls are refused until it can be read


async def reload(host: Host, file: WatchedFile) -> None:
    """Read the configuration again; one that cannot be used changes nothing.

    Args:
        host: keeps what it had when the file is wrong, and says so in the log.
        file: the configuration file.
    """
    try:
        loaded = await run_in_thread(host.loaded.reload)
        if not await run_in_thread(file.is_still):
            file.forget()  # half a file may lack a restriction: wait for all of it
            return
    except (ConfigError, OSError) as error:
        log.error("%s The last good configuration stays in force.", error)  # noqa: TRY400 - the sentence says it all
        return
    adopted = adopt(host.loaded, with_stored(loaded, host.loaded.stored))
    if adopted.refused:
        log.error("%s The last good configuration stays in force.", adopted.refused)
        return
    for key in adopted.waiting:
        log.warning("%s takes effect at the next start", key)
    is_same = adopted.loaded.config == host.config
    host.adopt(adopted.loaded)
    if not is_same:
        for unknown in unknown_profiles(host.config, host.profiles):
            log.warning("%s", unknown.sentence)
