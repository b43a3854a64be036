"""Secrecy: which files hold secrets, by their names."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final
from unicodedata import normalize

SECRET_NAMES: Final = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    "*.pem",
    "*.key",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.ppk",
    "*.jks",
    "*.keystore",
    "*.kdb",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".ssh",
    ".gnupg",
    ".aws",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    "credentials*",
    "secrets.*",
)


class SecretNames:
    """The patterns of names whose contents the record must not keep.

    Args:
        more: patterns besides `SECRET_NAMES`, which always hold.
    """

    def __init__(self, more: Iterable[str] = ()) -> None:
        self._patterns: Final = tuple(map(_fold, (*SECRET_NAMES, *more)))

    def match(self, path: str) -> bool:
        """Answer whether a path leads to something secret.

        Args:
            path: canonical.

        Returns:
            True when its name, or that of a folder above it, fits a pattern, whatever
            the case of its letters.
        """
        names = _fold(path).split("/")
        return any(
            fnmatchcase(name, pattern) for name in names for pattern in self._patterns
        )


def _fold(text: str) -> str:
    return normalize("NFC", normalize("NFC", text).casefold())
