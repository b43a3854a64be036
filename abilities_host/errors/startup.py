"""Why a host does not start: configuration, store, promises."""

from pathlib import Path

from abilities_host.errors.base import AbilitiesError


class ConfigError(AbilitiesError):
    """Raised when the configuration cannot be used; names file, line and key.

    Attributes:
        source: the file, variable or flag it came from.
        line: line in the file, 0 when there is none.
        key: dotted key, empty for the whole file.
    """

    def __init__(
        self, source: Path | str, problem: str, *, line: int = 0, key: str = ""
    ) -> None:
        self.source = source
        self.problem = problem
        self.line = line
        self.key = key
        place = f"{source}, line {line}" if line else str(source)
        about = f"{key}: " if key else ""
        super().__init__(f"{place}: {about}{problem}")


class StoreError(AbilitiesError):
    """Base of what can be wrong with the store; says which file and what to do."""

    def __init__(self, path: Path | str, problem: str) -> None:
        self.path = path
        self.problem = problem
        super().__init__(f"Store {path}: {problem}")


class StoreMissing(StoreError):
    """Raised when a store that existed has vanished."""


class StoreForeign(StoreError):
    """Raised when the file is not a store of this host, or is empty."""


class StoreNewer(StoreError):
    """Raised when a newer version of the host or a plugin wrote the store."""


class StoreCorrupt(StoreError):
    """Raised when the file is damaged."""


class StoreUnsafe(StoreError):
    """Raised when others may write the file, or its file system cannot be trusted."""


class StoreBusy(StoreError):
    """Raised when another process holds the store for longer than the limit."""


class StartRefused(AbilitiesError):
    """Raised when starting would break a promise; the sentence says what to do."""


class ServiceTaken(AbilitiesError):
    """Raised when two packs offer the same service."""

    def __init__(self, pack: str, service: str, owner: str) -> None:
        super().__init__(
            f"Pack {pack!r} offers {service}, which {owner!r} offers already. Block "
            f"one of them with [plugins] blocked."
        )
