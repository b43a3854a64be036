"""Filled: the arguments that a person has filled in, or what cannot be understood."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, NamedTuple

import orjson

from abilities_host.admin.fields import Field, Group, SchemaForm
from abilities_host.domain import MISSING
from abilities_host.frozen import thaw

_WHOLE: Final = re.compile(r"-?[0-9]{1,30}")
_NUMBER: Final = re.compile(
    r"-?(?:[0-9]{1,30}(?:\.[0-9]{0,60})?|\.[0-9]{1,60})(?:[eE][+-]?[0-9]{1,3})?"
)


class Problem(NamedTuple):
    """One field that cannot be understood.

    Attributes:
        key: of the field.
        text: key of the text that says why.
        place: where in it, for JSON: line and column.
    """

    key: str
    text: str
    place: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Filled:
    """What a person filled in.

    Attributes:
        arguments: a JSON value; None for none.
        problems: of fields that cannot be understood; then nothing may be called.
    """

    arguments: Any
    problems: tuple[Problem, ...] = ()


class _NotUnderstood(Exception):
    def __init__(self, text: str, place: tuple[int, int] = (0, 0)) -> None:
        self.text = text
        self.place = place
        super().__init__(text)


def arguments_of(form: SchemaForm, written: Callable[[str], str]) -> Filled:
    """Read the arguments from what the fields have; an empty one is left out.

    Args:
        form: that was shown.
        written: gives the text of a field by its key, empty without one.

    Returns:
        Arguments, which only the host judges, or problems.
    """
    reading = _Reading(written)
    if form.whole is not None:
        value = reading.value(form.whole)
        arguments = None if value is MISSING else value
    elif not form.items and form.rest is None:
        arguments = None
    else:
        arguments = reading.all_of(form)
    return Filled(arguments, tuple(reading.problems))


class _Reading:
    """One pass over the fields."""

    def __init__(self, written: Callable[[str], str]) -> None:
        self.problems: list[Problem] = []
        self._written: Final = written

    def all_of(self, form: SchemaForm) -> dict[str, Any]:
        found = self._rest(form.rest)
        for item in form.items:
            value = self._group(item) if isinstance(item, Group) else self.value(item)
            if value is not MISSING:
                found[item.name] = value
        return found

    def value(self, field: Field) -> Any:
        try:
            return _read(field, self._written(field.key).replace("\r\n", "\n"))
        except _NotUnderstood as error:
            self.problems.append(Problem(field.key, error.text, error.place))
            return MISSING

    def _rest(self, rest: Field | None) -> dict[str, Any]:
        value = MISSING if rest is None else self.value(rest)
        if rest is None or value is MISSING:
            return {}
        if not isinstance(value, dict):
            self.problems.append(Problem(rest.key, "try.problem.object"))
            return {}
        return value

    def _group(self, group: Group) -> Any:
        values = {field.name: self.value(field) for field in group.fields}
        found = {name: item for name, item in values.items() if item is not MISSING}
        return found if found or group.is_required else MISSING


def _read(field: Field, text: str) -> Any:
    if field.kind in ("line", "text", "secret"):
        return text if text or field.is_required else MISSING
    if not text.strip():
        return MISSING
    return _READERS[field.kind](field, text.strip())


def _whole(_: Field, text: str) -> Any:
    if _WHOLE.fullmatch(text):
        return int(text)
    number = float(text) if _NUMBER.fullmatch(text) else 0.5
    if not isfinite(number) or not number.is_integer():
        raise _NotUnderstood("try.problem.integer")
    return int(number)


def _number(_: Field, text: str) -> Any:
    if _WHOLE.fullmatch(text):
        return int(text)
    number = float(text) if _NUMBER.fullmatch(text) else float("inf")
    if not isfinite(number):
        raise _NotUnderstood("try.problem.number")
    return number


def _boolean(_: Field, text: str) -> Any:
    if text not in ("true", "false"):
        raise _NotUnderstood("try.problem.choice")
    return text == "true"


def _chosen(field: Field, text: str) -> Any:
    is_place = text.isascii() and text.isdigit() and len(text) < len("1000")
    if not is_place or int(text) >= len(field.choices):
        raise _NotUnderstood("try.problem.choice")
    return thaw(field.choices[int(text)].value)


def _json(_: Field, text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        place = (error.lineno, error.colno)
        raise _NotUnderstood("try.problem.json", place) from None


_READERS: Final[dict[str, Callable[[Field, str], Any]]] = {
    "integer": _whole,
    "number": _number,
    "boolean": _boolean,
    "choice": _chosen,
    "json": _json,
}
