"""Waiting: the words of what waits for a person besides guidance."""

from collections.abc import Mapping
from typing import Final

from abilities_host.frozen import FrozenDict

WAITING: Final[Mapping[str, str]] = FrozenDict(
    {
        "waiting.title": "Waiting",
        "waiting.back": "All that waits",
        "waiting.none": "Nothing waits.",
        "waiting.kind.guidance": "Guidance",
        "waiting.kind.topic": "Topics",
        "waiting.kind.definition": "Changed definitions",
        "waiting.kind.write": "Writes",
        "waiting.review": "Review it",
        "waiting.entry": "Entry",
        "waiting.what": "What it is",
        "waiting.by": "From",
        "waiting.since": "Since",
        "waiting.more": "Go on",
        "waiting.full": "The oldest {count} are listed. Others follow as these are "
        "decided.",
        "waiting.not": "This does not wait for anybody. Somebody may have decided on "
        "it, or it is out of date.",
        "waiting.part": "part {part} of {parts}",
        "waiting.part.before": "Part before",
        "waiting.part.next": "Next part",
        "waiting.read_on": "It is approved at the end of the last part.",
        "waiting.facts": "Where it comes from",
        "waiting.pack": "Pack",
        "waiting.version": "Version",
        "waiting.versions": "{was} to {now}",
        "waiting.new": "new",
        "waiting.actor": "Actor",
        "waiting.expires": "Good until",
        "waiting.why": "Why a person is asked",
        "waiting.rule.gone": "This guidance is not there any more.",
        "waiting.arguments": "With these arguments",
        "waiting.arguments.cut": "The ticket has only the beginning of them. What is "
        "approved is all of them, by the digest below.",
        "waiting.targets": "What it would change",
        "waiting.targets.now": "As it is now. An approval is good only while nothing "
        "of it has changed since the write was asked for.",
        "waiting.targets.more": "{shown} of {count} are shown.",
        "waiting.targets.cut": "There is more.",
        "waiting.targets.missing": "It is not there.",
        "waiting.targets.unknown": "It cannot be read now. The log of the host says "
        "why.",
        "waiting.targets.binary": "No text, {size} bytes.",
        "waiting.all": "All that is decided on",
        "waiting.approved": "{kind} {id} is approved.",
        "waiting.rejected": "{kind} {id} is rejected.",
    }
)
