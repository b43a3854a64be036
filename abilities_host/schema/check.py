"""The check of a schema at registration, with a place and a fix for each fault."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from typing import Any

import jsonschema_rs
import orjson
from jsonschema_rs import ValidationError

from abilities_host.errors import InvalidSchema, listed, nearest
from abilities_host.schema.explain import explain, type_name
from abilities_host.schema.fitness import DEPTH_LIMIT, find_flaw
from abilities_host.schema.keywords import (
    IN_PLACE,
    MAPS,
    REFERENCES,
    subschemas,
)
from abilities_host.schema.places import every_schema, find_target, references_of
from abilities_host.schema.pointer import (
    NAME_SHOWN,
    Pointer,
    look_up,
    printable,
    write_pointer,
)
from abilities_host.schema.repair import Schemas, mend

_NEWEST = "https://json-schema.org/draft/2020-12/schema"
_DRAFTS = frozenset(
    {
        "https://json-schema.org/draft-04/schema",
        "https://json-schema.org/draft-06/schema",
        "https://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
        _NEWEST,
    }
)
_SEEN_LATE = REFERENCES | {"$id", "id"}
"""Keywords that are judged only when the schema is compiled."""

_JUDGED_HERE = _SEEN_LATE | {"pattern", "patternProperties"}
"""Keywords of which the schema of schemas does not tell all; few schemas have any."""

_GUESSED_FROM = 100
_PATTERN_PROBLEM = (
    "is no pattern of ECMA-262, the dialect of JSON Schema: write '$' for '\\Z', "
    "'(?<name>…)' for '(?P<name>…)', '{0,3}' for '{,3}'."
)
_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_MEANT = {
    "bool": "boolean",
    "date": "string",
    "datetime": "string",
    "decimal": "number",
    "dict": "object",
    "double": "number",
    "float": "number",
    "int": "integer",
    "list": "array",
    "long": "integer",
    "map": "object",
    "nil": "null",
    "none": "null",
    "set": "array",
    "str": "string",
    "text": "string",
    "tuple": "array",
    "uuid": "string",
}
"""What authors write for a type, and the type they mean."""

_FIXES = {
    "additionalProperties": "Write true, false or a schema.",
    "enum": "It is a list of the values that are allowed.",
    "exclusiveMaximum": "It is a number since draft-06.",
    "exclusiveMinimum": "It is a number since draft-06.",
    "items": "For a list of places write 'prefixItems'.",
    "properties": "It maps each name to a schema.",
    "required": "It is a list of names, beside 'properties'.",
}


Nodes = Mapping[Pointer, Mapping[str, Any]]
"""Every schema of a schema, by its place."""


@dataclass(frozen=True, slots=True)
class SchemaLimits:
    """How large a schema may be.

    Attributes:
        depth: how many containers may stand in one another.
        size: bytes of its JSON text.
    """

    depth: int = DEPTH_LIMIT
    size: int = 65_536


def check_schema(
    schema: object,
    *,
    subject: str,
    argument: str,
    pack: str = "",
    limits: SchemaLimits | None = None,
) -> Schemas:
    """Check that a schema can be kept, shown and validated against.

    It is mended first, where it can mean one thing only; see `repair`.

    Args:
        schema: what the author gave.
        subject: the ability's name, for the error.
        argument: ``input_schema`` or ``output_schema``, for the error.
        pack: who registers it, for the error.
        limits: how large it may be; None for 64 deep and 64 kB.

    Returns:
        The mended schema, a copy of plain dicts and lists, and every schema in it.

    Raises:
        InvalidSchema: when it is no JSON Schema of a known draft, is too large, refers
            to anything outside itself or in a circle, or holds a bad pattern.
    """
    try:
        return _Check(limits or SchemaLimits()).run(schema)
    except _Fault as fault:
        path = write_pointer(fault.place)
        raise InvalidSchema(subject, argument, path, fault.problem, pack=pack) from None


class _Fault(Exception):
    """One fault at one place."""

    def __init__(self, place: Pointer, problem: str) -> None:
        self.place = place
        self.problem = problem
        super().__init__(problem)


class _Check:
    """The steps of one check, each on what the earlier ones let pass."""

    def __init__(self, limits: SchemaLimits) -> None:
        self._limits = limits

    def run(self, schema: object) -> Schemas:
        if not isinstance(schema, Mapping):
            raise _Fault((), f"must be a mapping, but {type_name(schema)} came.")
        plain = self._copy(schema)
        schemas = mend(plain)
        self._check_size(plain)
        _check_draft(plain)
        _check_keywords(plain)
        if not _JUDGED_HERE.isdisjoint(chain.from_iterable(schemas)):
            _check_rest(plain)
        return schemas

    def _copy(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        limits = self._limits
        flaw = find_flaw(schema, depth=limits.depth, count=limits.size)
        if flaw:
            raise _Fault(flaw.place, f"{flaw.problem}.")
        plain: dict[str, Any] = orjson.loads(orjson.dumps(schema, default=dict))
        return plain

    def _check_size(self, schema: dict[str, Any]) -> None:
        size, limit = len(orjson.dumps(schema)), self._limits.size
        if size > limit:
            raise _Fault((), f"is {size:,} bytes long; the limit is {limit:,}.")


def _check_draft(schema: Mapping[str, Any]) -> None:
    draft = schema.get("$schema", _NEWEST)
    plain = str(draft).rstrip("#").replace("http://", "https://")
    if not isinstance(draft, str) or plain not in _DRAFTS:
        raise _Fault(("$schema",), f"is no draft this host knows. Write {_NEWEST!r}.")


def _check_keywords(schema: dict[str, Any]) -> None:
    if jsonschema_rs.meta.is_valid(schema):
        return
    draft = schema.get("$schema", _NEWEST)
    # The innermost faulty schema has the simplest fault.
    for place, node in sorted(every_schema(schema), key=lambda pair: -len(pair[0])):
        try:
            jsonschema_rs.meta.validate({**node, "$schema": draft})
        except ValidationError as error:
            below = tuple(error.instance_path)
            raise _Fault(place + below, _keyword_problem(node, error)) from None


def _keyword_problem(node: Mapping[str, Any], error: ValidationError) -> str:
    keyword, *rest = error.instance_path or [""]
    if keyword == "type":
        return _type_problem(node["type"])
    message = explain([error], {}, noun="property")[0]["message"]
    if isinstance(error.instance, str) and keyword in MAPS:
        return f"{message} Write a schema such as {{'type': 'string'}}."
    fix = "" if rest else _FIXES.get(str(keyword), "")
    return f"{message} {fix}".rstrip()


def _type_problem(written: Any) -> str:
    names = written if isinstance(written, list) else [written]
    bad = next((name for name in names if name not in _TYPES), None)
    if not isinstance(bad, str):
        return "must be the name of a type, or a list of different ones."
    if bad.lower() in ("any", "mixed"):
        return f"{bad!r} is no type. Leave 'type' out to allow everything."
    meant = _MEANT.get(bad.lower(), "")
    hint = f" Did you mean {meant!r}?" if meant else nearest(bad.lower(), _TYPES)
    return f"'{printable(bad)}' is no type.{hint or f' There are: {listed(_TYPES)}.'}"


def _check_rest(schema: dict[str, Any]) -> None:
    nodes = dict(every_schema(schema))
    if _check_references(schema, nodes):
        _check_circles(schema, nodes)
    _check_compiles(schema, nodes)


def _check_references(schema: Mapping[str, Any], nodes: Nodes) -> bool:
    """Check where references lead.

    Returns:
        Whether there are any.
    """
    has_any = False
    for place, node in nodes.items():
        own_id = str(node.get("$id", "#"))
        if place and not own_id.startswith("#"):
            raise _Fault((*place, "$id"), "only the root may have an '$id'.")
        for keyword, reference in references_of(node):
            target = find_target(schema, reference)
            if target is None or _is_elsewhere(schema, target, nodes):
                problem = _reference_problem(reference, nodes)
                raise _Fault((*place, keyword), problem)
            has_any = True
    return has_any


def _is_elsewhere(schema: Mapping[str, Any], target: Pointer, nodes: Nodes) -> bool:
    return target not in nodes and not isinstance(look_up(schema, target), bool)


def _reference_problem(reference: Any, nodes: Nodes) -> str:
    reference = str(reference)
    shown = f"'{printable(reference)}'"
    if not reference.startswith("#"):
        return f"{shown} leads out of the schema; only '#…' is followed."
    known = [f"#{write_pointer(place)}" for place in list(nodes)[1:_GUESSED_FROM]]
    return f"{shown} leads to no schema.{nearest(reference[:NAME_SHOWN], known)}"


def _check_circles(schema: Mapping[str, Any], nodes: Nodes) -> None:
    """Refuse references that come back to themselves without going into the value.

    jsonschema-rs accepts everything there, so such a schema would check nothing.
    """
    steps = {place: _steps(schema, place, node) for place, node in nodes.items()}
    try:
        TopologicalSorter(steps).prepare()
    except CycleError as error:
        circle: list[Pointer] = error.args[1]
        problem = "comes back to itself without going into the value."
        raise _Fault(circle[0], problem) from None


def _steps(
    schema: Mapping[str, Any], place: Pointer, node: Mapping[str, Any]
) -> list[Pointer]:
    below = [place + p for keyword, p, _ in subschemas(node) if keyword in IN_PLACE]
    targets = (find_target(schema, reference) for _, reference in references_of(node))
    return below + [target for target in targets if target is not None]


def _check_compiles(schema: Mapping[str, Any], nodes: Nodes) -> None:
    is_seen = True
    for place, node in nodes.items():
        is_seen = is_seen and not node.keys() & _SEEN_LATE
        for below, pattern in _patterns(node):
            if _refusal({"pattern": pattern}):
                raise _Fault(place + below, _PATTERN_PROBLEM)
    problem = "" if is_seen else _refusal(schema)
    if problem:
        raise _Fault((), problem)


def _patterns(node: Mapping[str, Any]) -> Iterator[tuple[Pointer, str]]:
    if isinstance(node.get("pattern"), str):
        yield ("pattern",), node["pattern"]
    for pattern in node.get("patternProperties", ()):
        yield ("patternProperties", pattern), pattern


def _refusal(schema: Any) -> str:
    try:
        jsonschema_rs.validator_for(schema, validate_formats=False, offline=True)
    except ValueError as error:
        return f"cannot be used: {printable(str(error).partition(chr(10))[0], 200)}"
    return ""
