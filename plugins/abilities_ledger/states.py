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


Known = Mapping[Target, tuple[State, Kept]]
"""States that were looked at already, and what is kept of each."""

NOTHING: Final[Known] = {}


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

    async def keep(
        self, states: Sequence[tuple[Target, State]], known: Known = NOTHING
    ) -> list[Kept]:
        """Decide for the states of one call.

        Args:
            states: targets with their states, as they were captured.
            known: what was decided for the same states before.

        Returns:
            What is kept of each, in the same order.
        """
        for target, state in states:
            if _size(state) >= INLINE and not _is_known(known, target, state):
                return await run_in_thread(lambda: self._keep(states, known))
        return self._keep(states, known)

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

    def _keep(self, states: Sequence[tuple[Target, State]], known: Known) -> list[Kept]:
        kept = [
            known[target][1]
            if _is_known(known, target, state)
            else self._one(target, state)
            for target, state in states
        ]
        # A secret that was moved or copied is one under its other name too.
        secrets = {each.digest for each in kept if each.partial == "secret"}
        if not secrets:
            return kept
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


def _is_known(known: Known, target: Target, state: State) -> bool:
    found = known.get(target)
    return found is not None and found[0] is state


_SMALL: Final = frozenset({bool, int, float, type(None)})
_SMALL_BYTES: Final = 8


def _size(value: Any) -> int:
    """Estimate bytes; looks no further once they are many."""
    kind = type(value)
    if kind in _SMALL:
        return _SMALL_BYTES
    if kind is dict or isinstance(value, Mapping):
        return _sum((*value, *value.values()))
    if isinstance(value, str | bytes):
        return len(value)
    return _sum(value) if isinstance(value, list | tuple) else _SMALL_BYTES


def _sum(values: Iterable[Any]) -> int:
    total = 0
    for value in values:
        total += len(value) if type(value) is str else _size(value)
        if total >= INLINE:
            break
    return total
