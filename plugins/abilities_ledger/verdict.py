"""Verdict: what a run said of itself, and what the facts say."""

from collections.abc import Mapping

from abilities_host import Call, Changes, Outcome

_NOMINAL = {
    "ok": "ok",
    "refused": "failed",
    "failed": "failed",
    "unknown": "unknown",
    "input_required": "asked",
}


def nominal(outcome: Outcome) -> str:
    """Give the run's own word; unknown is never success.

    Args:
        outcome: how it ended.

    Returns:
        ``ok``, ``failed``, ``unknown`` or ``asked``.
    """
    return _NOMINAL[outcome.status]


def judge(call: Call, outcome: Outcome) -> str:
    """Give what the facts say, from the states and from `verify_callback`.

    A run that says it failed and changed something is ``changed``; one that says it
    went well and changed nothing is ``unchanged``, unless its author calls it
    idempotent: repeating it may well change nothing.

    Args:
        call: the run.
        outcome: how it ended.

    Returns:
        ``ok``, ``failed``, ``unchanged`` or ``changed``; empty when nobody can say.
    """
    if _was_judged(outcome, says=False):
        return "failed"
    if outcome.status == "input_required" or _UNREAD & outcome.flags:
        return ""
    if call.ability.changes is None:
        return "ok" if _was_judged(outcome, says=True) else ""
    return _by_states(call, call.ability.changes, outcome)


def _by_states(call: Call, changes: Changes, outcome: Outcome) -> str:
    if any(not change.is_foreign for change in outcome.changes):
        return "ok" if outcome.status == "ok" else "changed"
    if outcome.status == "ok":
        if call.ability.annotations.idempotent or call.undo is not None:
            return "ok"
        # Where nothing was named and nothing touched there is no fact to judge by.
        return "unchanged" if changes.targets is not None else ""
    return "" if outcome.status == "unknown" else "failed"


_UNREAD = frozenset({"capture_failed", "thread_lost"})


def _was_judged(outcome: Outcome, *, says: bool) -> bool:
    """`verify_callback` says yes or no by itself, or with ``{"ok": …}``."""
    facts = outcome.verified
    answer = facts.get("ok") if isinstance(facts, Mapping) else facts
    return answer is says
