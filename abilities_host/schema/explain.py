"""Sentences for what is wrong with a value: what was expected and the type that came.

They are built from the structured errors of jsonschema-rs, never from its text, which
quotes values. What the schema says may be shown; what the value says may not, except
the names of its properties.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import orjson
from jsonschema_rs import ValidationError
from jsonschema_rs import ValidationErrorKind as Kind

from abilities_host.errors import listed, nearest
from abilities_host.schema.pointer import (
    NAME_SHOWN,
    NowhereError,
    look_up,
    printable,
    write_pointer,
)

Problem = dict[str, str]
"""`path`, `message`, `expected`, `received` (a type) and `keyword`."""

PROBLEM_LIMIT = 16
_NAMES_COMPARED = 100
_WORDS_SHOWN = 120
_ARTICLES = {
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_EXPECTED = {
    "additionalItems": "an array of at most {limit} items",
    "contains": "an array with an item of the kind asked for",
    "contentEncoding": "text encoded as {content_encoding}",
    "contentMediaType": "text of the type {content_media_type}",
    "exclusiveMaximum": "less than {limit}",
    "exclusiveMinimum": "more than {limit}",
    "falseSchema": "left out",
    "format": "text in the format {format}",
    "maxContains": "an array with fewer items of the kind asked for",
    "maximum": "at most {limit}",
    "maxItems": "an array of at most {limit} items",
    "maxLength": "at most {limit} characters long",
    "maxProperties": "an object of at most {limit} properties",
    "minContains": "an array with more items of the kind asked for",
    "minimum": "at least {limit}",
    "minItems": "an array of at least {limit} items",
    "minLength": "at least {limit} characters long",
    "minProperties": "an object of at least {limit} properties",
    "multipleOf": "a multiple of {multiple_of}",
    "not": "something else: this is ruled out",
    "pattern": "text that matches {pattern}",
    "uniqueItems": "an array without repeated items",
}


def type_name(value: Any) -> str:
    """Name the JSON type of a value, or the Python type of what is no JSON."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string"}
    if value is None:
        return "null"
    for kind, name in names.items():
        if isinstance(value, kind):
            return name
    if isinstance(value, Mapping):
        return "object"
    return "array" if isinstance(value, list | tuple) else type(value).__name__


def explain(
    errors: Iterable[ValidationError],
    schema: Mapping[str, Any],
    *,
    noun: str = "argument",
) -> list[Problem]:
    """Say what is wrong, one problem for each place and reason.

    Args:
        errors: what jsonschema-rs found.
        schema: the schema it was asked about, for the names that exist.
        noun: what a property of the root is called.

    Returns:
        At most 16 problems without any value, by their path.
    """
    explainer = _Explainer(schema, noun)
    found: dict[tuple[str, str], Problem] = {}
    for error in islice(errors, PROBLEM_LIMIT):
        for problem in explainer.explain(error):
            found.setdefault((problem["path"], problem["message"]), problem)
    return sorted(found.values(), key=lambda problem: problem["path"])[:PROBLEM_LIMIT]


def expectation(error: ValidationError) -> str:
    """Say what was expected where an error is, as the end of "must be …".

    Args:
        error: an error of one place, not one of a composition.

    Returns:
        ``a string or null``, ``at least 3``.
    """
    facts = error.kind.as_dict()
    keyword = keyword_of(error)
    if keyword == "type":
        types = sorted(facts["types"], key=lambda name: (name == "null", name))
        return " or ".join(_ARTICLES.get(name, name) for name in types)
    if keyword == "enum":
        options = [option for option in facts["options"] if option != ""]
        return f"one of {listed(map(_words, options))}"
    if keyword == "const":
        return _words(facts["expected_value"])
    form = _EXPECTED.get(keyword, f"what {keyword!r} asks for")
    return form.format_map({name: _words(fact) for name, fact in facts.items()})


def keyword_of(error: ValidationError) -> str:
    """Name the keyword that refused, as the author wrote it."""
    name = error.kind.name
    last = error.schema_path[-1] if error.schema_path else name
    return str(last) if name in ("contains", "required") else name


