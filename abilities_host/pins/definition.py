"""Definition: all that an ability says of itself, in one form, and how two differ."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import orjson

from abilities_host.ability import Ability
from abilities_host.domain import MISSING
from abilities_host.gate import hash_of

DIFFERENCES: Final = 50
"""How many places are named where two definitions differ."""

_SHOWN: Final = 200
_BEFORE: Final = 30


class Difference(NamedTuple):
    """One place where two definitions differ.

    Attributes:
        at: the place, such as ``/input_schema/properties/path``.
        was: the value there, MISSING when there was none.
        now: likewise.
    """

    at: str
    was: Any = MISSING
    now: Any = MISSING

    def as_json(self) -> dict[str, Any]:
        """Give it as a mapping, without what is missing."""
        return {k: v for k, v in self._asdict().items() if v is not MISSING}


def definition_of(ability: Ability) -> bytes:
    """Give all that a model, a person or a policy goes by.

    Args:
        ability: a registered one.

    Returns:
        JSON with sorted keys: equal bytes mean that nothing has changed.
    """
    changes = ability.changes
    return encoded(
        {
            "label": ability.label,
            "description": ability.description,
            "category": ability.category,
            "input_schema": ability.input_schema,
            "output_schema": ability.output_schema,
            "requires": ability.requires,
            "changes": changes
            and {
                "domain": changes.domain,
                "note": changes.note,
                "undoes": changes.undo is not None,
            },
            "meta": ability.meta,
            "renamed_from": ability.renamed_from,
            "is_route": ability.is_route,
        }
    )


def encoded(value: Any) -> bytes:
    """Write a JSON value in its one form.

    Args:
        value: mappings, sequences and scalars; text may hold lone surrogates.

    Returns:
        JSON with sorted keys and no spaces.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # lone surrogates in a label; the other way knows no such limits
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


class HashMemo:
    """Hashes of definitions, each worked out once for as long as its ability stays."""

    def __init__(self) -> None:
        self._known: Final[dict[str, tuple[Ability, str]]] = {}

    def __call__(self, ability: Ability) -> str:
        """Give the hash of an ability's definition, as 64 hexadecimal digits."""
        known = self._known.get(ability.name)
        # A name may be registered again.
        if known and known[0] is ability:
            return known[1]
        hash_ = hash_of(definition_of(ability))
        self._known[ability.name] = (ability, hash_)
        return hash_


def differences(old: bytes, new: bytes) -> list[Difference]:
    """Find where two definitions differ.

    Args:
        old: from `definition_of`.
        new: likewise.

    Returns:
        The first 50 places, in the order of their names.
    """
    found = _walk("", json.loads(old), json.loads(new))
    return [each for each, _ in zip(found, range(DIFFERENCES), strict=False)]


def difference_in_words(difference: Difference) -> str:
    """Tell one difference in a line; what is long is shown where it begins to differ.

    Args:
        difference: between two definitions.

    Returns:
        Place, old value and new value, as JSON.
    """
    place = _text(difference.at)[2:-1]
    if difference.was is MISSING:
        return f"{place} is new: {_excerpt(_text(difference.now))}"
    if difference.now is MISSING:
        return f"{place} is gone: {_excerpt(_text(difference.was))}"
    was, now = _text(difference.was), _text(difference.now)
    start = max(0, _common(was, now) - _BEFORE)
    return f"{place} was {_excerpt(was, start)}, is {_excerpt(now, start)}"


def _walk(at: str, old: Any, new: Any) -> Iterator[Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _walk(
                f"{at}/{key}", old.get(key, MISSING), new.get(key, MISSING)
            )
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, pair in enumerate(zip(old, new, strict=True)):
            yield from _walk(f"{at}/{index}", *pair)
    elif _is_other(old, new):
        yield Difference(at, old, new)


def _is_other(old: Any, new: Any) -> bool:
    """As JSON has it: to Python 1 is 1.0 and True."""
    if old is MISSING or new is MISSING:
        return True
    return encoded(old) != encoded(new)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _common(old: str, new: str) -> int:
    """How many characters they have in common at the beginning."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(old), len(new)))


def _excerpt(text: str, start: int = 0) -> str:
    end = start + _SHOWN
    before, after = "…" if start else "", "…" if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"
