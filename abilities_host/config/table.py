"""The table of settings: every key with its rule, kind, default and help."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_origin

import orjson
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from abilities_host.config.merging import Merge
from abilities_host.config.settings import HostConfig

_KINDS: Mapping[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    tuple: "a list of texts",
    Mapping: "a table",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, for the documentation and `abilities config`.

    Attributes:
        key: dotted key, such as ``limits.call_seconds``.
        type: what a value must be, in words.
        default: its value when nobody says anything.
        help: what it does, in a sentence.
        merge: how environment and flags act on it.
        kind: the Python type a value is kept as.
    """

    key: str
    type: str
    default: Any
    help: str
    merge: Merge
    kind: Any

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "ABILITIES_" + self.key.replace(".", "__").upper()


def settings_table() -> list[Setting]:
    """Give every setting, in the order of the models.

    Returns:
        One record for each key; sections are not settings themselves.
    """
    return list(settings_by_key().values())


@cache
def settings_by_key() -> Mapping[str, Setting]:
    """Give every setting under its dotted key."""
    return {setting.key: setting for setting in _settings(HostConfig, "")}


def keys_of_section(section: str) -> list[str]:
    """Give the names of what a section holds.

    Args:
        section: dotted name, empty for the whole file.

    Returns:
        Names of settings and of sections; none when there is no such section.
    """
    start = f"{section}." if section else ""
    inside = (key for key in settings_by_key() if key.startswith(start))
    return list(dict.fromkeys(k.removeprefix(start).split(".")[0] for k in inside))


def _settings(model: type[BaseModel], prefix: str) -> Iterator[Setting]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _settings(inner, f"{prefix}{name}.")
        else:
            yield _setting(prefix + name, field)


def _setting(key: str, field: FieldInfo) -> Setting:
    kind = get_origin(field.annotation) or field.annotation
    rules = (item for item in field.metadata if isinstance(item, Merge))
    return Setting(
        key=key,
        type=_kind_in_words(field, kind) + _bounds(field) + _example(field, kind),
        default=field.default,
        help=field.description or "",
        merge=next(rules, Merge.REPLACE),
        kind=kind,
    )


def _kind_in_words(field: FieldInfo, kind: Any) -> str:
    inside = get_args(field.annotation)[:1] if kind is tuple else ()
    if inside and isinstance(inside[0], type) and issubclass(inside[0], BaseModel):
        return "a list of tables"
    return _KINDS.get(kind, "a text")


def _bounds(field: FieldInfo) -> str:
    found = {
        name: getattr(item, name)
        for item in field.metadata
        for name in ("ge", "gt", "le", "max_length")
        if getattr(item, name, None) is not None
    }
    if "max_length" in found and field.annotation is not None:
        if get_origin(field.annotation) is tuple:
            return f", at most {found['max_length']}"
        return f" of at most {found['max_length']} characters"
    if "gt" in found:
        return f" above {found['gt']} and at most {found['le']}"
    return f" from {found['ge']} to {found['le']}" if "ge" in found else ""


def _example(field: FieldInfo, kind: object) -> str:
    if kind is not tuple or not field.examples:
        return ""
    return f", such as {orjson.dumps(field.examples[0]).decode()}"
