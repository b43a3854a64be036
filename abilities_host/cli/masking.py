"""Masking: values that must not be seen on a screen."""

import re
from collections.abc import Mapping
from typing import Any, Final

MASK: Final = "(hidden)"

_SECRET: Final = re.compile(
    r"passw(or)?d|passphrase|pwd|secret|token|bearer|credential|private|"
    r"api[_-]?key|access[_-]?key|encryption|^auth|(^|[_-])key$",
    re.IGNORECASE,
)
_IN_URL: Final = re.compile(r"(://[^/@\s:]*:)[^/@\s]+@")


def masked(value: Any, name: str = "") -> Any:
    """Hide what looks secret by its name, or is a password in a URL.

    Args:
        value: a JSON value.
        name: what it is called.

    Returns:
        A copy in plain dicts and lists.
    """
    if value not in (None, "") and _SECRET.search(name):
        return MASK
    if isinstance(value, Mapping):
        return {key: masked(item, key) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked(item) for item in value]
    return _IN_URL.sub(rf"\1{MASK}@", value) if isinstance(value, str) else value
