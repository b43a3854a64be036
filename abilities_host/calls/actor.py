"""Actor: who calls, and what it may do."""

from dataclasses import dataclass
from typing import Literal

ActorKind = Literal["human", "agent", "local", "host"]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who calls.

    Attributes:
        id: stable name, such as a token's name or ``cli``.
        kind: a person, an agent, this machine, or the host itself.
        scopes: what it may do, such as ``read``, ``write`` or ``notes:write``; ``*``
            stands for one whole part.
    """

    id: str
    kind: ActorKind = "agent"
    scopes: frozenset[str] = frozenset({"read", "write"})

    def may(self, required: str) -> bool:
        """Answer whether one of the scopes covers the required one.

        Args:
            required: ``word`` or ``word:word``.

        Returns:
            True on an exact match, part by part, ``*`` matching any part.
        """
        return required in self.scopes or any(
            _covers(granted, required) for granted in self.scopes if "*" in granted
        )


def _covers(granted: str, required: str) -> bool:
    mine, wanted = granted.split(":"), required.split(":")
    return len(mine) == len(wanted) and all(
        part in ("*", want) for part, want in zip(mine, wanted, strict=True)
    )
