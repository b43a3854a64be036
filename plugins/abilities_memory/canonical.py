"""Canonical: the one byte string of what a record means, and its hash."""

import json
import unicodedata
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from abilities_host import fold
from abilities_host.memory import Guidance, Topic


def canonical_guidance(guidance: Guidance) -> bytes:
    """Give the bytes of everything about guidance that has an effect.

    Equal bytes mean the same: the order of recall words, their case and accents, and
    the order of a rule's keys count for nothing. Who proposed it and its status are no
    part of what it says.

    Args:
        guidance: any.

    Returns:
        ASCII, the same on every machine and in every version.
    """
    return _bytes(
        {
            "form": "guidance/1",
            "type": guidance.type,
            "topic": guidance.topic.casefold(),
            "text": guidance.text,
            "rationale": guidance.rationale,
            "recall": _words(guidance.recall),
            "site_wide": guidance.scope.site_wide,
            "post_id": guidance.scope.post_id,
            "target": guidance.scope.target,
            "priority": guidance.priority,
            "class": guidance.class_,
            "rule": guidance.rule,
            "supersedes": guidance.supersedes,
        }
    )


def canonical_topic(topic: Topic) -> bytes:
    """Give the bytes of everything about a topic that has an effect.

    Args:
        topic: any.

    Returns:
        ASCII, as `canonical_guidance` does.
    """
    return _bytes(
        {
            "form": "topic/1",
            "name": topic.name.casefold(),
            "state": topic.state,
            "always_on": topic.always_on,
            "recall": _words(topic.recall),
            "exclude": _words(topic.exclude),
        }
    )


def hash_of(canonical: bytes) -> str:
    """Give the hash under which a human sees and approves a record.

    Args:
        canonical: from this module.

    Returns:
        SHA-256 as 64 hexadecimal digits.
    """
    return sha256(canonical).hexdigest()


def _words(words: Iterable[str]) -> list[str]:
    return sorted({fold(word) for word in words})


def _bytes(parts: dict[str, Any]) -> bytes:
    written = {name: _composed(value) for name, value in parts.items()}
    # Escaped, so that a lone surrogate of a damaged row has bytes too.
    text = json.dumps(written, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii")


def _composed(value: Any) -> Any:
    # A rule is left as it is: its patterns may tell the two forms apart.
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value
