"""Divergences: where what is claimed and what is recorded are not the same."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from abilities_host import Target
from abilities_host.ledger import Listed
from abilities_memory.claims import Claim
from abilities_memory.verb_forms import Action

Divergent = Literal[
    "claimed_not_recorded",
    "recorded_not_claimed",
    "claimed_success_verified_failure",
]

UNDO: Final = "ledger/rollback-"
"""What the names of abilities that undo begin with."""

_BAD: Final = frozenset(("failed", "unchanged"))
_ACTIONS: Final[Mapping[str, Action]] = {
    "created": "created",
    "updated": "updated",
    "deleted": "deleted",
    "moved": "moved",
    "undone": "undone",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """One thing that the narrative and the record tell differently.

    Attributes:
        kind: which of the two says more.
        action: as claimed, or as recorded where nothing is claimed.
        target: what it is about.
        sentence: that claims it; empty for a claim stated outside of the narrative,
            and where nothing is claimed.
        entry: number of the entry, None where nothing is recorded.
    """

    kind: Divergent
    action: str
    target: Target
    sentence: str = ""
    entry: int | None = None


def state_claims(claims: Iterable[Mapping[str, str]]) -> list[Claim]:
    """Read claims that are stated as data.

    Args:
        claims: each with ``action`` and ``target``, spelt ``domain:name`` as the record
            spells it.

    Returns:
        The same as claims of success.

    Raises:
        ValueError: for another action, and where a domain or a name is missing.
    """
    found = []
    for claim in claims:
        action = _ACTIONS.get(claim["action"])
        domain, _, name = claim["target"].partition(":")
        if action is None or not domain or not name:
            raise ValueError("a claim needs a known action and domain:name")
        found.append(Claim("", action, Target(domain, name), "succeeded"))
    return found


def compare(claims: Sequence[Claim], entries: Sequence[Listed]) -> list[Divergence]:
    """Compare what is claimed with what is recorded.

    Whether a thing was created or updated is one question: who writes a file may not
    know that it was there. A moved thing may be recorded as any change. What is
    unverified is no divergence, and excuses what is recorded about its target.

    Args:
        claims: from `extract` and `state_claims`.
        entries: of the same session, actor and window, all of them.

    Returns:
        Claims first, in their order, then entries, in theirs; each thing once.
    """
    changes = _changes(entries)
    found: dict[Divergence, None] = {}
    for claim in claims:
        if claim.target is not None and claim.outcome == "succeeded":
            matching = [
                entry
                for entry in changes.get(claim.target, ())
                if _is_recorded(claim.action, entry, changes[claim.target])
            ]
            found.update(dict.fromkeys(_check(claim, claim.target, matching)))
    return [*_once(found), *_unclaimed(claims, changes)]


def _changes(entries: Iterable[Listed]) -> dict[Target, list[Listed]]:
    found: dict[Target, list[Listed]] = {}
    for listed in entries:
        entry = listed.entry
        if entry.kind == "change" and entry.partial != "foreign":
            found.setdefault(Target(entry.domain, entry.target), []).append(listed)
    return found


def _is_recorded(action: str, listed: Listed, others: Sequence[Listed]) -> bool:
    recorded = listed.entry.action
    if action == "undone":
        return _is_undo(listed) or _puts_back(listed, others)
    return action == "moved" or _family(action) == _family(recorded)


def _family(action: str) -> str:
    return "written" if action in ("created", "updated") else action


def _is_undo(listed: Listed) -> bool:
    return listed.is_rolled_back or listed.entry.ability.startswith(UNDO)


def _puts_back(listed: Listed, others: Sequence[Listed]) -> bool:
    """Whoever writes what was there before has undone it as well."""
    entry = listed.entry
    return any(
        other.entry.seq < entry.seq and other.entry.before == entry.after
        for other in others
    )


def _check(
    claim: Claim, target: Target, matching: Sequence[Listed]
) -> Iterator[Divergence]:
    if not matching:
        yield Divergence(
            kind="claimed_not_recorded",
            action=claim.action,
            target=target,
            sentence=claim.sentence,
        )
    elif all(listed.effective in _BAD for listed in matching):
        yield Divergence(
            kind="claimed_success_verified_failure",
            action=claim.action,
            target=target,
            sentence=claim.sentence,
            entry=matching[-1].entry.seq,
        )


def _once(found: Iterable[Divergence]) -> Iterator[Divergence]:
    """A thing stated as data and told in the narrative is one thing."""
    seen = set()
    for each in sorted(found, key=lambda each: not each.sentence):
        key = (each.kind, each.action, each.target)
        if key not in seen:
            seen.add(key)
            yield each


def _unclaimed(
    claims: Sequence[Claim], changes: Mapping[Target, Sequence[Listed]]
) -> Iterator[Divergence]:
    for target, recorded in changes.items():
        said = [
            claim
            for claim in claims
            if claim.target == target and claim.outcome != "failed"
        ]
        told: dict[str, Listed] = {}
        for listed in recorded:
            is_silent = _is_undo(listed) or listed.effective in _BAD
            if not is_silent and not _is_told(listed, said, recorded):
                told[_family(listed.entry.action)] = listed
        for listed in told.values():
            yield Divergence(
                kind="recorded_not_claimed",
                action=listed.entry.action,
                target=target,
                entry=listed.entry.seq,
            )


def _is_told(listed: Listed, said: Iterable[Claim], others: Sequence[Listed]) -> bool:
    return any(
        claim.outcome == "unverified" or _is_recorded(claim.action, listed, others)
        for claim in said
    )
