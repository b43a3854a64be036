"""The command ``config``: every setting, its value, and where that came from."""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from abilities_host.cli.options import ConfigOption, JsonOption
from abilities_host.cli.printing import complain, say_json, show_table
from abilities_host.cli.running import load
from abilities_host.masking import masked

if TYPE_CHECKING:
    from abilities_host.config import LoadedConfig


def show_config(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Show every setting, its value, and where that came from."""
    loaded = load(config)
    rows = list(_rows(loaded))
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


def _rows(loaded: "LoadedConfig") -> Iterator[dict[str, Any]]:
    from abilities_host.config import settings_table  # noqa: PLC0415 - a slow import

    for setting in settings_table():
        value: Any = loaded.config
        for part in setting.key.split("."):
            value = getattr(value, part)
        source = loaded.sources[setting.key]
        name = setting.key.rpartition(".")[2]
        for key, leaf in _leaves(setting.key, masked(value, name)):
            yield {"key": key, "value": _plain(leaf), "source": source}


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
