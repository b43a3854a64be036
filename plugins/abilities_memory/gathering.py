"""Gathering: what CARL knows becomes a document, and what cannot becomes a sentence."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from abilities_host.memory import Proposal, Status, Topic
from abilities_memory.cleaning import cleaned
from abilities_memory.document import (
    ENTRIES,
    Document,
    DocumentBroken,
    Entry,
    listed,
    named,
)
from abilities_memory.refusals import UnsuitableWording
from abilities_memory.topics import cleaned_topic
from abilities_memory.wording import RECALL_WORDS, clean_words

KINDLESS: Final = (
    "Rules came as instructions, since CARL does not tell guardrails and conventions "
    "apart; edit those that are."
)


class Gathering:
    """Collects rules, decisions and domains of CARL."""

    def __init__(self) -> None:
        self._entries: Final[dict[str, Entry]] = {}
        self._topics: Final[dict[str, Topic]] = {}
        self._left: Final[list[str]] = []
        self._again: Final[Counter[str]] = Counter()
        self._unsuitable: Final[dict[tuple[str, str], list[str]]] = {}

    def leave(self, sentence: str) -> None:
        """Note something that cannot be carried."""
        self._left.append(sentence)

    def domain(
        self,
        name: str,
        *,
        is_active: bool,
        always_on: bool,
        recall: Iterable[str],
        exclude: Iterable[str],
    ) -> None:
        """Take how a domain is set.

        Args:
            name: in CARL's spelling.
            is_active: whether CARL uses it.
            always_on: whether it comes up without any word.
            recall: words and phrases that bring it up.
            exclude: words and phrases that keep it out.
        """
        topic = Topic(
            name=name,
            state="active" if is_active else "inactive",
            always_on=always_on,
            recall=self._words(name, "recall", recall),
            exclude=self._words(name, "exclude", exclude),
        )
        try:
            kept = cleaned_topic(topic)
        except UnsuitableWording as error:
            self._refuse("its settings", name, error)
            return
        if self._topics.setdefault(kept.name, kept) is not kept:
            self.leave(f"{named(name)} is set twice; the first counts.")

    def rule(
        self,
        domain: str,
        label: str,
        text: str,
        rationale: str = "",
        *,
        status: Status = "pending",
    ) -> None:
        """Take a rule, or a proposal of one; CARL ignores one without text.

        Args:
            domain: in CARL's spelling.
            label: what it is called among those of its domain.
            text: what it says.
            rationale: why, if CARL knows.
            status: what it was.
        """
        rule = Proposal(
            type="instruction", topic=domain, text=text, rationale=rationale
        )
        self._add(domain, label, rule, status)

    def decision(
        self,
        domain: str,
        label: str,
        text: str,
        rationale: str,
        recall: Iterable[str],
        *,
        status: Status,
    ) -> None:
        """Take a decision; see `rule`."""
        decision = Proposal(
            type="fact",
            topic=domain,
            text=text,
            rationale=rationale,
            recall=self._words(domain, f"{label}: recall", recall),
        )
        self._add(domain, label, decision, status)

    def document(self) -> Document:
        """Give everything that was taken."""
        has_rules = any(each.proposal.type != "fact" for each in self._entries.values())
        left = (*self._left, *self._refusals(), *((KINDLESS,) if has_rules else ()))
        return Document(
            entries=tuple(self._entries.values()),
            topics=tuple(self._topics.values()),
            left_out=left,
        )

    def _add(self, domain: str, label: str, says: Proposal, status: Status) -> None:
        if not says.text.strip():
            return
        origin = f"{named(label).capitalize()} of the CARL domain {named(domain)}."
        rationale = says.rationale if says.rationale.strip() else origin
        try:
            kept = cleaned(replace(says, rationale=rationale))
        except UnsuitableWording as error:
            self._refuse(label, domain, error)
            return
        id_ = self._free(f"{named(domain)} {named(label)}")
        self._entries[id_] = Entry(id=id_, proposal=kept, status=status)
        if len(self._entries) > ENTRIES:
            raise DocumentBroken("", f"there are more than {ENTRIES} entries")

    def _free(self, id_: str) -> str:
        """Give an id that no entry has: what CARL calls the same is not the same."""
        free = id_
        while free in self._entries:
            self._again[id_] += 1
            free = f"{id_} ({self._again[id_] + 1})"
        return free

    def _words(self, domain: str, kind: str, words: Iterable[str]) -> tuple[str, ...]:
        kept: list[str] = []
        stars: list[str] = []
        others: list[str] = []
        for word in filter(None, map(str.strip, words)):
            is_star = word.startswith("*")
            is_kept = not is_star and len(kept) < RECALL_WORDS and _is_suitable(word)
            (kept if is_kept else stars if is_star else others).append(word)
        where = f"{named(domain)}, {named(kind)}"
        if stars:
            self.leave(f"{where}: star-commands have no counterpart: {listed(stars)}.")
        if others:
            self.leave(
                f"{where}: at most {RECALL_WORDS} words, each plain and of at most 40 "
                f"characters, are kept; not these: {listed(others)}."
            )
        return tuple(kept)

    def _refuse(self, label: str, domain: str, error: UnsuitableWording) -> None:
        reason = error.message.partition(". ")[0]
        self._unsuitable.setdefault((domain, reason), []).append(label)

    def _refusals(self) -> Iterator[str]:
        for (domain, reason), labels in self._unsuitable.items():
            yield f"{named(domain)}: {listed(labels)} stay behind. {reason}."


def _is_suitable(word: str) -> bool:
    try:
        clean_words((word,))
    except UnsuitableWording:
        return False
    return True
