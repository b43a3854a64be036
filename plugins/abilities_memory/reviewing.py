"""Reviewing: what a person is shown of guidance before deciding on it."""

from collections.abc import Mapping
from typing import Any, Final

from abilities_host import Site
from abilities_host.gate import Gate, StaleHash
from abilities_host.ledger import Ledger
from abilities_host.memory import (
    Guidance,
    Impact,
    Review,
    Rule,
    RuleBroken,
    impact_of,
    parse_rule,
)
from abilities_memory.canonical import canonical_guidance
from abilities_memory.kind import GuidanceKind
from abilities_memory.refusals import UnknownGuidance
from abilities_memory.shelf import Shelf

ALIKE: Final = 10
"""How many near-duplicates are shown."""

LOOKS: Final = 5
"""How often it is read again when somebody changes it meanwhile."""


async def review(site: Site, shelf: Shelf, gate: Gate, id_: str) -> Review:
    """Collect what a person is to see; see `ProjectMemory.review`.

    Args:
        site: finds the record.
        shelf: has the guidance.
        gate: gives what the decision is sealed with.
        id_: of the guidance.

    Returns:
        What it says, and what would follow.

    Raises:
        UnknownGuidance: when there is none of this id.
        StoreError: when it cannot be read.
    """
    guidance, canonical, hash_ = await _shown(shelf, gate, id_)
    old = await _superseded(shelf, guidance)
    rule, problem = _rule_of(guidance.rule)
    before, _ = _rule_of(old.rule if old else None)
    return Review(
        guidance=guidance,
        canonical=canonical.decode(),
        hash=hash_,
        duplicates=await _alike(shelf, guidance),
        supersedes=old,
        forbids=await _impact(site, rule, without=None),
        releases=await _impact(site, before, without=rule),
        problem=problem,
    )


async def _shown(shelf: Shelf, gate: Gate, id_: str) -> tuple[Guidance, bytes, str]:
    """Read both until they are of the same moment: what is seen is what is hashed."""
    for _ in range(LOOKS):
        guidance = await shelf.get(id_)
        canonical, hash_ = await gate.show(GuidanceKind.name, id_)
        if canonical == canonical_guidance(guidance):
            return guidance, canonical, hash_
    raise StaleHash(GuidanceKind.name, id_)


async def _superseded(shelf: Shelf, guidance: Guidance) -> Guidance | None:
    if not guidance.supersedes:
        return None
    try:
        return await shelf.get(guidance.supersedes)
    except UnknownGuidance:  # it was there when it was proposed
        return None


async def _alike(shelf: Shelf, guidance: Guidance) -> tuple[Guidance, ...]:
    """Follow the links from one near-duplicate to the earlier one."""
    found: dict[str, Guidance] = {}
    following = guidance.duplicate_of
    while following and following not in found and len(found) < ALIKE:
        found[following] = await shelf.get(following)
        following = found[following].duplicate_of
    return tuple(found.values())


def _rule_of(rule: Mapping[str, Any] | None) -> tuple[Rule | None, str]:
    if rule is None:
        return None, ""
    try:
        return parse_rule(rule), ""
    except RuleBroken as error:
        return None, error.sentence


async def _impact(
    site: Site, rule: Rule | None, *, without: Rule | None
) -> Impact | None:
    if rule is None:
        return None
    try:
        ledger = site.find(Ledger)
    except LookupError:
        return None
    return await impact_of(rule, ledger, releasing=without)
