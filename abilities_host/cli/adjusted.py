"""Adjusted: the configuration with what the store says, without a host."""

from pathlib import Path
from typing import TYPE_CHECKING

from abilities_host.cli.printing import complain
from abilities_host.cli.proof import run_to_end
from abilities_host.cli.running import load
from abilities_host.errors import StoreError
from abilities_host.threads import run_in_thread

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig


def load_adjusted(path: Path | None) -> "LoadedConfig":
    """Read the configuration as a host on its store would have it.

    Args:
        path: named by the operator, or None to search.

    Returns:
        The effective configuration; without a store that of the file alone. Where the
        store cannot be read a warning says that what is set there is missing.

    Raises:
        ConfigError: names file, line, key and what was expected.
    """
    loaded = load(path)
    if not loaded.store_path.exists():
        return loaded
    try:
        return run_to_end(lambda: _adjusted(loaded))
    except StoreError as error:
        complain("warning", f"what the store says is missing here: {error.sentence}")
        return loaded


async def _adjusted(loaded: "LoadedConfig") -> "LoadedConfig":
    from abilities_host.adjustments import Adjustments  # noqa: PLC0415 - slow imports
    from abilities_host.config import with_stored  # noqa: PLC0415 - same
    from abilities_host.opening import only_reads  # noqa: PLC0415 - same
    from abilities_host.storage.sqlite import open_sqlite  # noqa: PLC0415 - same

    is_frozen = await run_in_thread(lambda: only_reads(loaded))
    path = loaded.store_path
    async with open_sqlite(path, create=False, read_only=is_frozen) as store:
        adjustments = Adjustments(store)
        await adjustments.migrate()
        return with_stored(loaded, await adjustments.load())
