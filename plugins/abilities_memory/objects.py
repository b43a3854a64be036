"""Objects: which of the names around a verb it is about."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from abilities_host import Target
from abilities_memory.claim_words import (
    BEGINNERS,
    DERIVED,
    EDITS,
    ELSEWHERE,
    IN,
    JOINS,
    LINKS,
    NAMES,
    OF,
    STOPS,
    TO,
)
from abilities_memory.mentions import Word
from abilities_memory.verb_forms import Action, Language, Manner

Role = Literal["", "in", "to", "of", "from", "other"]

_LANGUAGES: Final[tuple[Language, ...]] = ("en", "pt")

_ROLES: Final[Mapping[Language, Mapping[str, Role]]] = {
    language: {
        **dict.fromkeys(IN[language], "in"),
        **dict.fromkeys(TO[language], "to"),
        **dict.fromkeys(OF[language], "of"),
        **dict.fromkeys(ELSEWHERE[language], "other"),
        "from": "from",
    }
    for language in _LANGUAGES
}


class Part(NamedTuple):
    """What is said of names around a verb.

    Attributes:
        role: how they stand to it.
        targets: the names; None where one could be several.
    """

    role: Role
    target: Target | None


class Region(NamedTuple):
    """The words that go with a verb.

    Attributes:
        parts: the names among them.
        nouns: the other words before the first name.
    """

    parts: list[Part]
    nouns: frozenset[str]


def read_after(words: Sequence[Word], language: Language) -> Region:
    """Tell the names after a verb and how they stand to it.

    Args:
        words: after the verb, up to the next one.
        language: of the verb.

    Returns:
        The names until something else begins.
    """
    region = _Reading(language)
    for at, word in enumerate(words):
        is_new = word.text == ":" or _begins_anew(words, at)
        if word.text in STOPS or (is_new and region.parts):
            break
        region.read(words, at)
    return region.end()


def read_before(words: Sequence[Word], language: Language) -> Region:
    """Tell the names before a verb and how they stand to it.

    Args:
        words: before the verb, from the last one on.
        language: of the verb.

    Returns:
        The names of the verb's own clause.
    """
    region = _Reading(language)
    has_verb = False
    for at, word in enumerate(words):
        if word.text in STOPS or (word.is_name and has_verb):
            region = _Reading(language)
        region.read(words, at)
        has_verb = _begins_anew(words, at) or (has_verb and not word.is_name)
        region.role = "" if word.text == "," else region.role
    return region.end()


class _Reading:
    """What has been read of a region."""

    def __init__(self, language: Language) -> None:
        self.role: Role = ""
        self.parts: list[Part] = []
        self._nouns: set[str] = set()
        self._language: Final[Language] = language

    def read(self, words: Sequence[Word], at: int) -> None:
        word = words[at]
        if word.is_name:
            self.parts.append(Part(self.role, word.target))
            return
        self.role = self._role(words, at)
        if not self.parts and not self.role:
            self._nouns.add(word.text)

    def end(self) -> Region:
        return Region(self.parts, frozenset(self._nouns))

    def _role(self, words: Sequence[Word], at: int) -> Role:
        text = words[at].text
        if at and words[at - 1].text == "partir":
            return self.role
        if self._language == "pt" and text in ("a", "as"):
            return "to" if _is_preposition(words, at) else self.role
        return _ROLES[self._language].get(text, self.role)


def _begins_anew(words: Sequence[Word], at: int) -> bool:
    """Whether a name is followed by a verb of its own."""
    follows = words[at + 1].text if at + 1 < len(words) else ""
    return words[at].is_name and follows in BEGINNERS


def _is_preposition(words: Sequence[Word], at: int) -> bool:
    """The Portuguese *a* is an article but after a common noun."""
    before = words[at - 1] if at else None
    if before is None or before.is_name or before.text in JOINS:
        return False
    return before.text not in _ROLES["pt"] and at + 1 < len(words)


class Object(NamedTuple):
    """One thing a verb is about.

    Attributes:
        action: what was done to it.
        target: which one, None where the name could be several or is unknown.
    """

    action: Action
    target: Target | None


def choose_objects(action: Action, manner: Manner, region: Region) -> list[Object]:
    """Choose what a verb is about among the names that go with it.

    A part of a thing stands for the thing: who fixed a typo in a file updated the
    file, and who removed a line of it did so too.

    Args:
        action: of the verb.
        manner: of the verb.
        region: the words that go with it.

    Returns:
        The things, none where no name is said to be one.
    """
    direct = _of(region, "", *(("of", "to") if manner == "deed" else ()))
    if action == "moved":
        return _moved(region, direct)
    if manner == "copy":
        return [Object("created", target) for target in _of(region, "to", "in")]
    if manner == "make":
        return _made(region)
    if direct:
        is_into = manner == "add" and bool(_of(region, "to", "in"))
        is_out = (
            manner == ""
            and action == "deleted"
            and bool(_of(region, "from", "of", "in"))
        )
        return [] if is_into or is_out else [Object(action, each) for each in direct]
    return list(_through_a_part(action, manner, region))


def _of(region: Region, *roles: Role) -> list[Target | None]:
    return [part.target for part in region.parts if part.role in roles]


def _moved(region: Region, direct: Sequence[Target | None]) -> list[Object]:
    if not direct:
        return []
    return [Object("moved", each) for each in (*direct, *_of(region, "to", "in"))]


def _made(region: Region) -> list[Object]:
    if not region.nouns & EDITS:
        return []
    return [Object("updated", each) for each in _of(region, "to", "in", "of")]


def _through_a_part(action: Action, manner: Manner, region: Region) -> Iterator[Object]:
    changed: Action = "undone" if action == "undone" else "updated"
    if region.nouns & DERIVED and not _of(region, "in"):
        return
    if region.nouns & NAMES and _of(region, "of"):
        changed = "moved" if action == "updated" else changed
    for role in _places(action, manner, region):
        found = _of(region, role)
        if found:
            yield from (Object(changed, each) for each in found)
            return


def _places(action: Action, manner: Manner, region: Region) -> tuple[Role, ...]:
    if action == "undone":
        return ("in", "to", "of")
    if action == "deleted":
        return ("in", "from", "of")
    if region.nouns & LINKS:
        return ("in",)
    if manner in ("add", "write"):
        return ("in", "to")
    return ("in",) if action == "created" else ("in", "of")
