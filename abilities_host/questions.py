"""Questions: what a person was asked, each good for one answer."""

import secrets
from collections import OrderedDict
from hashlib import sha256
from time import monotonic
from typing import Any, NamedTuple

import orjson


class _Asked(NamedTuple):
    binding: bytes
    expires: float


class Questions:
    """Open questions of this process.

    Args:
        seconds: how long an answer may take.
        limit: open questions at once; the oldest is forgotten first.

    Attributes:
        seconds: how long an answer to what is asked from now on may take.
    """

    def __init__(self, *, seconds: float = 600.0, limit: int = 1000) -> None:
        self.seconds = seconds
        self._limit = limit
        self._asked: OrderedDict[str, _Asked] = OrderedDict()

    def __len__(self) -> int:
        return len(self._asked)

    def ask(self, binding: bytes) -> str:
        """Note a question.

        Args:
            binding: what the person would agree to, from `bind`.

        Returns:
            The state that must come back with the answer.
        """
        while len(self._asked) >= self._limit:
            self._asked.popitem(last=False)
        state = secrets.token_urlsafe(24)
        self._asked[state] = _Asked(binding, monotonic() + self.seconds)
        return state

    def take(self, state: str, binding: bytes) -> bool:
        """Use an answer up.

        Args:
            state: what came back.
            binding: what would happen now.

        Returns:
            Whether it answers exactly this question, in time, for the first time.
        """
        asked = self._asked.pop(state, None)
        return (
            asked is not None
            and secrets.compare_digest(asked.binding, binding)
            and asked.expires > monotonic()
        )


def bind(*parts: Any) -> bytes:
    """Digest what a person agrees to; anything different is a new question.

    Args:
        parts: JSON values and bytes.

    Returns:
        32 bytes.
    """
    return sha256(orjson.dumps(parts, default=_encode)).digest()


def _encode(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)
