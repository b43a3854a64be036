"""Stored: what was set at run time, between the file and the environment."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from abilities_host.config.layers import STORE, Layer, from_text, layer_of
from abilities_host.config.live import check_open, is_live
from abilities_host.config.load import LoadedConfig
from abilities_host.config.merged import SERVERS, combine, config_of
from abilities_host.config.merging import Merge, is_loosened
from abilities_host.config.settings import HostConfig
from abilities_host.config.table import settings_by_key
from abilities_host.errors import ConfigError, LookupFailed, listed, nearest
from abilities_host.frozen import FrozenDict

SERVER_FIELDS: Final = (
    "compact",
    "enabled",
    "exclude",
    "instructions",
    "profile",
    "title",
)
"""What may be set of a further server."""

_NEXT_START: Final = (
    "takes effect at the next start; write it in the configuration file."
)
_FILE_ONLY: Final = "only the configuration file may say it."
_NAMES_A_PROGRAM: Final = ("memory.notify",)
"""Whoever can write the store must not run what he likes."""


def stored_key(config: HostConfig, key: str, server: str | None = None) -> str:
    """Give the one spelling of what may be set at run time.

    Args:
        config: the configuration, with its servers.
        key: dotted key; of a server only its last part.
        server: id of a server, None for a setting of the host.

    Returns:
        The key as the store has it; a first server's begins with ``server.``.

    Raises:
        ConfigError: for what is no such setting, with the nearest, or what only the
            file may say.
        LookupFailed: when there is no such server, with the nearest.
    """
    if server is not None:
        key = f"{SERVERS}{server}.{key.removeprefix('server.')}"
    if not key.startswith(SERVERS):
        _check_key(key)
        return key
    _, name, field = _parts(key)
    if name == config.server.id:
        return stored_key(config, f"server.{field}")
    known = [each.id for each in config.all_servers]
    if name not in known:
        raise LookupFailed("server", name, known)
    _check_field(key, field)
    return key


def written_value(key: str, text: str) -> Any:
    """Give the JSON value that a person wrote.

    Args:
        key: from `stored_key`.
        text: a list with commas or as JSON, a number, a word.

    Returns:
        The value; the text itself where it stands for none, which the check refuses.
    """
    return from_text(_as_of_first(key), text)


def with_stored(loaded: LoadedConfig, stored: Mapping[str, Any]) -> LoadedConfig:
    """Put what the store says between the file and the environment.

    What fits no more, such as a key of a server that is gone, is left out with a
    warning: it was good when it was set, and nothing else may depend on it.

    Args:
        loaded: the configuration; what it had from the store is forgotten.
        stored: key to JSON value.

    Returns:
        The configuration with it.
    """
    layers, problems = _fitting(loaded, stored)
    made = _made(loaded, layers)
    said = (f"`abilities set {k}` has no effect: {p}" for k, p in problems.items())
    return replace(made, warnings=(*made.warnings, *said), stored=stored)


def check_stored(loaded: LoadedConfig, stored: Mapping[str, Any], key: str) -> None:
    """Refuse what would not hold.

    Args:
        loaded: the configuration.
        stored: key to JSON value, with the new one.
        key: of the new one, from `stored_key`.

    Raises:
        ConfigError: when the value is none, does not fit to the rest, or would loosen
            what the file says; with key and what was expected.
    """
    layers, problems = _fitting(loaded, stored)
    if key in problems:
        raise ConfigError(STORE, problems[key], key=key)
    asked = layers[key].values[key]
    alone = combine([loaded.layers[0], layers[key]], ())
    rule = settings_by_key()[_as_of_first(key)].merge
    if is_loosened(rule, asked, _value(alone.values, key)):
        problem = f"what is set {rule}. Change it in {loaded.path.name}."
        raise ConfigError(STORE, problem, key=key)


def _fitting(
    loaded: LoadedConfig, stored: Mapping[str, Any]
) -> tuple[dict[str, Layer], dict[str, str]]:
    layers, problems = dict[str, Layer](), dict[str, str]()
    for key, value in sorted(stored.items()):
        try:
            layers[key] = _layer(loaded, key, value)
        except ConfigError as error:
            problems[key] = error.problem
    try:
        _made(loaded, layers)
    except ConfigError:
        layers = _one_by_one(loaded, layers, problems)
    return layers, problems


def _one_by_one(
    loaded: LoadedConfig, layers: Mapping[str, Layer], problems: dict[str, str]
) -> dict[str, Layer]:
    fitting = dict[str, Layer]()
    for key, layer in layers.items():
        try:
            _made(loaded, {**fitting, key: layer})
        except ConfigError as error:
            problems[key] = error.problem
        else:
            fitting[key] = layer
    return fitting


def _made(loaded: LoadedConfig, layers: Mapping[str, Layer]) -> LoadedConfig:
    file, *others = loaded.layers
    merged = combine((file, *layers.values(), *others), loaded.unknown)
    config = config_of(merged, loaded.path)
    check_open(config, layers, loaded.path)
    return replace(
        loaded,
        config=config,
        sources=FrozenDict(merged.sources),
        replaced=FrozenDict(merged.replaced),
        warnings=tuple(merged.warnings),
    )


def _layer(loaded: LoadedConfig, key: str, value: Any) -> Layer:
    if not key.startswith(SERVERS):
        _check_key(key)
        return layer_of(STORE, key, value)
    _, server, field = _parts(key)
    _check_field(key, field)
    if server not in {each.id for each in loaded.layers[0].values.get("servers", ())}:
        raise ConfigError(STORE, f"there is no server {server!r}.", key=key)
    first = _as_of_first(key)
    return Layer(STORE, {key: layer_of(STORE, first, value).values[first]})


def _parts(key: str) -> tuple[str, str, str]:
    section, _, rest = key.partition(".")
    server, _, field = rest.partition(".")
    return section, server, field


def _as_of_first(key: str) -> str:
    is_further = key.startswith(SERVERS)
    return f"server.{key.rpartition('.')[2]}" if is_further else key


def _value(values: Mapping[str, Any], key: str) -> Any:
    if not key.startswith(SERVERS):
        return values[key]
    _, server, field = _parts(key)
    return next(getattr(s, field) for s in values["servers"] if s.id == server)


def _check_key(key: str) -> None:
    setting = settings_by_key().get(key)
    if setting is None:
        hint = nearest(key, filter(is_live, settings_by_key()))
        raise ConfigError(STORE, f"there is no such setting.{hint}", key=key[:200])
    if not is_live(key):
        raise ConfigError(STORE, _NEXT_START, key=key)
    if setting.merge is Merge.FILE or key in _NAMES_A_PROGRAM:
        raise ConfigError(STORE, _FILE_ONLY, key=key)


def _check_field(key: str, field: str) -> None:
    if field in SERVER_FIELDS:
        return
    hint = nearest(field, SERVER_FIELDS)
    can = listed(SERVER_FIELDS, len(SERVER_FIELDS))
    problem = f"what may be set of a further server is {can}.{hint}"
    raise ConfigError(STORE, problem, key=key[:200])
