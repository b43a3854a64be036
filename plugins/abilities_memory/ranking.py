"""Ranking: which guidance comes first, the same every time."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from abilities_host.memory import Guidance, Scope

T = TypeVar("T")

LETTERS_PER_TOKEN: Final = 4


def rank_of(guidance: Guidance) -> tuple[int, int, int, int, str]:
    """Give the place of guidance among others, without what was looked for.

    Args:
        guidance: approved.

    Returns:
        Sorts smaller first: greater priority, narrower scope, later review, lower id.
    """
    reviewed = guidance.reviewed_at or 0
    return (*level_of(guidance), -reviewed, len(guidance.id), guidance.id)


def level_of(guidance: Guidance) -> tuple[int, int]:
    """Give the part of the rank that counts more than the number of matches."""
    return (-guidance.priority, -specificity(guidance.scope))


def specificity(scope: Scope) -> int:
    """Say how narrow a scope is.

    Args:
        scope: of guidance.

    Returns:
        0 for the whole site, 1 for a target or a post, 2 for both.
    """
    return (scope.post_id is not None) + bool(scope.target)


def reordered(items: Sequence[T], ids: Sequence[str], answer: Sequence[str]) -> list[T]:
    """Put items in another order, or leave some out; nothing comes in.

    Args:
        items: as they were ranked.
        ids: of the items, in the same order.
        answer: ids in the order a plugin wants; unknown ones and repeats are nothing.

    Returns:
        The items that the answer names.
    """
    by_id = dict(zip(ids, items, strict=True))
    return [by_id[each] for each in dict.fromkeys(answer) if each in by_id]


def within_budget(
    items: Iterable[T], tokens: int, text_of: Callable[[T], str]
) -> list[T]:
    """Take items while there is room; the first that has none ends it.

    Args:
        items: the most important first.
        tokens: there is room for.
        text_of: gives what an item takes room with.

    Returns:
        The first items: nothing is left out for the sake of something after it.
    """
    taken: list[T] = []
    for item in items:
        tokens -= tokens_of(text_of(item))
        if tokens < 0:
            break
        taken.append(item)
    return taken


def tokens_of(text: str) -> int:
    """Estimate, rather too high, how many tokens a text costs a model.

    Args:
        text: any text.

    Returns:
        A token for four ASCII characters, and one for each other character.
    """
    plain = len(text.encode("ascii", "ignore"))
    return -(-plain // LETTERS_PER_TOKEN) + len(text) - plain
