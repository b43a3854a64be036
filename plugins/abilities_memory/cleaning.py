"""Cleaning: a proposal as it is kept, or why it cannot be."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from abilities_host.memory import Proposal, Scope
from abilities_memory.refusals import UnsuitableWording
from abilities_memory.wording import clean, clean_topic, clean_words

RULE_CHARACTERS: Final = 16_000
TARGET_CHARACTERS: Final = 1_000
PRIORITY: Final = 1_000
"""The highest; the lowest is the same below zero."""


def cleaned(proposal: Proposal) -> Proposal:
    """Give a proposal as it is kept.

    Args:
        proposal: as somebody wrote it.

    Returns:
        Another one, composed and without space around its texts.

    Raises:
        UnsuitableWording: when a part of it cannot be taken.
    """
    if not -PRIORITY <= proposal.priority <= PRIORITY:
        problem = f"it is not from -{PRIORITY} to {PRIORITY}"
        raise UnsuitableWording("priority", problem)
    if not _is_storable(proposal.scope):
        problem = f"its target is longer than {TARGET_CHARACTERS} characters, "
        raise UnsuitableWording("scope", problem + "or its number out of range")
    return replace(
        proposal,
        topic=clean_topic(proposal.topic),
        text=clean("text", proposal.text),
        rationale=clean("rationale", proposal.rationale),
        recall=clean_words(proposal.recall),
        rule=_plain(proposal.rule),
    )


def _is_storable(scope: Scope) -> bool:
    is_number = scope.post_id is None or abs(scope.post_id) < 1 << 63
    is_text = scope.target.isprintable() and len(scope.target) <= TARGET_CHARACTERS
    return is_number and is_text


def _plain(rule: Mapping[str, Any] | None) -> Any:
    if rule is None:
        return None
    try:
        written = json.dumps(rule, allow_nan=False)
    except (ValueError, TypeError, RecursionError) as error:
        raise UnsuitableWording("rule", "it is not made of JSON values") from error
    if len(written) > RULE_CHARACTERS:
        problem = f"it is longer than {RULE_CHARACTERS} characters"
        raise UnsuitableWording("rule", problem)
    return json.loads(written)
