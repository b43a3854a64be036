"""States: what is kept of what the envelope captured, and what is left out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from abilities_host import (
    MISSING,
    Ability,
    Domain,
    HidesSecrets,
    State,
    Target,
    holds_secret,
    masked,
    run_in_thread,
)
from abilities_ledger.content import INLINE, Content, keep


class Kept(NamedTuple):
    """What became of one state.

    Attributes:
        content: None for MISSING.
        partial: ``secret`` or ``size`` when only its digest is kept, else empty.
    """

    content: Content | None
    partial: str

    @property
    def digest(self) -> bytes | None:
        """Of the state, None for MISSING."""
        return self.content.digest if self.content else None

    @property
    def size(self) -> int | None:
        """Bytes of the state, None for MISSING."""
        return self.content.size if self.content else None


class States:
    """Decides what is kept of each state.

    Args:
        get_domain: gives a domain by name.
        limit: bytes of one state.
    """

    def __init__(self, get_domain: Callable[[str], Domain], limit: int) -> None:
        self._get_domain: Final = get_domain
        self._limit: Final = limit
        self._judges: Final[dict[str, Callable[[str], bool] | None]] = {}

    async def keep(self, states: Sequence[tuple[Target, State]]) -> list[Kept]:
        """Decide for the states of one call.

        Args:
            states: targets with their states, as they were captured.

        Returns:
            What is kept of each, in the same order.
        """
        if any(_size(state) >= INLINE for _, state in states):
            return await run_in_thread(lambda: self._keep(states))
        return self._keep(states)

    def has_secret(self, targets: Iterable[Target]) -> bool:
        """Answer whether a domain says that one of its targets holds secrets."""
        found = ((target, self._judge(target.domain)) for target in targets)
        return any(says(target.name) for target, says in found if says is not None)

    def _judge(self, name: str) -> Callable[[str], bool] | None:
        """Say how a domain tells its secrets; asking its class each time is dear."""
        if name not in self._judges:
            domain = self._get_domain(name)
            says = domain.is_secret if isinstance(domain, HidesSecrets) else None
            self._judges[name] = says
        return self._judges[name]

    async def arguments(
        self, ability: Ability, arguments: Any, *, is_secret: bool = False
    ) -> Content | None:
        """Decide for the arguments of a call: secrets are masked, always.

        Args:
            ability: whose schema may say what is secret.
            arguments: validated.
            is_secret: what is written is secret; only the digest is kept.

        Returns:
            What is kept, None for no arguments.
        """
        if arguments is None:
            return None
        shown = masked(arguments, schema=ability.input_schema)
        if _size(shown) >= INLINE:
            return await run_in_thread(lambda: self._keep_shown(shown, is_secret))
        return self._keep_shown(shown, is_secret)

    def _keep_shown(self, shown: Any, is_secret: bool) -> Content | None:  # noqa: FBT001 - private
        return keep(shown, limit=self._limit, is_secret=is_secret)

    def _keep(self, states: Sequence[tuple[Target, State]]) -> list[Kept]:
        kept = [self._one(target, state) for target, state in states]
        # A secret that was moved or copied is one under its other name too.
        secrets = {each.digest for each in kept if each.partial == "secret"}
        return [_hidden(each) if each.digest in secrets else each for each in kept]

    def _one(self, target: Target, state: State) -> Kept:
        if state is MISSING:
            return Kept(None, "")
        is_secret = self._is_secret(target, state)
        content = keep(state, limit=self._limit, is_secret=is_secret)
        if content is None or content.data is not None:
            return Kept(content, "")
        return Kept(content, "secret" if is_secret else "size")

    def _is_secret(self, target: Target, state: State) -> bool:
        says = self._judge(target.domain)
        if says is not None:
            return says(target.name)
        return holds_secret(state)


def _hidden(kept: Kept) -> Kept:
    content = kept.content
    return Kept(content and replace(content, data=None, is_packed=False), "secret")


def _size(value: Any) -> int:
    """Estimate bytes; looks no further once they are many."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return _sum((*value, *value.values()))
    return _sum(value) if isinstance(value, list | tuple) else 8


def _sum(values: Iterable[Any]) -> int:
    total = 0
    for value in values:
        total += _size(value)
        if total >= INLINE:
            break
    return total
