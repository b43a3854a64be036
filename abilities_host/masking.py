"""Masking: values that must be seen on no screen and kept in no record."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

MASK: Final = "(hidden)"

# `auth` is a word of its own: an author is no secret.
_SECRET: Final = re.compile(
    r"passw(or)?d|passphrase|pwd|secret|token(?!iz)|bearer|credential|private|"
    r"api[_-]?key|access[_-]?key|encryption|authorization|authenticat|"
    r"(^|[_-])(auth|key)($|[_-]?(header|code|data|string)$)",
    re.IGNORECASE,
)
_AMOUNT: Final = re.compile(r"tokens", re.IGNORECASE)  # as in max_tokens
_IN_URL: Final = re.compile(r"(://[^/@\s:]*:)[^/@\s]+@")
_NUMBERS: Final = frozenset({bool, int, float})
_NO_SCHEMA: Final[Mapping[str, Any]] = {}


def masked(value: Any, name: str = "", schema: Mapping[str, Any] | None = None) -> Any:
    """Hide what looks secret by its name, what its schema calls secret, and passwords.

    A schema says so with ``writeOnly``, ``format: password`` or ``x-secret``; only
    what stands under `properties` and `items` is looked at.

    Args:
        value: a JSON value.
        name: what it is called.
        schema: of the value, if there is one.

    Returns:
        A copy in plain dicts and lists.
    """
    known = schema if isinstance(schema, Mapping) else _NO_SCHEMA
    if value not in (None, "") and (_is_secret(known) or _sounds_secret(name, value)):
        return MASK
    if isinstance(value, Mapping):
        parts = known.get("properties") or _NO_SCHEMA
        return {
            key: masked(item, str(key), parts.get(key)) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [masked(item, schema=known.get("items")) for item in value]
    is_url = isinstance(value, str) and "://" in value
    return _IN_URL.sub(rf"\1{MASK}@", value) if is_url else value


def holds_secret(value: Any, name: str = "") -> bool:
    """Answer whether `masked` would hide something, without copying anything.

    Args:
        value: a JSON value.
        name: what it is called.

    Returns:
        True at the first secret.
    """
    kind = type(value)
    if kind is str or value is None:
        return bool(value) and (_is_word_secret(name) or _hides_in_url(value))
    if value != "" and _sounds_secret(name, value):
        return True
    if kind in _NUMBERS:
        return False
    if isinstance(value, Mapping):
        return any(holds_secret(item, str(key)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return any(holds_secret(item) for item in value)
    return isinstance(value, str) and _hides_in_url(value)


def _hides_in_url(value: str) -> bool:
    return "://" in value and _IN_URL.search(value) is not None


def _sounds_secret(name: str, value: Any) -> bool:
    """A yes or no gives nothing away, and neither does a number of tokens."""
    if isinstance(value, bool) or not _is_word_secret(name):
        return False
    return not (isinstance(value, int | float) and _AMOUNT.search(name))


@lru_cache(maxsize=1000)
def _is_word_secret(name: str) -> bool:
    return _SECRET.search(name) is not None


def _is_secret(schema: Mapping[str, Any]) -> bool:
    return (
        schema.get("writeOnly") is True
        or schema.get("format") == "password"
        or bool(schema.get("x-secret"))
    )
