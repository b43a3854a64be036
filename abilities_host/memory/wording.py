"""Wording: guidance in words, the same on a terminal and in a browser."""

from difflib import unified_diff

from abilities_host.jsontext import json_text
from abilities_host.memory.guidance import Guidance, Scope


def difference(old: Guidance, new: Guidance) -> list[str]:
    """Compare what two versions say, as a unified diff.

    Args:
        old: what is to be replaced.
        new: what is to replace it.

    Returns:
        Lines of foreign text; none when both say the same.
    """
    pair = (_said(old), _said(new))
    return list(unified_diff(*pair, old.id, new.id, lineterm="", n=2))


def kind_of(guidance: Guidance) -> str:
    """Say what sort of guidance it is; a guardrail without a rule only advises."""
    is_advice = guidance.type == "guardrail" and guidance.rule is None
    return f"{guidance.type} (advice)" if is_advice else guidance.type


def scope_of(scope: Scope) -> str:
    """Say in words what guidance is about; foreign text."""
    parts = ["everywhere"] if scope.site_wide else []
    if scope.post_id is not None:
        parts.append(f"number {scope.post_id}")
    if scope.target:
        parts.append(scope.target)
    return ", ".join(parts) or "nothing in particular"


def _said(guidance: Guidance) -> list[str]:
    rule = guidance.rule
    return [
        f"type: {guidance.type}",
        f"topic: {guidance.topic}",
        *(f"text: {line}" for line in guidance.text.split("\n")),
        *(f"why: {line}" for line in guidance.rationale.split("\n")),
        f"recall: {', '.join(sorted(guidance.recall))}",
        f"scope: {scope_of(guidance.scope)}",
        f"priority: {guidance.priority}",
        f"class: {guidance.class_}",
        *("rule: none" if rule is None else json_text(dict(rule))).split("\n"),
    ]
