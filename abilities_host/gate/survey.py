"""Survey: which entries are sealed, and what is not as a person left it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from abilities_host.gate.journal import Line
from abilities_host.gate.seal import Seal, Verb, hash_of

Problem = Literal["unsealed", "changed", "forged", "missing"]
IsSigned = Callable[[bytes, Seal, Verb], bool]

_SENTENCES: Final[Mapping[Problem, str]] = {
    "unsealed": "says it is approved, and no person did; it has no effect",
    "changed": "is not what was approved; it has no effect",
    "forged": "has a seal that its reviewer's key did not make; it has no effect",
    "missing": "was approved and is gone, and no person withdrew it",
}


@dataclass(frozen=True, slots=True)
class Alarm:
    """An entry that is not as a person left it.

    Attributes:
        kind: name of the kind.
        id: of the entry.
        problem: what is wrong.
        canonical: what was approved, by a seal that verifies; empty when nobody
            knows it any more, or nothing ever was.
        binds: what was approved stopped something, so it must not be as if it had
            never been there.
    """

    kind: str
    id: str
    problem: Problem
    canonical: bytes = b""
    binds: bool = False

    @property
    def sentence(self) -> str:
        """What is wrong, in words."""
        return f"{self.kind} {self.id} {_SENTENCES[self.problem]}."


@dataclass(frozen=True, slots=True)
class Survey:
    """All entries of one kind at one moment.

    Attributes:
        sealed: id to seal, of those that count.
        alarms: the others that say they count, or should be there.
    """

    sealed: Mapping[str, Seal]
    alarms: tuple[Alarm, ...]


class Decided(NamedTuple):
    """A seal, and the withdrawal that may have followed it."""

    seal: Seal
    withdrawal: Seal | None
    canonical: bytes


class Judge:
    """Tells good seals from others.

    Args:
        keys: name of an account to the public half of its key.
        is_signed: of a public half, a seal and what was decided.
        journal: id to the last decision that was noted outside the store.
        binds: of canonical bytes.
    """

    def __init__(
        self,
        keys: Mapping[str, bytes],
        is_signed: IsSigned,
        journal: Mapping[str, Line],
        binds: Callable[[bytes], bool],
    ) -> None:
        self._keys: Final = keys
        self._is_good: Final = is_signed
        self._journal: Final = journal
        self._binds: Final = binds

    def survey(
        self,
        kind: str,
        entries: Iterable[tuple[str, bytes]],
        decided: Mapping[str, Decided],
    ) -> Survey:
        """Compare entries with what was decided.

        Args:
            kind: name of the kind.
            entries: ids and canonical bytes of those that say they are approved.
            decided: id to decision.

        Returns:
            What counts and what does not.
        """
        sealed: dict[str, Seal] = {}
        problems: dict[str, Problem] = {}
        for id_, canonical in entries:
            found = decided.get(id_)
            if problem := self._problem(found, canonical):
                problems[id_] = problem
            elif found:
                sealed[id_] = found.seal
        for id_ in {**decided, **self._journal}:
            is_there = id_ in sealed or id_ in problems
            if not is_there and self._is_missed(id_, decided.get(id_)):
                problems[id_] = "missing"
        alarms = (
            self._alarm(kind, id_, problem, decided.get(id_))
            for id_, problem in problems.items()
        )
        return Survey(sealed, tuple(alarms))

    def _alarm(
        self, kind: str, id_: str, problem: Problem, found: Decided | None
    ) -> Alarm:
        canonical = self._approved(found)
        if canonical:
            return Alarm(kind, id_, problem, canonical, self._binds(canonical))
        line = self._journal.get(id_)
        binds = line is not None and line.verb == "approve" and line.binds
        return Alarm(kind, id_, problem, binds=binds)

    def _approved(self, found: Decided | None) -> bytes:
        """What a person approved and did not withdraw, if a good seal tells it."""
        if found is None or self._was_withdrawn(found.seal):
            return b""
        end = found.withdrawal
        if end is not None and self._is_signed(end, is_withdrawal=True):
            return b""
        is_known = found.seal.hash == hash_of(found.canonical)
        return found.canonical if is_known and self._is_signed(found.seal) else b""

    def _problem(self, found: Decided | None, canonical: bytes) -> Problem | None:
        if found is None or found.withdrawal or self._was_withdrawn(found.seal):
            return "unsealed"
        if found.seal.hash != hash_of(canonical):
            return "changed"
        return None if self._is_signed(found.seal) else "forged"

    def _was_withdrawn(self, seal: Seal) -> bool:
        """Whether a withdrawal after this seal was taken out of the store."""
        line = self._journal.get(seal.id)
        return line is not None and line.verb == "withdraw" and line.at >= seal.at

    def _is_missed(self, id_: str, decided: Decided | None) -> bool:
        if decided is None:
            return self._journal[id_].verb == "approve"
        end = decided.withdrawal
        return end is None or not self._is_signed(end, is_withdrawal=True)

    def _is_signed(self, seal: Seal, *, is_withdrawal: bool = False) -> bool:
        public = self._keys.get(seal.reviewer)
        verb: Verb = "withdraw" if is_withdrawal else "approve"
        return public is not None and self._is_good(public, seal, verb)
