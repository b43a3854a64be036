"""Heads: the verbs of a sentence, and whether each says that something was done."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from abilities_memory.claim_words import (
    ABLE,
    ADVERBS,
    AGENTS,
    AUXILIARY,
    BEING,
    BREAKS,
    BY,
    DETERMINERS,
    EARLIER,
    FAILED,
    FAILURES,
    HAVING,
    HYPOTHESES,
    JOINTS,
    LINKING,
    LISTING,
    MANAGED,
    NEGATORS,
    NOT,
    NOTHING,
    OTHERS,
    STARTS,
    TOLD,
    TRIES,
    UNABLE,
    VERBAL,
)
from abilities_memory.mentions import Word
from abilities_memory.verb_forms import FORMS, NOUNS, Form

Kind = Literal["done", "failed", "unclear", "none"]

_REACH: Final = 5  # words between an auxiliary and its participle
_LEAD: Final = 16  # words before a verb that may take it back
_LABEL: Final = 3  # words before the verb of a label such as *Files changed:*
_CLITICS: Final = ("-o", "-a", "-os", "-as", "-lo", "-la", "-los", "-las", "-me", "-se")


@dataclass(frozen=True, slots=True)
class Head:
    """A verb, or a noun that stands for one.

    Attributes:
        form: what it says.
        kind: whether that was done.
        start: number of its first word.
        end: number of the word after it.
        is_passive: what it was done to stands before it.
        since: where its part of the sentence begins.
        is_others: somebody else is said to have done it.
        follows: the word after it; empty for a name and for none.
        has_pronoun: its object is a pronoun.
    """

    form: Form
    kind: Kind
    start: int
    end: int
    is_passive: bool = False
    since: int = 0
    is_others: bool = False
    follows: str = ""
    has_pronoun: bool = False


def find_heads(words: Sequence[Word]) -> list[Head]:
    """Find the verbs of a sentence.

    Args:
        words: from `read_words`.

    Returns:
        The verbs in order, also those that claim nothing: names go with the nearest.
    """
    texts = [word.text for word in words]
    has_failed = _tells_failure(texts)
    heads: list[Head] = []
    for at in range(len(texts)):
        head = _head_at(texts, at, heads, has_failed=has_failed)
        if head is not None:
            heads.append(head)
    return heads


def _tells_failure(texts: Sequence[str]) -> bool:
    joined = " ".join(texts)
    return any(text in FAILED for text in texts) or any(
        words in joined for words in FAILURES
    )


def _head_at(
    texts: Sequence[str], at: int, heads: Sequence[Head], *, has_failed: bool
) -> Head | None:
    found = _verb_at(texts, at, heads, has_failed=has_failed)
    is_deed = found is None and has_failed and not heads
    return _noun_at(texts, at) if is_deed else found


def _verb_at(
    texts: Sequence[str], at: int, heads: Sequence[Head], *, has_failed: bool
) -> Head | None:
    form, length, has_pronoun = _form_at(texts, at)
    if form is None:
        return None
    since = max(heads[-1].end if heads else 0, at - _LEAD)
    end = at + length
    head = Head(form, "none", at, end, since=since, has_pronoun=has_pronoun)
    head = replace(head, follows=texts[end] if end < len(texts) else "")
    lead = _lead(texts, since, at)
    if form.tense == "other":
        return replace(head, is_others=True)
    if form.tense == "plain":
        return _plain(head, lead, texts, has_failed=has_failed)
    if form.language == "pt":
        return _portuguese(head, lead, texts, heads)
    return _english(head, lead, texts, heads)


def _form_at(texts: Sequence[str], at: int) -> tuple[Form | None, int, bool]:
    text = texts[at]
    two = FORMS.get(" ".join(texts[at : at + 2]))
    if two is not None:
        return two, 2, False
    follows = texts[at + 1] if at + 1 < len(texts) else ""
    found = FORMS.get(text)
    if found is not None:
        return found, 1, follows in ("it", "them")
    for clitic in _CLITICS:
        stem = text.removesuffix(clitic)
        if stem != text:
            found = FORMS.get(stem) or FORMS.get(stem + "r")
            return found, 1, clitic not in ("-me", "-se")
    return None, 1, False


def _lead(texts: Sequence[str], since: int, at: int) -> list[str]:
    """The words of the same clause before a verb."""
    start = at
    while start > since and texts[start - 1] not in BREAKS:
        start -= 1
    return list(texts[start:at])


def _noun_at(texts: Sequence[str], at: int) -> Head | None:
    form = NOUNS.get(texts[at])
    follows = texts[at + 1] if at + 1 < len(texts) else ""
    if form is None or follows not in LINKING:
        return None
    return Head(form, "failed", at, at + 1)


def _plain(
    head: Head, lead: Sequence[str], texts: Sequence[str], *, has_failed: bool
) -> Head | None:
    if head.form.action and head.form.language == "en" and _is_noun(head, lead, texts):
        return None
    if _is_unable(lead):
        return replace(head, kind="failed")
    if any(text in MANAGED for text in lead):
        return replace(head, kind="done")
    if any(text in TRIES for text in lead):
        return replace(head, kind="failed" if has_failed else "unclear")
    return head


def _is_noun(head: Head, lead: Sequence[str], texts: Sequence[str]) -> bool:
    """English spells *the update* and *to update* the same."""
    if not lead:
        return False
    if texts[head.start].endswith("ing"):
        return lead[-1] in DETERMINERS
    return lead[-1] not in VERBAL


def _is_unable(lead: Sequence[str]) -> bool:
    if any(text in UNABLE for text in lead):
        return True
    return any(text in NOT for text in lead) and any(text in ABLE for text in lead)


def _portuguese(
    head: Head, lead: Sequence[str], texts: Sequence[str], heads: Sequence[Head]
) -> Head | None:
    if head.form.tense == "participle":
        return _participle(head, lead, texts, heads)
    is_subject = head.start > 0 and not texts[head.start - 1]
    return replace(head, kind="none") if is_subject else _active(head, texts, heads)


def _english(
    head: Head, lead: Sequence[str], texts: Sequence[str], heads: Sequence[Head]
) -> Head | None:
    passive = _participle(head, lead, texts, heads)
    if passive is not None:
        return passive
    if _before(texts, head) in STARTS:
        return _active(head, texts, heads)
    if lead and lead[-1] in DETERMINERS:
        return None
    return replace(head, is_others=any(text in OTHERS for text in lead))


def _active(head: Head, texts: Sequence[str], heads: Sequence[Head]) -> Head:
    before = _before(texts, head)
    last = heads[-1] if heads else None
    if last is not None and before in JOINTS and last.is_others:
        return replace(head, is_others=True)
    # Who has not done one of several things has done none of them.
    is_listed = before in LISTING and last is not None and last.form.tense == "past"
    if last is not None and is_listed and last.kind == "none":
        return head
    kind = _asserted(head, _lead(texts, head.since, head.start))
    return replace(head, kind=_told(head, texts, kind))


def _before(texts: Sequence[str], head: Head) -> str:
    """The word a verb follows, adverbs and *have* left out; a comma at the start."""
    at = head.start - 1
    while at >= head.since and texts[at] in ADVERBS | HAVING:
        at -= 1
    return texts[at] if at >= head.since else ","


def _participle(
    head: Head, lead: Sequence[str], texts: Sequence[str], heads: Sequence[Head]
) -> Head | None:
    """Read a verb as one that was done to what stands before it, if it can be."""
    if BEING & set(lead) or any(text in AUXILIARY for text in lead[-_REACH:]):
        return replace(head, kind=_suffered(head, lead, texts), is_passive=True)
    if texts[head.start - 2 : head.start] == ["", ":"]:
        return replace(head, kind="done", is_passive=True)
    if head.follows == ":" and len(lead) < _LABEL:
        return replace(head, kind=_asserted(head, lead))
    last = heads[-1] if heads else None
    if last is None or not last.is_passive or _before(texts, head) not in JOINTS:
        return None
    between = set(texts[last.end : head.start])
    since = last.since if between <= ADVERBS | JOINTS else head.since
    return replace(head, kind=last.kind, is_passive=True, since=since)


def _asserted(head: Head, lead: Sequence[str]) -> Kind:
    language = head.form.language
    if head.follows in NOTHING[language]:
        return "none"
    taken_back = NEGATORS[language] | HYPOTHESES[language]
    return "none" if any(text in taken_back for text in lead) else "done"


def _suffered(head: Head, lead: Sequence[str], texts: Sequence[str]) -> Kind:
    if BEING & set(lead):
        return "failed" if _is_unable(lead) else "none"
    after = texts[head.end : head.end + _REACH]
    if not BY.isdisjoint(after) and not OTHERS.isdisjoint(after):
        return "none"
    kind = _asserted(head, lead)
    # It was found so, or another did it: nobody says who.
    agent = (*after[:1], " ".join(after[:2]))
    is_earlier = not EARLIER.isdisjoint(lead) or not AGENTS.isdisjoint(agent)
    return "unclear" if is_earlier and kind == "done" else _told(head, texts, kind)


def _told(head: Head, texts: Sequence[str], kind: Kind) -> Kind:
    """What somebody says is no claim of the narrative's own."""
    is_told = not TOLD.isdisjoint(texts[head.since : head.start])
    return "unclear" if is_told and kind == "done" else kind
