"""URI template: an address with variables, matched in one pass."""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import unquote

_VARIABLE: Final = re.compile(r"\{(\+?)([A-Za-z_][A-Za-z0-9_]*)\}")
_RESERVED: Final = frozenset("/?#")


class BadTemplate(ValueError):
    """Raised for a template that could not be matched; the text says why."""


class Variable(NamedTuple):
    """One variable.

    Attributes:
        name: as the input schema calls it.
        spans: whether its value may hold ``/``, ``?`` and ``#``.
    """

    name: str
    spans: bool


@dataclass(frozen=True, slots=True)
class UriTemplate:
    """A parsed template: literals with a variable between any two of them.

    Attributes:
        literals: one more than there are variables; the last may be empty.
        variables: in their order.
    """

    literals: tuple[str, ...]
    variables: tuple[Variable, ...]

    def match(self, uri: str) -> dict[str, str] | None:
        """Read the variables out of an address.

        Each value ends where the next literal first appears; nothing is tried twice.

        Args:
            uri: what a client sent.

        Returns:
            Decoded values by name, or None when it does not fit.
        """
        first, *others = self.literals
        if not uri.startswith(first):
            return None
        values, at = {}, len(first)
        for number, (variable, literal) in enumerate(
            zip(self.variables, others, strict=True), 1
        ):
            is_last = number == len(self.variables)
            end = _end(uri, literal, at, is_last=is_last)
            value = _decoded(uri[at:end], variable) if end > at else None
            if value is None:
                return None
            values[variable.name] = value
            at = end + len(literal)
        return values if at == len(uri) else None


def parse_template(text: str) -> UriTemplate:
    """Parse a template of ``{name}`` and ``{+name}``.

    Args:
        text: an address with variables; more of RFC 6570 is not understood.

    Returns:
        The template.

    Raises:
        BadTemplate: for other expressions, two variables in a row, or one twice.
    """
    literals, variables, at = [], [], 0
    for found in _VARIABLE.finditer(text):
        literals.append(text[at : found.start()])
        variables.append(Variable(found[2], spans=bool(found[1])))
        at = found.end()
    literals.append(text[at:])
    if any(mark in literal for literal in literals for mark in "{}"):
        msg = "a variable is written {name}, or {+name} where it may hold slashes"
        raise BadTemplate(msg)
    if not all(literals[:-1]):
        msg = "there must be something between two variables"
        raise BadTemplate(msg)
    if len({variable.name for variable in variables}) < len(variables):
        msg = "each variable may stand there once"
        raise BadTemplate(msg)
    return UriTemplate(tuple(literals), tuple(variables))


def _end(uri: str, literal: str, at: int, *, is_last: bool) -> int:
    """Find where a value ends; a last one ends where the literal ends the address."""
    if not is_last:
        return uri.find(literal, at + 1)
    return len(uri) - len(literal) if uri.endswith(literal) else -1


def _decoded(value: str, variable: Variable) -> str | None:
    if not variable.spans and not _RESERVED.isdisjoint(value):
        return None
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        return None
