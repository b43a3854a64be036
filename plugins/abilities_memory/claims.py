"""Claims: what a narrative says was done to known things, read without guessing."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from abilities_host import Target
from abilities_memory.claim_words import FAILED, HEDGES, UNREAL
from abilities_memory.heads import Head, Kind, find_heads
from abilities_memory.mentions import Names, Word, index_names, read_words
from abilities_memory.objects import (
    Object,
    Region,
    choose_objects,
    read_after,
    read_before,
)
from abilities_memory.sentences import split_sentences
from abilities_memory.verb_forms import Action

LONGEST: Final = 4_000  # characters of a narrative that are read
_NEAR: Final = 60  # words before a pronoun that may say what it stands for

_PARTIAL: Final = ("created", "updated", "deleted")  # done to a thing in another

Result = Literal["succeeded", "failed", "unverified"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing said to have been done.

    Attributes:
        sentence: that says so, as it stands in the narrative; empty when it was stated
            outside of it.
        action: what is said to have been done.
        target: to what; None when no known target is named, or more than one could be
            meant.
        outcome: how it is said to have ended; ``unverified`` when that is unclear or
            the target is None.
    """

    sentence: str
    action: Action
    target: Target | None
    outcome: Result


def extract(narrative: str, known: Collection[Target]) -> list[Claim]:
    """Read what a narrative claims.

    Args:
        narrative: prose in English or Portuguese; what exceeds `LONGEST` characters is
            not read.
        known: targets that may be meant; others are never guessed.

    Returns:
        Each claim once, in the order of the text. Plans, questions, negations,
        suppositions and deeds of others claim nothing.
    """
    names = index_names(known)
    found: dict[Claim, None] = {}
    for sentence in split_sentences(narrative[:LONGEST]):
        found.update(dict.fromkeys(_read_sentence(sentence, names)))
    return list(found)


def _read_sentence(sentence: str, names: Names) -> Iterator[Claim]:
    words = read_words(sentence, names)
    texts = [word.text for word in words if not word.is_name]
    prose = " ".join(texts)
    if "?" in texts[-2:] or any(phrase in prose for phrase in UNREAL):
        return
    is_hedged = not HEDGES.isdisjoint(texts) or "not sure" in prose
    heads = find_heads(words)
    for at, head in enumerate(heads):
        action = head.form.action
        if head.kind != "none" and action is not None:
            is_unclear = is_hedged or _is_cut_off(words, heads, at)
            for found in _find_objects(words, heads, at, action):
                yield _claim(sentence, found, "unclear" if is_unclear else head.kind)


def _claim(sentence: str, found: Object, kind: Kind) -> Claim:
    if found.target is None or kind == "unclear":
        return Claim(sentence, found.action, found.target, "unverified")
    outcome: Result = "failed" if kind == "failed" else "succeeded"
    return Claim(sentence, found.action, found.target, outcome)


def _is_cut_off(words: Sequence[Word], heads: Sequence[Head], at: int) -> bool:
    """Whether a deed is followed by *but … failed*, or by a condition."""
    if heads[at].kind != "done":
        return False
    end = heads[at + 1].start if at + 1 < len(heads) else len(words)
    after = [word.text for word in words[heads[at].end : end] if not word.is_name]
    turns = [place for place, text in enumerate(after) if text in ("but", "mas")]
    if turns and not FAILED.isdisjoint(after[turns[0] :]):
        return True
    return not {"if", "unless", "caso"}.isdisjoint(after)


def _find_objects(
    words: Sequence[Word], heads: Sequence[Head], at: int, action: Action
) -> list[Object]:
    head = heads[at]
    stop = heads[at + 1].start if at + 1 < len(heads) else len(words)
    after = read_after(words[head.end : stop], head.form.language)
    before = read_before(words[head.since : head.start], head.form.language)
    for region in (before, after) if head.is_passive else (after,):
        found = choose_objects(action, head.form.manner, region)
        if found:
            return found
    found = [] if after.parts else list(_find_elsewhere(words, heads, at, action))
    if not found and action in _PARTIAL and not head.is_passive:
        found = _find_place(before)
    return found or [Object(action, None)]


def _find_place(before: Region) -> list[Object]:
    """*In this file, …* says where, whatever the verb is about."""
    return [
        Object("updated", part.target) for part in before.parts if part.role == "in"
    ]


def _find_elsewhere(
    words: Sequence[Word], heads: Sequence[Head], at: int, action: Action
) -> Iterator[Object]:
    """What a pronoun stands for, and what was opened to be changed."""
    head = heads[at]
    near = words[max(0, head.start - _NEAR) : head.start]
    names = [word for word in near if word.is_name]
    if head.has_pronoun and names:
        yield Object(action, names[-1].target)
    elif at and heads[at - 1].form.manner == "open" and action == "updated":
        opened = words[heads[at - 1].end : head.start]
        for part in read_after(opened, head.form.language).parts:
            if part.role == "":
                yield Object(action, part.target)
