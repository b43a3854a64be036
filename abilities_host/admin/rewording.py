"""Rewording: another version of guidance, from the fields of a form."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, cast, get_args

from abilities_host.admin.form import Form
from abilities_host.errors import CallError, listed
from abilities_host.jsontext import json_text
from abilities_host.memory import (
    Class,
    Guidance,
    Proposal,
    Scope,
    Type,
)

TYPES: Final[tuple[str, ...]] = get_args(Type)
CLASSES: Final[tuple[str, ...]] = get_args(Class)
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")
_FIELDS: Final = (
    *("type", "topic", "text", "rationale", "recall", "site_wide"),
    *("post_id", "target", "priority", "class", "rule"),
)


class FieldBroken(CallError):
    """A field of the form cannot be understood; nothing was proposed."""

    code = "form_invalid"

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"The {field} {problem}. Nothing was proposed.")


def fields_of(guidance: Guidance) -> dict[str, str]:
    """Write guidance into the fields of a form.

    Args:
        guidance: of any status.

    Returns:
        Name to value; foreign text.
    """
    scope, rule = guidance.scope, guidance.rule
    return {
        "type": guidance.type,
        "topic": guidance.topic,
        "text": guidance.text,
        "rationale": guidance.rationale,
        "recall": "\n".join(guidance.recall),
        "site_wide": "yes" if scope.site_wide else "",
        "post_id": "" if scope.post_id is None else str(scope.post_id),
        "target": scope.target,
        "priority": str(guidance.priority),
        "class": guidance.class_,
        "rule": "" if rule is None else json_text(dict(rule)),
    }


def fields_sent(form: Form) -> dict[str, str]:
    """Give what a person wrote into those fields; an absent one is empty."""
    return {name: form.get(name).replace("\r\n", "\n") for name in _FIELDS}


def proposal_of(fields: Mapping[str, str], old: Guidance) -> Proposal:
    """Read another version.

    Args:
        fields: from `fields_sent`.
        old: what it is a version of; superseded when that is approved.

    Returns:
        What it says; whether its wording can be taken is for the memory to say.

    Raises:
        FieldBroken: when a field cannot be understood.
    """
    post_id = fields["post_id"].strip()
    return Proposal(
        type=cast("Type", _one_of(fields, "type", TYPES)),
        topic=fields["topic"].strip(),
        text=fields["text"].strip(),
        rationale=fields["rationale"].strip(),
        recall=words_of(fields["recall"]),
        scope=Scope(
            site_wide=fields["site_wide"] == "yes",
            post_id=_number(post_id, "number") if post_id else None,
            target=fields["target"].strip(),
        ),
        priority=_number(fields["priority"].strip() or "0", "priority"),
        class_=cast("Class", _one_of(fields, "class", CLASSES)),
        rule=_rule(fields["rule"]),
        supersedes=old.id if old.status == "approved" else old.supersedes,
    )


def words_of(written: str) -> tuple[str, ...]:
    """Read words, one a line."""
    return tuple(filter(None, (line.strip() for line in written.splitlines())))


def _one_of(fields: Mapping[str, str], name: str, known: tuple[str, ...]) -> str:
    if fields[name] not in known:
        raise FieldBroken(name, f"is one of {listed(filter(None, known))}")
    return fields[name]


def _number(written: str, name: str) -> int:
    if not _NUMBER.fullmatch(written):
        raise FieldBroken(name, "is no whole number")
    return int(written)


def _rule(written: str) -> dict[str, Any] | None:
    if not written.strip():
        return None
    try:
        value = json.loads(written)
    except (ValueError, RecursionError):
        raise FieldBroken("rule", "is not JSON") from None
    if not isinstance(value, dict):
        raise FieldBroken("rule", "is not one JSON object")
    return value
