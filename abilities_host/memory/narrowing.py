"""Narrowing: a JSON Schema that says of which writes a rule speaks."""

from collections.abc import Mapping
from typing import Any, Final

import jsonschema_rs
import orjson

from abilities_host.errors import InvalidSchema, nearest
from abilities_host.frozen import thaw
from abilities_host.masking import MASK
from abilities_host.memory.broken import RuleBroken
from abilities_host.schema.check import SchemaLimits, check_schema
from abilities_host.schema.fitness import find_flaw
from abilities_host.schema.places import every_schema
from abilities_host.schema.pointer import Pointer, printable, write_pointer

DEPTH: Final = 24
SCHEMAS: Final = 200
PATTERNS: Final = 20
VALUE_BYTES: Final = 1 << 20
"""Of JSON text; of what is larger nobody can tell whether it fits."""

KEYWORDS: Final = frozenset(
    {
        *("type", "enum", "const", "title", "description"),
        *("allOf", "anyOf", "oneOf", "not", "if", "then", "else"),
        *("properties", "required", "additionalProperties", "patternProperties"),
        *("propertyNames", "minProperties", "maxProperties"),
        *("dependentRequired", "dependentSchemas"),
        *("items", "prefixItems", "contains", "minContains", "maxContains"),
        *("minItems", "maxItems", "uniqueItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "pattern"),
    }
)
"""Without references, which can make a small schema cost any time, and without
keywords that would decide nothing here, such as `format`."""


class Value:
    """A value made ready for every schema that may look at it.

    Args:
        value: meant to be a JSON value.
        is_masked: secrets in it were hidden.

    Attributes:
        is_plain: it is JSON, and small enough for a validator.
        plain: the value in plain dicts and lists.
        has_mask: something in it is hidden, so nobody knows whether it fits.
    """

    __slots__ = ("has_mask", "is_plain", "plain")

    def __init__(self, value: Any, *, is_masked: bool = False) -> None:
        self.plain: Any = None
        self.has_mask = False
        # Others would crash the validator, or keep it busy for ever.
        self.is_plain = find_flaw(value) is None
        if not self.is_plain:
            return
        written = orjson.dumps(value, default=dict)
        self.is_plain = len(written) <= VALUE_BYTES
        if self.is_plain:
            # It knows exact types only, so what is frozen is read again.
            self.plain = orjson.loads(written)
            self.has_mask = is_masked and MASK.encode() in written


class Narrowing:
    """One schema of a rule, compiled.

    It is read as JSON Schema 2020-12 says: an object may hold more than is described,
    and what is described need not be there unless it is required.

    Args:
        field: of the rule, for the sentence.
        schema: what the author wrote.

    Raises:
        RuleBroken: when it is no schema, too large, or may take too long.
    """

    __slots__ = ("_compiled",)

    def __init__(self, field: str, schema: Any) -> None:
        self._compiled: Final = _compiled(field, _checked(field, schema))

    def may_fit(self, value: "Value") -> bool:
        """Answer whether a value fits, as far as anybody can tell.

        Args:
            value: what is looked at.

        Returns:
            False only for what certainly does not fit.
        """
        if not value.is_plain or self._compiled.is_valid(value.plain):
            return True
        return value.has_mask


def _checked(field: str, schema: Any) -> dict[str, Any]:
    flaw = find_flaw(schema, depth=DEPTH)
    if flaw:
        raise RuleBroken(_at(flaw.place, f"it {flaw.problem}."), field)
    if not isinstance(schema, Mapping):
        raise RuleBroken("it must be a JSON Schema, an object.", field)
    plain: dict[str, Any] = thaw(schema)
    nodes = list(every_schema(plain))
    for place, node in nodes:
        _check_keywords(field, place, node)
    _check_count(field, [node for _, node in nodes])
    try:
        return check_schema(
            plain, subject="a rule", argument=field, limits=SchemaLimits(depth=DEPTH)
        )[0]
    except InvalidSchema as error:
        raise RuleBroken(error.problem.removeprefix(f"{field} "), field) from None


def _check_keywords(field: str, place: Pointer, node: Mapping[str, Any]) -> None:
    for keyword in node:
        if keyword not in KEYWORDS:
            shown = f"'{printable(keyword)}' is no keyword of a rule's schema."
            hint = nearest(keyword[:64], KEYWORDS)
            raise RuleBroken(_at(place, shown + hint), field)


def _check_count(field: str, nodes: list[Mapping[str, Any]]) -> None:
    if len(nodes) > SCHEMAS:
        raise RuleBroken(f"it holds more than {SCHEMAS} schemas.", field)
    patterns = sum(
        ("pattern" in node) + len(node.get("patternProperties") or ()) for node in nodes
    )
    if patterns > PATTERNS:
        raise RuleBroken(f"it holds more than {PATTERNS} patterns.", field)


def _compiled(field: str, schema: dict[str, Any]) -> jsonschema_rs.Validator:
    # An engine whose time grows with the text only, whatever the pattern.
    options = jsonschema_rs.RegexOptions(size_limit=100_000, dfa_size_limit=1_000_000)
    try:
        return jsonschema_rs.Draft202012Validator(
            schema, validate_formats=False, offline=True, pattern_options=options
        )
    except ValueError:
        problem = (
            "a pattern is too large, or looks ahead, looks behind or refers back; "
            "that could take any time, so write it without."
        )
        raise RuleBroken(problem, field) from None


def _at(place: Pointer, problem: str) -> str:
    return f"at {write_pointer(place)}: {problem}" if place else problem
