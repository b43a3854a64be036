"""Texts: the words of the pages in the language a browser asks for."""

from collections.abc import Collection, Mapping
from typing import Final

from abilities_host.admin.english import ENGLISH
from abilities_host.frozen import FrozenDict

CATALOGUES: Final[Mapping[str, Mapping[str, str]]] = FrozenDict({"en": ENGLISH})
"""Language to its texts; what one lacks is said in English."""

ENGLISH_TAG: Final = "en"
_LANGUAGES: Final = 20


class Texts:
    """The words in one language.

    Args:
        language: a key of `CATALOGUES`.

    Attributes:
        language: as browsers write it.
    """

    def __init__(self, language: str = "en") -> None:
        self.language: Final = language
        self._own: Final = CATALOGUES[language]

    def text(self, key: str, **values: object) -> str:
        """Give a text.

        Args:
            key: of the text.
            **values: for its braces.

        Returns:
            Plain text, not yet safe for HTML.

        Raises:
            KeyError: when there is no such text, or a value is missing.
        """
        found = self._own[key] if key in self._own else ENGLISH[key]
        return found.format(**values) if values else found

    def many(self, key: str, count: int, **values: object) -> str:
        """Give a text about a number of things.

        Args:
            key: of the texts ``key.one`` and ``key.many``.
            count: how many there are.
            **values: for the braces, besides ``count``.
        """
        form = "one" if count == 1 else "many"
        return self.text(f"{key}.{form}", count=f"{count:,}", **values)

    def has(self, key: str) -> bool:
        """Answer whether there is a text, such as for a kind that a pack added."""
        return key in ENGLISH


def texts_for(accepted: str) -> Texts:
    """Choose the language that a browser likes best.

    Args:
        accepted: its header ``Accept-Language``; anything.

    Returns:
        English when there is none of the others.
    """
    return Texts(preferred(accepted, CATALOGUES))


def preferred(accepted: str, known: Collection[str]) -> str:
    """Choose the language that a browser likes best, of some.

    Args:
        accepted: its header ``Accept-Language``; anything.
        known: two or three letters each.

    Returns:
        English when there is none of the others.
    """
    wishes = []
    for place, part in enumerate(accepted.split(",")[:_LANGUAGES]):
        tag, _, weight = part.strip().partition(";q=")
        wishes.append((-_weight(weight), place, tag.strip().lower().partition("-")[0]))
    for _, _, language in sorted(wishes):
        if language in known:
            return language
    return ENGLISH_TAG


def _weight(written: str) -> float:
    try:
        return float(written) if written else 1.0
    except ValueError:
        return 0.0
