"""Eras: the two shapes of the protocol that one server speaks at once."""

from typing import Final, Literal

Era = Literal["2025-11-25", "2026-07-28"]

LEGACY: Final[Era] = "2025-11-25"
MODERN: Final[Era] = "2026-07-28"
ERAS: Final[tuple[Era, ...]] = (LEGACY, MODERN)


def era_of(protocol_version: str) -> Era:
    """Give the shape that a protocol version uses.

    Args:
        protocol_version: a date, as client and server agreed on it.

    Returns:
        The later era from its first day on; every earlier version has the earlier one.
    """
    return MODERN if protocol_version >= MODERN else LEGACY
