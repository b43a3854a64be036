"""Change: what was done to a token, with its value if there is a new one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from abilities_host.tokens.record import TokenRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What was done to a token.

    Attributes:
        action: what, in the word of the record.
        record: the token that was made, or the newest that was ended.
        ended: ids of the tokens that end by this, now or soon.
        value: the new token, to be shown once; empty where nothing was made.
    """

    action: Literal["created", "revoked", "rotated"]
    record: TokenRecord
    ended: tuple[str, ...] = ()
    value: str = field(default="", repr=False)

    @property
    def details(self) -> Mapping[str, Any]:
        """What the record of writes keeps of it: JSON values, nothing secret."""
        record = self.record
        return {
            "id": record.id,
            "scopes": list(record.scopes),
            "role": record.role,
            "server": record.server,
            "expires_at": record.expires_at,
            "ended": list(self.ended),
        }
