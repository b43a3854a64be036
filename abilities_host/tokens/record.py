"""TokenRecord: what may be known of a token, which is all but the secret."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from abilities_host.tokens.shape import PREFIX

TokenState = Literal["live", "expired", "revoked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRecord:
    """What may be known of a token; every moment is microseconds since 1970, UTC.

    Attributes:
        id: the public characters of the token.
        name: id of its actor; one valid token has it, and those it replaced.
        scopes: what it may do itself, sorted.
        role: what else it may do, as the configuration says at each use; empty for
            nothing.
        server: id of the one server it is for; empty for every one.
        created_at: when it was made.
        created_by: id of who made it.
        expires_at: when it ends by itself; None for never.
        revoked_at: when somebody ended it.
        revoked_by: id of who did.
        rotated_from: id of the token it replaced, empty for none.
        rotated_to: id of the token that replaced it, empty for none.
        used_at: when it was shown last, to a minute; None for never.
    """

    id: str
    name: str
    scopes: tuple[str, ...]
    role: str
    server: str
    created_at: int
    created_by: str
    expires_at: int | None = None
    revoked_at: int | None = None
    revoked_by: str = ""
    rotated_from: str = ""
    rotated_to: str = ""
    used_at: int | None = None

    @property
    def prefix(self) -> str:
        """How the token begins, so that a person recognises it."""
        return f"{PREFIX}{self.id}"

    def state(self, now: int) -> TokenState:
        """Say whether the token is valid.

        Args:
            now: microseconds since 1970.

        Returns:
            ``live``, or why it is not; what somebody did counts first.
        """
        if self.revoked_at is not None:
            return "revoked"
        is_over = self.expires_at is not None and self.expires_at <= now
        return "expired" if is_over else "live"

    def serves(self, server: str) -> bool:
        """Answer whether the token is for a server.

        Args:
            server: its id.

        Returns:
            True for every one, unless it is bound to another.
        """
        return self.server in ("", server)


def record_of(row: Sequence[Any]) -> TokenRecord:
    """Give the record that a row tells of.

    Args:
        row: `tables.COLUMNS`.

    Returns:
        The record.
    """
    public, name, scopes, role, server, *others = row
    created_at, created_by, expires_at, revoked_at, revoked_by, *rest = others
    rotated_from, rotated_to, used_at = rest
    return TokenRecord(
        id=public,
        name=name,
        scopes=tuple(scopes.split()),
        role=role,
        server=server,
        created_at=created_at,
        created_by=created_by,
        expires_at=expires_at,
        revoked_at=revoked_at,
        revoked_by=revoked_by,
        rotated_from=rotated_from,
        rotated_to=rotated_to,
        used_at=used_at,
    )
