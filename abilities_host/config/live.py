"""Live: which settings take effect while a host runs, and which wait for a restart."""

from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

from abilities_host.config.layers import nested
from abilities_host.config.load import LoadedConfig
from abilities_host.config.settings import HostConfig
from abilities_host.config.table import settings_by_key

_LIVE = (
    "context",
    "disabled",
    "enabled",
    "kill_switch",
    "memory.enabled",
    "memory.tokens",
    "read_only",
    "server.enabled",
    "server.exclude",
    "server.include",
    "summary",
    "title",
    "treat_as_write",
)


class Adopted(NamedTuple):
    """What became of a changed configuration.

    Attributes:
        loaded: the configuration in force now.
        waiting: settings that were changed and take effect at the next start.
    """

    loaded: LoadedConfig
    waiting: tuple[str, ...]


def is_live(key: str) -> bool:
    """Answer whether a setting takes effect without a restart.

    Args:
        key: dotted.

    Returns:
        True for what is on and off, for whom, and what is said of the host.
    """
    return key in _LIVE or key.startswith("actors.")


def adopt(old: LoadedConfig, new: LoadedConfig) -> Adopted:
    """Take from a changed configuration what may take effect now.

    Args:
        old: in force.
        new: as it reads now.

    Returns:
        The configuration in force from now on, and what waits.
    """
    values: dict[str, Any] = {}
    waiting: list[str] = []
    for key in settings_by_key():
        before, after = _value(old.config, key), _value(new.config, key)
        values[key] = after if is_live(key) else before
        if before != after and not is_live(key):
            waiting.append(key)
    config = HostConfig.model_validate(nested(values))
    sources = {k: (new if is_live(k) else old).sources[k] for k in values}
    loaded = replace(old, config=config, sources=sources, warnings=new.warnings)
    return Adopted(loaded, tuple(waiting))


def _value(config: HostConfig, key: str) -> Any:
    return reduce(getattr, key.split("."), config)
