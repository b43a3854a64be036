"""Account: a named human, and the rule for the name."""

import re
from dataclasses import dataclass
from typing import Final

from abilities_host.accounts.errors import InvalidAccountName
from abilities_host.folding import fold

NAME_LIMIT: Final = 64
_NAME: Final = re.compile(r"[a-z][a-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Account:
    """What everybody may know of an account.

    Attributes:
        name: folded; never given twice.
        made_at: when, ISO 8601 in UTC.
        made_by: who agreed; None for the first account.
        secret_at: since when its secret is the one it is.
        disabled_at: when it was switched off, None while it is on.
        disabled_by: who did.
        failures: tries that failed since the last that did not.
    """

    name: str
    made_at: str
    made_by: str | None
    secret_at: str
    disabled_at: str | None
    disabled_by: str | None
    failures: int

    @property
    def is_active(self) -> bool:
        """Whether it can be used."""
        return self.disabled_at is None


@dataclass(frozen=True, slots=True)
class Human:
    """A person who has just shown the secret of an account.

    Attributes:
        name: of the account.
        failures: tries that failed since the last time; show them to the person.
    """

    name: str
    failures: int


def account_name(written: str) -> str:
    """Give the one spelling of an account's name.

    Args:
        written: as somebody wrote it, in any case and with accents.

    Returns:
        The name without case and accents, at most 64 characters.

    Raises:
        InvalidAccountName: when it is empty, too long, or holds something else than
            a to z, 0 to 9, ``.``, ``-`` and ``_``.
    """
    # Folding can make a text longer; before it, a longer one is not worth the time.
    name = fold(written) if len(written) <= NAME_LIMIT else ""
    if len(name) > NAME_LIMIT or not _NAME.fullmatch(name):
        raise InvalidAccountName
    return name
