"""Merging: how environment and flags act on what the file says."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from abilities_host.calls import Actor


class Merge(StrEnum):
    """What a later layer does to an earlier one; the value says it in words.

    Restrictions add up, so all but the first two can only make things stricter.
    """

    REPLACE = "replaces the file"
    TABLE = "replaces the file key by key"
    UNION = "is added to the file"
    EITHER = "may turn it on, never off"
    BOTH = "may turn it off, never on"
    LAYERS = "narrows the file"
    NARROW = "keeps only what the file allows too"
    WITHIN = "keeps only what the file says too, where it says something"
    STRICTER = "may make it stricter, never looser"
    FILE = "is ignored, only the file may say it"


def merge(rule: Merge, old: Any, new: Any) -> Any:
    """Combine one setting of two layers.

    Args:
        rule: the setting's rule.
        old: the value so far.
        new: the value of the later layer.

    Returns:
        The effective value.
    """
    return _MERGES[rule](old, new)


def is_loosened(rule: Merge, new: Any, merged: Any) -> bool:
    """Answer whether a layer asked for more than it got.

    Args:
        rule: the setting's rule.
        new: what the later layer asked for.
        merged: what came of it.

    Returns:
        True when something of it was left out.
    """
    if rule in (Merge.NARROW, Merge.WITHIN):
        return not set(new) <= set(merged)
    strict = {Merge.EITHER, Merge.BOTH, Merge.STRICTER, Merge.FILE}
    return rule in strict and new != merged


def _union(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*old, *new)))


def _narrow(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """Keep the scopes that both sides cover; ``*`` stands for any part."""
    ours, theirs = Actor("", scopes=frozenset(old)), Actor("", scopes=frozenset(new))
    kept = [scope for scope in old if theirs.may(scope)]
    return _union(tuple(kept), tuple(scope for scope in new if ours.may(scope)))


def _table(old: Any, new: Any) -> Any:
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return new
    merged = dict(old)
    for key, value in new.items():
        merged[key] = _table(merged.get(key), value)
    return merged


def _either(old: bool, new: bool) -> bool:  # noqa: FBT001 - both are settings
    return old or new


def _both(old: bool, new: bool) -> bool:  # noqa: FBT001 - same
    return old and new


def _within(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    """Nothing in common would mean everything to some settings: the file stays."""
    kept = tuple(item for item in new if item in old) if old else new
    return kept or old


def _stricter(old: str, new: str) -> str:
    """Of two words the one that holds more back; any other word is refused later."""
    return new if old in ("show", "none") else old


def _old(old: Any, _: Any) -> Any:
    return old


def _new(_: Any, new: Any) -> Any:
    return new


_MERGES: Mapping[Merge, Callable[[Any, Any], Any]] = {
    Merge.REPLACE: _new,
    Merge.TABLE: _table,
    Merge.UNION: _union,
    Merge.EITHER: _either,
    Merge.BOTH: _both,
    Merge.LAYERS: _union,
    Merge.NARROW: _narrow,
    Merge.WITHIN: _within,
    Merge.STRICTER: _stricter,
    Merge.FILE: _old,
}
