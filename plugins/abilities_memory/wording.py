"""Wording: how long a text may be, and what each kind of character does to it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from abilities_host import fold
from abilities_memory.refusals import UnsuitableWording
from abilities_memory.scripts import foreign_letters

Field = Literal["text", "rationale", "recall", "topic", "narrative"]
Kind = Literal[
    "newline",
    "control",
    "bidirectional",
    "joiner",
    "invisible",
    "surrogate",
    "private use",
    "unassigned",
    "combining",
    "mixed script",
]
Decision = Literal["allowed", "escaped", "refused"]
Row = Mapping[Field, Decision]

LIMITS: Final[Mapping[Field, int]] = MappingProxyType(
    {"text": 600, "rationale": 400, "recall": 40, "topic": 40, "narrative": 4000}
)
"""Characters, composed."""

RECALL_WORDS: Final = 12
MARKS: Final = 4
"""How many combining marks may follow one letter."""


def _row(prose: Decision, words: Decision, narrative: Decision) -> Row:
    return MappingProxyType(
        {
            "text": prose,
            "rationale": prose,
            "recall": words,
            "topic": words,
            "narrative": narrative,
        }
    )


DECISIONS: Final[Mapping[Kind, Row]] = MappingProxyType(
    {
        "newline": _row("allowed", "refused", "allowed"),
        "control": _row("refused", "refused", "escaped"),
        "bidirectional": _row("refused", "refused", "escaped"),
        # Persian, Indic scripts and many emoji are not written without.
        "joiner": _row("escaped", "refused", "escaped"),
        "invisible": _row("refused", "refused", "escaped"),
        # Nothing can store or send one.
        "surrogate": _row("refused", "refused", "refused"),
        "private use": _row("refused", "refused", "escaped"),
        "unassigned": _row("refused", "refused", "escaped"),
        "combining": _row("refused", "refused", "escaped"),
        "mixed script": _row("refused", "refused", "escaped"),
    }
)
"""What is done: ``escaped`` is kept as it is, and shown as ``\\u200d`` everywhere."""

_SENTENCES: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "newline": "it has a line break",
        "control": "it has a control character",
        "bidirectional": "it has a character that turns the direction of writing",
        "joiner": "it has a zero-width joiner or non-joiner",
        "invisible": "it has a character that nobody sees",
        "surrogate": "it has half of a character",
        "private use": "it has a character of private use",
        "unassigned": "it has a character that Unicode does not define",
        "combining": f"it has more than {MARKS} marks on one letter",
        "mixed script": "it has a word with letters of several scripts",
    }
)

_BIDIRECTIONAL: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_JOINERS: Final = frozenset("\u200c\u200d")
# Letters and marks by category, and yet nothing to see; the last is of emoji.
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_SELECTORS: Final = re.compile("[\u180b-\u180f\ufe00-\ufe0d\U000e0100-\U000e01ef]")
_BY_CATEGORY: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "Cc": "control",
        "Zl": "control",
        "Zp": "control",
        "Cf": "invisible",
        "Cs": "surrogate",
        "Co": "private use",
        "Cn": "unassigned",
    }
)


class Found(NamedTuple):
    """A character that is not plain.

    Attributes:
        kind: what it is.
        position: in the text, from 0.
    """

    kind: Kind
    position: int


def clean(field: Field, written: str) -> str:
    """Give a text as it is kept.

    Args:
        field: what it is to be.
        written: by an actor or a human.

    Returns:
        The text, composed (NFC), without space around it.

    Raises:
        UnsuitableWording: when it is empty, too long, or has what its field refuses.
    """
    limit = LIMITS[field]
    # Composing can make a text shorter, but not to a quarter of what has any sense.
    text = unicodedata.normalize("NFC", written[: limit * 4 + 1].strip())
    if not text:
        raise UnsuitableWording(field, "it is empty")
    if len(text) > limit or len(written) > limit * 4:
        raise UnsuitableWording(field, f"it is longer than {limit} characters")
    for kind, position in findings(text):
        if DECISIONS[kind][field] == "refused":
            raise UnsuitableWording(field, _SENTENCES[kind], position)
    return text


def clean_words(words: Iterable[str]) -> tuple[str, ...]:
    """Give recall or exclude words as they are kept.

    Args:
        words: at most 12, each at most 40 characters.

    Returns:
        The words, each once whatever its case and accents, in their order.

    Raises:
        UnsuitableWording: when there are too many, or one cannot be taken.
    """
    kept: dict[str, str] = {}
    for count, word in enumerate(words, 1):
        if count > RECALL_WORDS:
            raise UnsuitableWording("recall", f"it has more than {RECALL_WORDS} words")
        cleaned = clean("recall", word)
        if not (folded := fold(cleaned)):
            raise UnsuitableWording("recall", "it has a word without a letter")
        kept.setdefault(folded, cleaned)
    return tuple(kept.values())


def clean_topic(name: str) -> str:
    """Give the one spelling of a topic.

    Args:
        name: in any case, at most 40 characters.

    Returns:
        The name, case-folded and composed.

    Raises:
        UnsuitableWording: when it cannot be taken.
    """
    cleaned = clean("topic", name)
    return clean("topic", unicodedata.normalize("NFC", cleaned.casefold()))


def shown(text: str) -> str:
    r"""Give a kept text as it is shown, to humans and agents alike.

    Args:
        text: any string.

    Returns:
        The text; what is not plain is written as ``\u200d``, but for line breaks.
    """
    if text.replace("\n", "").isprintable() and text.isascii():
        return text  # nearly every text, and lists show hundreds of them
    special = {each.position for each in findings(text) if each.kind != "newline"}
    if not special:
        return text
    return "".join(
        _escaped(letter) if position in special else letter
        for position, letter in enumerate(text)
    )


def findings(text: str) -> Iterator[Found]:
    """Find every character that is not plain.

    Args:
        text: any string.

    Yields:
        Each with its kind; words of several scripts come last.
    """
    marks = 0
    for position, letter in enumerate(text):
        if kind := _kind(letter):
            yield Found(kind, position)
        marks = marks + 1 if unicodedata.category(letter) in {"Mn", "Me"} else 0
        if marks > MARKS and not kind:
            yield Found("combining", position)
    for position in foreign_letters(text):
        yield Found("mixed script", position)


def _kind(letter: str) -> Kind | None:
    if letter.isascii() and letter.isprintable():
        return None
    if letter == "\n":
        return "newline"
    if letter in _BIDIRECTIONAL:
        return "bidirectional"
    if letter in _JOINERS:
        return "joiner"
    if letter in _FILLERS or _SELECTORS.match(letter):
        return "invisible"
    return _BY_CATEGORY.get(unicodedata.category(letter))


def _escaped(letter: str) -> str:
    number = ord(letter)
    return f"\\U{number:08x}" if number > 0xFFFF else f"\\u{number:04x}"  # noqa: PLR2004 - the last of four digits
