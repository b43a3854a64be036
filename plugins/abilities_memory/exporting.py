"""Exporting: guidance, topics and seals as one JSON document."""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import Any

from abilities_host import run_in_thread
from abilities_host.gate import Gate, Seal
from abilities_host.memory import Guidance, Scope, Topic
from abilities_memory.document import (
    ENTRIES,
    FORMAT,
    TOPICS,
    VERSION,
    TooMuchToExport,
)
from abilities_memory.kind import GuidanceKind
from abilities_memory.moments import moment_of
from abilities_memory.shelf import PAGE, Shelf


async def export(shelf: Shelf, gate: Gate) -> dict[str, Any]:
    """Write all that a shelf has as one document.

    Args:
        shelf: with the guidance and topics.
        gate: knows what of it is in force.

    Returns:
        JSON values; see `export_document`.

    Raises:
        TooMuchToExport: when there is more than a document holds.
        AbilitiesError: when something cannot be read.
    """
    guidance: list[Guidance] = []
    after: int | None = 0
    while after is not None and len(guidance) <= ENTRIES:
        page = await shelf.list(after=after, limit=PAGE)
        guidance += page.entries
        after = page.next
    topics = await shelf.topics()
    seals = (await gate.survey(GuidanceKind.name)).sealed
    return await run_in_thread(lambda: export_document(guidance, topics, seals))


def export_document(
    guidance: Iterable[Guidance],
    topics: Iterable[Topic],
    seals: Mapping[str, Seal],
) -> dict[str, Any]:
    """Write everything as one document; equal arguments give an equal one.

    Args:
        guidance: of any status, in any order; nothing that was forgotten.
        topics: in any order.
        seals: id to seal, of the guidance that is in force.

    Returns:
        JSON values; see the reference of the memory document.

    Raises:
        TooMuchToExport: when there are more than 10,000 entries or topics, since
            nobody could import them.
    """
    entries = sorted(guidance, key=lambda each: _order(each.id))
    sorts = sorted(topics, key=lambda topic: topic.name)
    if len(entries) > ENTRIES:
        raise TooMuchToExport("entries", ENTRIES)
    if len(sorts) > TOPICS:
        raise TooMuchToExport("topics", TOPICS)
    in_force = [each for each in entries if each.id in seals]
    by_topic: dict[str, list[Guidance]] = {}
    for each in in_force:
        by_topic.setdefault(each.topic, []).append(each)
    return {
        "format": FORMAT,
        "version": VERSION,
        "guidance": [_entry(each) for each in entries],
        "domains": {
            topic.name: _domain(topic, by_topic.get(topic.name, [])) for topic in sorts
        },
        "seals": [_seal(seals[each.id]) for each in in_force],
    }


def _order(id_: str) -> tuple[int, str]:
    # gm-1000 comes after gm-999.
    return len(id_), id_


def _entry(guidance: Guidance) -> dict[str, Any]:
    rule = guidance.rule
    return {
        "id": guidance.id,
        "type": guidance.type,
        "domain": guidance.topic,
        "text": guidance.text,
        "rationale": guidance.rationale,
        "recall": list(guidance.recall),
        "scope": _scope(guidance.scope),
        "priority": guidance.priority,
        "class": guidance.class_,
        "rule": None if rule is None else json.loads(json.dumps(rule)),
        "supersedes": guidance.supersedes,
        "status": guidance.status,
        "source": guidance.source,
        "proposed_by": guidance.proposed_by,
        "proposed_at": _moment(guidance.proposed_at),
        "reviewed_by": guidance.reviewed_by,
        "reviewed_at": _moment(guidance.reviewed_at),
        "duplicate_of": guidance.duplicate_of,
    }


def _scope(scope: Scope) -> dict[str, Any]:
    return {
        "site_wide": scope.site_wide,
        "post_id": scope.post_id,
        "target": scope.target,
    }


def _domain(topic: Topic, own: list[Guidance]) -> dict[str, Any]:
    return {
        "state": topic.state,
        "always_on": topic.always_on,
        "recall": list(topic.recall),
        "exclude": list(topic.exclude),
        "rules": [each.id for each in own if each.type != "fact"],
        "decisions": [each.id for each in own if each.type == "fact"],
    }


def _seal(seal: Seal) -> dict[str, Any]:
    return {
        "kind": seal.kind,
        "id": seal.id,
        "hash": seal.hash,
        "reviewer": seal.reviewer,
        # A part of what is signed, so it stays the number that it is.
        "at": seal.at,
        "signature": b64encode(seal.signature).decode(),
    }


def _moment(micros: int | None) -> str | None:
    if micros is None:
        return None
    return moment_of(micros).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
