"""Life: how long a process of the host is to live, and how it is to end."""

import random
import signal
from typing import Final, NamedTuple

SHORTEST: Final = 60.0
LONGEST: Final = 120.0
LONG_SHARE: Final = 0.4
"""Of the whole; memory is watched in that one life, a third at least."""

_SHORT_SHARE: Final = 1 / 9


class Life(NamedTuple):
    """A plan for one process.

    Attributes:
        seconds: until it is to end.
        ending: the signal that ends it.
        is_long: whether it is the one that is watched for growth.
    """

    seconds: float
    ending: signal.Signals
    is_long: bool = False


def plan(seconds: float, seed: int) -> list[Life]:
    """Plan the lives of one soak: short ones, a long one, and short ones again.

    Args:
        seconds: of the whole.
        seed: the same plan for the same one.

    Returns:
        Lives that last as long together, killed and stopped in turn.
    """
    chance = random.Random(seed)  # noqa: S311 - when to kill is no secret
    long = Life(LONG_SHARE * seconds, signal.SIGTERM, is_long=True)
    rest = (seconds - long.seconds) / 2
    return [*_short(rest, chance), long, *_short(rest, chance)]


def _short(seconds: float, chance: random.Random) -> list[Life]:
    lives: list[Life] = []
    most = seconds * 2 * _SHORT_SHARE / (1 - LONG_SHARE)
    while (left := seconds - sum(each.seconds for each in lives)) > 0:
        each = min(chance.uniform(SHORTEST, LONGEST), max(most, 1.0))
        ending = signal.SIGTERM if len(lives) % 2 else signal.SIGKILL
        lives.append(Life(left if left < 2 * each else each, ending))
    return lives
