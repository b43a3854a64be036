"""Eras: the two shapes of the protocol that one server speaks at once."""

from typing import Final, Literal

Era = Literal["2025-11-25", "2026-07-28"]

LEGACY: Final[Era] = "2025-11-25"
MODERN: Final[Era] = "2026-07-28"
ERAS: Final[tuple[Era, ...]] = (LEGACY, MODERN)
_STRUCTURED: Final = "2025-06-18"


def era_of(protocol_version: str) -> Era:
    """Give the shape that a protocol version uses.

    Args:
        protocol_version: a date, as client and server agreed on it.

    Returns:
        The later era from its first day on; every earlier version has the earlier one.
    """
    return MODERN if protocol_version >= MODERN else LEGACY


def has_structure(protocol_version: str) -> bool:
    """Say whether a protocol version knows output schemas and structured content.

    Args:
        protocol_version: a date, as client and server agreed on it.

    Returns:
        False for the two earliest, in which results are text only.
    """
    return protocol_version >= _STRUCTURED
