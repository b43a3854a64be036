"""Layers: what file, environment and flags say, each checked by itself."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from abilities_host.config.file import line_of, parse_config
from abilities_host.config.problems import first_problem
from abilities_host.config.settings import HostConfig
from abilities_host.config.table import Setting, settings_by_key
from abilities_host.config.values import BOOLEANS
from abilities_host.errors import ConfigError, nearest

PREFIX = "ABILITIES_"
FILE = "file"
STORE = "store"

_OTHER_VARIABLES = frozenset({"ABILITIES_CONFIG", "ABILITIES_TRACE"})


@dataclass(frozen=True, slots=True)
class Layer:
    """What one source says.

    Attributes:
        source: ``file``, ``store``, the variable, or the flag.
        values: dotted key to checked value; only what was said.
    """

    source: str
    values: Mapping[str, Any]


def file_layer(path: Path, text: str) -> Layer:
    """Check what the file says.

    Args:
        path: for the error.
        text: the whole file.

    Returns:
        Its values.

    Raises:
        ConfigError: with line, key and what was expected.
    """
    try:
        checked = HostConfig.model_validate(parse_config(path, text))
    except ValidationError as error:
        key, problem = first_problem(error)
        line = line_of(text, key)
        raise ConfigError(path, problem, line=line, key=key[:200]) from None
    except RecursionError:
        raise ConfigError(path, "values are nested too deep.") from None
    return Layer(FILE, _said(checked))


def environment_layers(environ: Mapping[str, str]) -> Iterator[Layer]:
    """Check what the environment says; an empty variable says nothing.

    Args:
        environ: ``ABILITIES_LIMITS__CALL_SECONDS`` is ``limits.call_seconds``. A list
            is written with commas or as JSON, a table as JSON.

    Yields:
        A layer for each variable of a setting, in the order of their names.

    Raises:
        ConfigError: with variable, key and what was expected.
    """
    for variable, text in sorted(environ.items()):
        place = _place(_dotted(variable)) if variable.startswith(PREFIX) else None
        if place and text:
            yield _layer(variable, *place, text)


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """Say which variables look like ours and mean nothing.

    Args:
        environ: the whole environment.

    Returns:
        A sentence for each, with the nearest name.
    """
    known = {setting.variable for setting in settings_by_key().values()}
    return [
        f"{variable} is not a setting.{nearest(variable, known)}"
        for variable in sorted(environ)
        if variable.startswith(PREFIX)
        and variable not in _OTHER_VARIABLES
        and _place(_dotted(variable)) is None
    ]


def flag_layers(flags: Mapping[str, Any]) -> Iterator[Layer]:
    """Check what the flags say; None says nothing.

    Args:
        flags: dotted key to a value or a text.

    Yields:
        A layer for each flag.

    Raises:
        ConfigError: with flag, key and what was expected.
    """
    for key, value in flags.items():
        flag = "--" + re.sub(r"[._]", "-", key)
        place = _place(key)
        if place is None:
            hint = nearest(key, settings_by_key())
            raise ConfigError(flag, f"there is no such setting.{hint}", key=key)
        if value is not None:
            yield _layer(flag, *place, value)


def layer_of(source: str, key: str, value: Any) -> Layer:
    """Check what a source says of one setting.

    Args:
        source: for the error, and where the value comes from.
        key: of a setting.
        value: a JSON value, or a text as a flag has it.

    Returns:
        The layer.

    Raises:
        ConfigError: with key and what was expected.
    """
    return _layer(source, settings_by_key()[key], [], value)


def from_text(key: str, text: str) -> Any:
    """Give the JSON value that a text stands for.

    Args:
        key: of a setting.
        text: as a flag or a variable has it.

    Returns:
        The value; the text itself where it stands for none, which the check refuses.
    """
    return _from_text(settings_by_key()[key].kind, text)


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Put dotted keys back into tables.

    Args:
        values: dotted key to value.

    Returns:
        The tables.
    """
    tables: dict[str, Any] = {}
    for key, value in values.items():
        *sections, name = key.split(".")
        table = tables
        for section in sections:
            table = table.setdefault(section, {})
        table[name] = value
    return tables


def _layer(source: str, setting: Setting, inside: list[str], value: Any) -> Layer:
    if isinstance(value, str):
        value = _from_json(value) if inside else _from_text(setting.kind, value)
    for name in reversed(inside):
        value = {name: value}
    if isinstance(value, tuple):
        value = list(value)
    try:
        checked = HostConfig.model_validate(nested({setting.key: value}))
    except ValidationError as error:
        key, problem = first_problem(error)
        raise ConfigError(source, problem, key=key[:200]) from None
    return Layer(source, _said(checked))


def _said(section: BaseModel, prefix: str = "") -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            values |= _said(value, f"{prefix}{name}.")
        elif name in section.model_fields_set:
            values[prefix + name] = value
    return values


def _dotted(variable: str) -> str:
    return variable.removeprefix(PREFIX).lower().replace("__", ".")


def _place(key: str) -> tuple[Setting, list[str]] | None:
    """Find the setting a key belongs to, and the path inside if it is a table."""
    known = settings_by_key()
    if key in known:
        return known[key], []
    for setting in known.values():
        if setting.kind is Mapping and key.startswith(f"{setting.key}."):
            inside = key.removeprefix(f"{setting.key}.").split(".")
            return (setting, inside) if all(inside) else None
    return None


def _from_text(kind: Any, text: str) -> Any:
    """Give the value a text stands for, or the text, which the check then refuses."""
    if kind is bool:
        return BOOLEANS.get(text.strip().lower(), text)
    if kind is tuple and not text.lstrip().startswith("["):
        # A comma before an operator belongs to the versions of one plugin.
        pieces = re.split(r",(?!\s*[<>=!~])", text)
        return [piece.strip() for piece in pieces if piece.strip()]
    if kind in (tuple, Mapping):
        return _from_json(text)
    return _number(kind, text) if kind in (int, float) else text


def _number(kind: type[int] | type[float], text: str) -> float | str:
    try:
        return kind(text)
    except ValueError:
        return text


def _from_json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except ValueError:
        return text
