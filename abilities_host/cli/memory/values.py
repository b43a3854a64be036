"""Values: guidance, topics and what follows from them, as programs read it."""

from typing import Any

from abilities_host.cli.ledger.values import moment, target_of
from abilities_host.gate import Alarm
from abilities_host.ledger import Entry
from abilities_host.memory import Guidance, Happening, Impact, Review, Scope, Topic
from abilities_host.memory.wording import difference


def guidance_as_json(guidance: Guidance) -> dict[str, Any]:
    """Write guidance for programs.

    Args:
        guidance: of any status.

    Returns:
        JSON values; the keys are always the same.
    """
    rule, reviewed = guidance.rule, guidance.reviewed_at
    return {
        "id": guidance.id,
        "type": guidance.type,
        "topic": guidance.topic,
        "text": guidance.text,
        "rationale": guidance.rationale,
        "recall": list(guidance.recall),
        "scope": _scope(guidance.scope),
        "priority": guidance.priority,
        "class": guidance.class_,
        "rule": None if rule is None else dict(rule),
        "supersedes": guidance.supersedes,
        "status": guidance.status,
        "source": guidance.source,
        "proposed_by": guidance.proposed_by,
        "proposed_at": moment(guidance.proposed_at),
        "reviewed_by": guidance.reviewed_by,
        "reviewed_at": None if reviewed is None else moment(reviewed),
        "duplicate_of": guidance.duplicate_of,
    }


def review_as_json(review: Review) -> dict[str, Any]:
    """Write everything that a person is to see before deciding.

    Args:
        review: of one guidance.

    Returns:
        JSON values: the guidance, and what follows from it.
    """
    old = review.supersedes
    return {
        **guidance_as_json(review.guidance),
        "hash": review.hash,
        "canonical": review.canonical,
        "duplicates": [guidance_as_json(each) for each in review.duplicates],
        "superseded": old and guidance_as_json(old),
        "diff": difference(old, review.guidance) if old else [],
        "forbids": _impact(review.forbids),
        "releases": _impact(review.releases),
        "problem": review.problem,
    }


def topic_as_json(topic: Topic) -> dict[str, Any]:
    """Write a topic for programs."""
    return {
        "name": topic.name,
        "state": topic.state,
        "always_on": topic.always_on,
        "recall": list(topic.recall),
        "exclude": list(topic.exclude),
    }


def happening_as_json(happening: Happening) -> dict[str, Any]:
    """Write one line of the history for programs."""
    return {
        "at": moment(happening.at),
        "by": happening.by,
        "action": happening.action,
        "hash": happening.hash,
    }


def alarm_as_json(alarm: Alarm) -> dict[str, Any]:
    """Write an alarm for programs."""
    return {
        "kind": alarm.kind,
        "id": alarm.id,
        "problem": alarm.problem,
        "binds": alarm.binds,
        "sentence": alarm.sentence,
    }


def _scope(scope: Scope) -> dict[str, Any]:
    return {
        "site_wide": scope.site_wide,
        "post_id": scope.post_id,
        "target": scope.target,
    }


def _impact(impact: Impact | None) -> dict[str, Any] | None:
    if impact is None:
        return None
    return {
        "days": impact.days,
        "count": impact.count,
        "is_cut": impact.is_cut,
        "examples": [_entry(entry) for entry in impact.examples],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.seq,
        "at": moment(entry.at),
        "actor": entry.actor,
        "ability": entry.ability,
        "action": entry.action,
        "target": target_of(entry),
    }
