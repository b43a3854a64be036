"""Acting: whom a token makes a client, by what the configuration says now."""

from typing import TYPE_CHECKING

from abilities_host.calls import Actor
from abilities_host.tokens.record import TokenRecord

if TYPE_CHECKING:
    from abilities_host.config import HostConfig


def actor_of(record: TokenRecord, config: "HostConfig") -> Actor:
    """Give the actor of a valid token.

    Args:
        record: of the token.
        config: as it is now, so that a changed role holds at once.

    Returns:
        An agent with the token's scopes and those of its role; a role that is not
        described gives nothing.
    """
    of_role = config.scopes_of(record.role) if record.role else None
    return Actor(record.name, "agent", frozenset(record.scopes).union(of_role or ()))
