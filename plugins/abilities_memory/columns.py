"""Columns: guidance and topics, to and from the rows of their tables."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from abilities_host.memory import Guidance, Proposal, Scope, Topic

GUIDANCE: Final = (
    "id, type, topic, text, rationale, recall, site_wide, post_id, target, priority, "
    "class, rule, supersedes, status, source, proposed_by, proposed_at, reviewed_by, "
    "reviewed_at, duplicate_of"
)
_NAMES: Final = tuple(GUIDANCE.split(", "))
INSERT: Final = f"""
    INSERT INTO memory_guidance (number, words, {GUIDANCE})
    VALUES (:number, :words, {", ".join(f":{name}" for name in _NAMES)})
"""  # noqa: S608 - names of columns only
TOPIC: Final = "name, state, always_on, recall, exclude"


def guidance_of(row: Sequence[Any]) -> Guidance:
    """Make guidance of a row.

    Args:
        row: the columns of `GUIDANCE`.

    Returns:
        What it holds.
    """
    # By place, since pages and surveys make thousands of them at once.
    id_, type_, topic, text, rationale, recall, site_wide, post_id, target, *rest = row
    priority, class_, rule, supersedes, status, source, *people = rest
    proposed_by, proposed_at, reviewed_by, reviewed_at, duplicate_of = people
    return Guidance(
        id=id_,
        type=type_,
        topic=topic,
        text=text,
        rationale=rationale,
        recall=tuple(json.loads(recall)),
        scope=Scope(site_wide=bool(site_wide), post_id=post_id, target=target),
        priority=priority,
        class_=class_,
        rule=None if rule is None else json.loads(rule),
        supersedes=supersedes,
        status=status,
        source=source,
        proposed_by=proposed_by,
        proposed_at=proposed_at,
        reviewed_by=reviewed_by,
        reviewed_at=reviewed_at,
        duplicate_of=duplicate_of,
    )


def values_of(proposal: Proposal) -> dict[str, Any]:
    """Give the values of what a proposal says.

    Args:
        proposal: cleaned.

    Returns:
        Column to value.
    """
    rule = proposal.rule
    return {
        "type": proposal.type,
        "topic": proposal.topic,
        "text": proposal.text,
        "rationale": proposal.rationale,
        "recall": _json(proposal.recall),
        "site_wide": proposal.scope.site_wide,
        "post_id": proposal.scope.post_id,
        "target": proposal.scope.target,
        "priority": proposal.priority,
        "class": proposal.class_,
        "rule": None if rule is None else _json(rule),
        "supersedes": proposal.supersedes,
    }


def topic_of(row: Sequence[Any]) -> Topic:
    """Make a topic of a row.

    Args:
        row: the columns of `TOPIC`.

    Returns:
        What it holds.
    """
    name, state, always_on, recall, exclude = row
    return Topic(
        name=name,
        state=state,
        always_on=bool(always_on),
        recall=tuple(json.loads(recall)),
        exclude=tuple(json.loads(exclude)),
    )


def topic_values(topic: Topic) -> dict[str, Any]:
    """Give the values of a topic.

    Args:
        topic: cleaned.

    Returns:
        Column to value.
    """
    return {
        "name": topic.name,
        "state": topic.state,
        "always_on": topic.always_on,
        "recall": _json(topic.recall),
        "exclude": _json(topic.exclude),
    }


def _json(value: Sequence[str] | Mapping[str, Any]) -> str:
    return json.dumps(value)
