"""Validation of values against the author's schema, compiled once and shared."""

import sys
from collections import OrderedDict
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import jsonschema_rs
import orjson

from abilities_host.frozen import thaw
from abilities_host.schema.defaults import apply_defaults, has_defaults
from abilities_host.schema.explain import Problem, explain, type_name
from abilities_host.schema.fitness import find_flaw
from abilities_host.schema.pointer import write_pointer
from abilities_host.schema.reading import as_read

Side = Literal["input", "output"]

CACHE_LIMIT = 4096

_SCALARS = frozenset({str, int, bool, type(None)})


class Validator:
    """Says what is wrong with a value; compiled at its first use.

    Input is read as closed where the author said nothing (see `as_read`); output is
    taken as the schema says.

    Args:
        schema: the author's schema, checked.
        side: whether it describes arguments or a result.
    """

    def __init__(self, schema: Mapping[str, Any], side: Side = "input") -> None:
        self._schema = schema
        self._side = side

    def problems(self, value: Any, size: int = sys.maxsize) -> list[Problem]:
        """Say what is wrong with a value.

        Args:
            value: anything, also what is no JSON or contains itself.
            size: bytes of JSON text at most.

        Returns:
            At most 16 problems, none of them with a value; empty when it is valid.
        """
        measured = _measure_flat(value)
        if measured is None:
            flaw = find_flaw(value)
            if flaw:
                return [_unfit(value, write_pointer(flaw.place), flaw.problem)]
            measured = len(orjson.dumps(value, default=dict))
        return [_too_large(size)] if measured > size else self.problems_of_json(value)

    def problems_of_json(self, value: Any) -> list[Problem]:
        """Say what is wrong with a value that was read from JSON text.

        Args:
            value: what a parser with a limit on nesting gave.

        Returns:
            The same as `problems`.
        """
        try:
            return [] if self._compiled.is_valid(value) else self._explain(value)
        except ValueError:
            # jsonschema-rs knows exact types only, no subclass of str for example.
            value = orjson.loads(orjson.dumps(value, default=dict))
            return [] if self._compiled.is_valid(value) else self._explain(value)

    def fill(self, value: Any) -> Any:
        """Fill in the schema's defaults; see `apply_defaults`."""
        return apply_defaults(self._schema, value) if self.has_defaults else value

    def _explain(self, value: Any) -> list[Problem]:
        noun = "argument" if self._side == "input" else "property"
        return explain(self._compiled.iter_errors(value), self._read, noun=noun)

    @cached_property
    def _read(self) -> dict[str, Any]:
        return as_read(self._schema) if self._side == "input" else thaw(self._schema)

    @cached_property
    def has_defaults(self) -> bool:
        """Whether `fill` may ever change anything."""
        return has_defaults(self._schema)

    @cached_property
    def _compiled(self) -> jsonschema_rs.Validator:
        return jsonschema_rs.validator_for(
            self._read, validate_formats=False, offline=True
        )


class ValidatorCache:
    """Validators shared by the schemas that are equal; the least used one goes first.

    Args:
        limit: how many are kept, at least 1.
    """

    def __init__(self, limit: int = CACHE_LIMIT) -> None:
        self._limit = limit
        self._kept: OrderedDict[tuple[bytes, Side], Validator] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, schema: Mapping[str, Any], side: Side = "input") -> Validator:
        """Give the validator of a schema.

        Args:
            schema: the author's schema, checked.
            side: whether it describes arguments or a result.

        Returns:
            The same validator for equal schemas while it is kept.
        """
        key = (orjson.dumps(schema, default=dict), side)
        validator = self._kept.pop(key, None) or Validator(schema, side)
        self._kept[key] = validator
        if len(self._kept) > self._limit:
            self._kept.popitem(last=False)
        return validator


def _measure_flat(value: Any) -> int | None:
    """Measure what plainly is a flat object of JSON values, as most arguments are.

    Nothing in it can be deep, contain itself or crash the validator.
    """
    if type(value) is not dict or not _SCALARS.issuperset(map(type, value.values())):
        return None
    try:
        return len(orjson.dumps(value))
    except TypeError:  # a key or a text that is none: the search says where
        return None


def _too_large(limit: int) -> Problem:
    return {
        "path": "",
        "message": f"the arguments are larger than {limit} bytes",
        "expected": f"at most {limit} bytes",
        "received": "more",
        "keyword": "size",
    }


def _unfit(value: Any, path: str, problem: str) -> Problem:
    return {
        "path": path,
        "message": f"{problem}.",
        "expected": "JSON within the limits",
        "received": type_name(value),
        "keyword": "",
    }
