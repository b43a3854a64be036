"""Proposal: what somebody wants remembered, before it has an id."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from abilities_memory.guidance import Class, Scope, Type
from abilities_memory.refusals import UnsuitableWording
from abilities_memory.wording import clean, clean_topic, clean_words

RULE_CHARACTERS: Final = 16_000
TARGET_CHARACTERS: Final = 1_000
PRIORITY: Final = 1_000
"""The highest; the lowest is the same below zero."""


EVERYWHERE: Final = Scope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What the content of new guidance is to be.

    Attributes:
        type: guardrail, fact, convention or instruction.
        topic: in any case; an unknown one is made on approval.
        text: at most 600 characters.
        rationale: why, at most 400 characters.
        recall: at most 12 words, each at most 40 characters.
        scope: what it is about.
        priority: -1000 to 1000.
        class_: how lasting it is.
        rule: JSON values, written in at most 16,000 characters; None for advice.
        supersedes: id of the guidance it is to replace; empty for none.
    """

    type: Type
    topic: str
    text: str
    rationale: str
    recall: tuple[str, ...] = ()
    scope: Scope = EVERYWHERE
    priority: int = 0
    class_: Class = ""
    rule: Mapping[str, Any] | None = None
    supersedes: str = ""

    def cleaned(self) -> "Proposal":
        """Give it as it is kept.

        Returns:
            Another one, composed and without space around its texts.

        Raises:
            UnsuitableWording: when a part of it cannot be taken.
        """
        if not -PRIORITY <= self.priority <= PRIORITY:
            problem = f"it is not from -{PRIORITY} to {PRIORITY}"
            raise UnsuitableWording("priority", problem)
        if not _is_storable(self.scope):
            problem = f"its target is longer than {TARGET_CHARACTERS} characters, "
            raise UnsuitableWording("scope", problem + "or its number out of range")
        return replace(
            self,
            topic=clean_topic(self.topic),
            text=clean("text", self.text),
            rationale=clean("rationale", self.rationale),
            recall=clean_words(self.recall),
            rule=_plain(self.rule),
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
