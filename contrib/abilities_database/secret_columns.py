"""Secret columns: which columns hold what a record must not keep."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Final

from abilities_database.identifiers import fold_identifier

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WORDS: Final = frozenset(
    {
        "apikey",
        "credential",
        "credentials",
        "otp",
        "passphrase",
        "passwd",
        "password",
        "pwd",
        "secret",
        "token",
    }
)
_PAIRS: Final = frozenset(
    {("access", "key"), ("api", "key"), ("private", "key"), ("signing", "key")}
)


class SecretColumns:
    """Tells by name which columns hold secrets.

    Args:
        patterns: ``table.column`` with ``*`` and ``?``, besides the names that always
            count, such as ``password_hash``, ``api_key`` and ``accessToken``.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns: Final = tuple(map(fold_identifier, patterns))

    def holds(self, table: str, column: str) -> bool:
        """Answer whether a column is secret.

        Args:
            table: its table.
            column: its name.

        Returns:
            True when its name says so, or the operator.
        """
        full = fold_identifier(f"{table}.{column}")
        return _sounds_secret(column) or any(
            fnmatchcase(full, pattern) for pattern in self._patterns
        )


def _sounds_secret(column: str) -> bool:
    words = [word.lower() for word in _WORD.findall(column)]
    pairs = pairwise(words)
    return not _WORDS.isdisjoint(words) or not _PAIRS.isdisjoint(pairs)
