"""Portability: guidance that comes from another place, and what came of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did.

    Attributes:
        ids: id in the document to the id that was given here.
        approved: ids given here that kept their approval, since its seal verifies.
        topics: names of topics that were made or changed.
        left_out: what could not be carried, one sentence each.
    """

    ids: dict[str, str]
    approved: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
