"""Account: a named human, and the rule for the name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from abilities_host.accounts.errors import InvalidAccountName
from abilities_host.accounts.role import Role, role_of
from abilities_host.folding import fold

NAME_LIMIT: Final = 64
_NAME: Final = re.compile(r"[a-z][a-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Account:
    """What everybody may know of an account.

    Attributes:
        name: folded; never given twice.
        role: what it may do, as the store says.
        made_at: when, ISO 8601 in UTC.
        made_by: who agreed; None for the first account.
        secret_at: since when its secret is the one it is.
        secret_from: where that was typed, as far as the program could tell, at most
            200 characters that somebody else may have chosen; it proves nothing.
        disabled_at: when it was switched off, None while it is on.
        disabled_by: who did.
        failures: tries that failed since the last that did not.
    """

    name: str
    role: Role
    made_at: str
    made_by: str | None
    secret_at: str
    secret_from: str
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
        role: what the person may do: the lesser of what the store and the file of
            public keys say.
    """

    name: str
    failures: int
    role: Role = Role.REVIEWER


def account_of(row: Sequence[Any]) -> Account:
    """Give the account that a row tells of.

    Args:
        row: the columns of ``LIST``.

    Returns:
        The account.
    """
    name, role, *others = row
    return Account(name, role_of(role), *others)


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
