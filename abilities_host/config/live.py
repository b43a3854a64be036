"""Live: which settings take effect while a host runs, and which wait for a restart."""

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from abilities_host.config.layers import nested
from abilities_host.config.load import LoadedConfig
from abilities_host.config.problems import first_problem
from abilities_host.config.settings import HostConfig
from abilities_host.config.table import settings_by_key
from abilities_host.errors import ConfigError

_LIVE = (
    "context",
    "disabled",
    "enabled",
    "http.hosts",
    "http.origins",
    "http.trusted_proxies",
    "kill_switch",
    "memory.enabled",
    "memory.notify",
    "memory.tokens",
    "read_only",
    "requests.keep_days",
    "requests.keep_entries",
    "roles",
    "server.categories",
    "server.compact",
    "server.enabled",
    "server.exclude",
    "server.include",
    "server.instructions",
    "server.profile",
    "server.requires",
    "server.route",
    "server.title",
    "servers",
    "summary",
    "title",
    "treat_as_write",
)
_LIVE_SECTIONS = ("actors.", "limits.")
_MADE_AT_THE_START = (
    "limits.abilities",
    "limits.http_requests",
    "limits.http_session_seconds",
    "limits.http_sessions",
    "limits.schema_bytes",
    "limits.schema_depth",
    "limits.state_bytes",
)
"""Limits of what is made once, such as the registry and the place for sessions."""

_OPENS = ("http.hosts", "http.trusted_proxies")


class Adopted(NamedTuple):
    """What became of a changed configuration.

    Attributes:
        loaded: the configuration in force now.
        waiting: settings that were changed and take effect at the next start.
        refused: why nothing was adopted, as a sentence; empty when it was.
    """

    loaded: LoadedConfig
    waiting: tuple[str, ...] = ()
    refused: str = ""


def is_live(key: str) -> bool:
    """Answer whether a setting takes effect without a restart.

    Args:
        key: dotted.

    Returns:
        True for what is on and off, for whom, how much, and what is said of the host.
    """
    if key in _MADE_AT_THE_START:
        return False
    return key in _LIVE or key.startswith(_LIVE_SECTIONS)


def adopt(old: LoadedConfig, new: LoadedConfig) -> Adopted:
    """Take from a changed configuration what may take effect now; all of it or nothing.

    Args:
        old: in force.
        new: as it reads now.

    Returns:
        The configuration in force from now on, and what waits; the old one where the
        new values do not fit to those that wait.
    """
    values: dict[str, Any] = {}
    changed: list[str] = []
    for key in settings_by_key():
        before, after = _value(old.config, key), _value(new.config, key)
        values[key] = after if is_live(key) else before
        if before != after:
            changed.append(key)
    try:
        config = HostConfig.model_validate(nested(values))
        check_open(config, changed, new.path)
    except ValidationError as error:
        key, problem = first_problem(error)
        return Adopted(old, refused=str(ConfigError(new.path, problem, key=key)))
    except ConfigError as error:
        return Adopted(old, refused=str(error))
    kept = {key: old.sources[key] for key in values if not is_live(key)}
    sources = {**new.sources, **kept}
    adopted = replace(new, config=config, sources=sources, replaced=old.replaced)
    return Adopted(adopted, tuple(key for key in changed if not is_live(key)))


def check_open(config: HostConfig, changed: Iterable[str], path: Path) -> None:
    """Refuse to open a host to others that asks nobody for a token.

    Args:
        config: what would be in force.
        changed: keys that are different in it.
        path: of the file, for the error.

    Raises:
        ConfigError: names the key that would open it.
    """
    opened = [key for key in changed if key in _OPENS and _value(config, key)]
    if config.http.auth == "none" and opened:
        problem = (
            'while [http] auth = "none" lets everybody call it must be empty. Write '
            'auth = "token" and start again.'
        )
        raise ConfigError(path, problem, key=opened[0])


def _value(config: HostConfig, key: str) -> Any:
    return reduce(getattr, key.split("."), config)