class _Explainer:
    """Words for the errors of one schema."""

    def __init__(self, schema: Mapping[str, Any], noun: str) -> None:
        self._schema = schema
        self._noun = noun

    def explain(self, error: ValidationError) -> Iterator[Problem]:
        match error.kind:
            case Kind.Required(name):
                yield self._missing(error, name)
            case Kind.AdditionalProperties(names) | Kind.UnevaluatedProperties(names):
                yield from self._unknown(error, names)
            case Kind.PropertyNames(inner):
                yield self._bad_name(error, inner)
            case Kind.AnyOf(forms) | Kind.OneOfNotValid(forms):
                yield from self._no_form(error, forms)
            case Kind.OneOfMultipleValid():
                yield _problem(error, "exactly one of the forms", "but it fits several")
            case Kind.Type() | Kind.Enum() | Kind.Constant():
                came = f"but {type_name(error.instance)} came"
                yield _problem(error, expectation(error), came, _guess(error))
            case Kind.FalseSchema() if _refuses_names(error):
                text = "must be an object without properties."
                yield _worded(error, text, "an object without properties", "object")
            case _:
                yield _problem(error, expectation(error))

    def _missing(self, error: ValidationError, name: str) -> Problem:
        quoted = _quoted(name)
        text = f"missing required {self._noun_at(error)} {quoted}."
        return _worded(error, text, f"a value for {quoted}", "nothing")

    def _unknown(self, error: ValidationError, names: list[str]) -> Iterator[Problem]:
        known = self._declared_at(error)
        for name in names[:PROBLEM_LIMIT]:
            hint = nearest(name[:NAME_SHOWN], known) or f" There are: {listed(known)}."
            text = f"unknown {self._noun_at(error)} {_quoted(name)}.{hint}"
            received = type_name(look_up(error.instance, (name,)))
            yield _worded(error, text, f"only {listed(known)}", received)

    def _bad_name(self, error: ValidationError, inner: ValidationError) -> Problem:
        expected = f"names that are each {expectation(inner)}"
        text = f"the name {_quoted(str(inner.instance))} is not allowed."
        return _worded(error, text, expected, "string")

    def _no_form(
        self, error: ValidationError, forms: list[list[ValidationError]]
    ) -> Iterator[Problem]:
        """Explain the one form that was meant, or name the types of all."""
        here = len(error.instance_path)
        meant = [form for form in forms if not _is_other_type(form, here)]
        if len(meant) == 1:
            for inner in meant[0]:
                yield from self.explain(inner)
            return
        types = dict.fromkeys(expectation(form[0]) for form in forms if form)
        came = f"but {type_name(error.instance)} came"
        expected = f"one of {len(forms)} forms" if meant else " or ".join(types)
        yield _problem(error, expected, "and fits none of them" if meant else came)

    def _noun_at(self, error: ValidationError) -> str:
        return "property" if error.instance_path else self._noun

    def _declared_at(self, error: ValidationError) -> list[str]:
        try:
            node = look_up(self._schema, tuple(error.schema_path[:-1]))
        except NowhereError:
            return []
        return list(node.get("properties", ()))[:_NAMES_COMPARED]


def _is_other_type(form: list[ValidationError], depth: int) -> bool:
    return any(
        isinstance(error.kind, Kind.Type) and len(error.instance_path) == depth
        for error in form
    )


def _refuses_names(error: ValidationError) -> bool:
    """Say whether a closed object without any property got one.

    jsonschema-rs then tells the place of the object and not the name.
    """
    place = error.schema_path[-1:]
    return place == ["additionalProperties"] and error.instance_path[-1:] != place


def _guess(error: ValidationError) -> str:
    if not (isinstance(error.kind, Kind.Enum) and isinstance(error.instance, str)):
        return ""
    names = [
        o for o in error.kind.options[:_NAMES_COMPARED] if isinstance(o, str) and o
    ]
    return nearest(error.instance[:NAME_SHOWN], names)


def _problem(
    error: ValidationError, expected: str, more: str = "", hint: str = ""
) -> Problem:
    text = f"must be {expected}, {more}.{hint}" if more else f"must be {expected}."
    return _worded(error, text, expected, type_name(error.instance))


def _worded(
    error: ValidationError, message: str, expected: str, received: str
) -> Problem:
    return {
        "path": write_pointer(tuple(error.instance_path)),
        "message": message,
        "expected": expected,
        "received": received,
        "keyword": keyword_of(error),
    }


def _quoted(name: str) -> str:
    return f"'{printable(name)}'"


def _words(fact: Any) -> str:
    if isinstance(fact, str):
        return f"'{printable(fact, _WORDS_SHOWN)}'"
    return printable(orjson.dumps(fact, default=str).decode(), _WORDS_SHOWN)
