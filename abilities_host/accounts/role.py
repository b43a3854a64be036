"""Role: what an account may do, and the check that it may."""

from enum import StrEnum
from typing import Protocol

from abilities_host.accounts.errors import NeedsRole


class Role(StrEnum):
    """What an account may do; an operator may all that a reviewer may.

    A reviewer decides what agents propose. An operator also looks after accounts,
    restores the store, and removes what the record keeps.
    """

    REVIEWER = "reviewer"
    OPERATOR = "operator"

    def covers(self, needed: "Role") -> bool:
        """Answer whether this role is enough.

        Args:
            needed: what something asks for.
        """
        return self is Role.OPERATOR or needed is Role.REVIEWER


class Bearer(Protocol):
    """Whoever has a role: an account, or a person who has shown its secret."""

    @property
    def name(self) -> str:
        """Name of the account."""
        ...

    @property
    def role(self) -> Role:
        """What it may do."""
        ...


def check_role(who: Bearer, needed: Role) -> None:
    """Check that somebody may do what needs a role.

    Args:
        who: does it.
        needed: the role.

    Raises:
        NeedsRole: when the role of `who` is not enough.
    """
    if not who.role.covers(needed):
        raise NeedsRole(who.name, needed, who.role)


def role_of(kept: object) -> Role:
    """Read a role from the store.

    Args:
        kept: what is in the column.

    Returns:
        The role; the lesser one where somebody wrote what is none.
    """
    return Role.OPERATOR if kept == Role.OPERATOR else Role.REVIEWER


def lesser(one: Role, other: Role) -> Role:
    """Give the role that may do less.

    Args:
        one: a role.
        other: another, or the same.
    """
    return one if other.covers(one) else other
