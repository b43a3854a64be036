"""Mentions: the words of a sentence, with the known targets that it names."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from abilities_host import Target, fold

LONGEST: Final = 24  # words of a name that is looked for; longer ones never match

_LONG: Final = 4  # letters of a word that says something
_MARKS: Final = r"\"“”«»\u2018`*()\[\]{},;!?"
_PIECE: Final = re.compile(rf"[{_MARKS}]|[^\s{_MARKS}]+")
_TAIL: Final = ".:'…"
_QUOTES: Final = frozenset("\"“”«»\u2018'`*")
_MARKED: Final = re.compile(r"[./_\\:@#]|[a-z][-]?\d|\d[-]?[a-z]")


class Word(NamedTuple):
    """One word, mark or name of a sentence.

    Attributes:
        text: folded; empty for a name.
        is_name: known targets are spelt so.
        target: the one that is; None for no name, and where several are.
    """

    text: str
    is_name: bool = False
    target: Target | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """Spellings of known targets.

    Attributes:
        targets: the words of a spelling to the target, None where several share it.
        lengths: how many words spellings have, longest first.
    """

    targets: dict[tuple[str, ...], Target | None]
    lengths: tuple[int, ...]


def index_names(known: Collection[Target]) -> Names:
    """Collect how the known targets may be spelt.

    Args:
        known: the targets; a name of more than `LONGEST` words is left out.

    Returns:
        The spellings: with and without the domain, and the last segment of a path; a
        whole spelling wins over the last segment of another.
    """
    whole: dict[tuple[str, ...], Target | None] = {}
    last: dict[tuple[str, ...], Target | None] = {}
    for target in known:
        _add(whole, target.name, target)
        _add(whole, str(target), target)
        segment = target.name.rpartition("/")[2]
        if any(letter.isalpha() for letter in segment):
            _add(last, segment, target)
    spellings = last | whole
    lengths = {len(words) for words in spellings}
    return Names(spellings, tuple(sorted(lengths, reverse=True)))


def _add(
    found: dict[tuple[str, ...], Target | None], name: str, target: Target
) -> None:
    words = tuple(split_words(name))
    if 0 < len(words) <= LONGEST:
        found[words] = target if found.get(words, target) == target else None


def split_words(text: str) -> list[str]:
    """Split text into folded words and marks.

    Args:
        text: any text.

    Returns:
        Words without the marks after them; each mark follows as one of its own.
    """
    found: list[str] = []
    for piece in _PIECE.findall(fold(text.replace("\u2019", "'"))):
        found.extend(_split_piece(piece))
    return found


def _split_piece(piece: str) -> Iterator[str]:
    if piece.startswith("'") and len(piece) > 1:
        yield "'"
        piece = piece[1:]
    word = piece.rstrip(_TAIL)
    tail = piece[len(word) :]
    word = word.removeprefix("./") or word
    for suffix in ("'s", "'ve"):
        if word.endswith(suffix) and word != suffix:
            yield word.removesuffix(suffix)
            word = suffix
    if word:
        yield word
    if tail:
        yield tail[0]


def read_words(sentence: str, names: Names) -> list[Word]:
    """Read a sentence as words and names; the longest spelling wins.

    Args:
        sentence: any text.
        names: from `index_names`.

    Returns:
        Words, marks and names; quotes are gone.
    """
    texts = split_words(sentence)
    found: list[Word] = []
    at = 0
    while at < len(texts):
        length = _name_at(texts, at, names)
        if length:
            target = names.targets[tuple(texts[at : at + length])]
            found.append(Word("", is_name=True, target=target))
        elif texts[at] not in _QUOTES:
            found.append(Word(texts[at]))
        at += length or 1
    return found


def _name_at(texts: Sequence[str], at: int, names: Names) -> int:
    for length in names.lengths:
        spelling = tuple(texts[at : at + length])
        if len(spelling) == length and spelling in names.targets:
            is_quoted = (
                at > 0
                and texts[at - 1] in _QUOTES
                and texts[at + length : at + length + 1] != []
                and texts[at + length] in _QUOTES
            )
            if is_quoted or _stands_alone(spelling):
                return length
    return 0


def _stands_alone(spelling: Sequence[str]) -> bool:
    """A plain word may mean anything; a path, a key or a title of words does not."""
    if any(_MARKED.search(word) for word in spelling):
        return True
    return sum(len(word) >= _LONG for word in spelling) > 1
