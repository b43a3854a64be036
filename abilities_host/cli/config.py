"""The command ``config``: every setting, its value, and where that came from."""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from abilities_host.cli.adjusted import load_adjusted
from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import complain, say_json, show_table
from abilities_host.masking import masked

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig


def show_config(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Show every setting, its value, and where that came from."""
    loaded = load_adjusted(config)
    rows = list(rows_of(loaded))
    if as_json:
        say_json(
            {
                "file": str(loaded.path),
                "settings": rows,
                "warnings": list(loaded.warnings),
            }
        )
        return
    show_table(
        ("KEY", "VALUE", "SOURCE"),
        [
            (row["key"], json.dumps(row["value"], ensure_ascii=False), row["source"])
            for row in rows
        ],
    )
    for warning in loaded.warnings:
        complain("warning", warning)


def rows_of(loaded: "LoadedConfig") -> Iterator[dict[str, Any]]:
    """Give every setting with its value and where that came from.

    Args:
        loaded: the configuration in force.

    Yields:
        ``key``, ``value`` and ``source``; of further servers what was said of them.
    """
    from abilities_host.config import settings_table  # noqa: PLC0415 - a slow import

    for setting in settings_table():
        value: Any = loaded.config
        for part in setting.key.split("."):
            value = getattr(value, part)
        source = loaded.sources[setting.key]
        if setting.key == "servers":
            ids = [server.id for server in value]
            yield {"key": setting.key, "value": ids, "source": source}
            yield from _servers(loaded)
            continue
        name = setting.key.rpartition(".")[2]
        for key, leaf in _leaves(setting.key, masked(value, name)):
            yield {"key": key, "value": _plain(leaf), "source": source}


def _servers(loaded: "LoadedConfig") -> Iterator[dict[str, Any]]:
    for server in loaded.config.servers:
        for name in type(server).model_fields:
            key = f"servers.{server.id}.{name}"
            if name in server.model_fields_set:
                source = loaded.sources.get(key, loaded.sources["servers"])
                value = _plain(getattr(server, name))
                yield {"key": key, "value": value, "source": source}


def _leaves(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Give the entries of a table as settings of their own."""
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            yield from _leaves(f"{key}.{name}", item)
    else:
        yield key, value


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, str | int | float | dict):
        return value
    return str(value)
