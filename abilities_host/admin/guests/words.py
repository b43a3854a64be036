"""Words: what a page of a pack says, in a language that the browser asks for."""

from collections.abc import Mapping
from typing import Final

from abilities_host.admin.texts import ENGLISH_TAG, preferred


class Words:
    """The words of one page in one language.

    Args:
        words: language to texts by what they are in English.
        accepted: the browser's header ``Accept-Language``; anything.

    Attributes:
        language: one of the page's, or English.
    """

    def __init__(self, words: Mapping[str, Mapping[str, str]], accepted: str) -> None:
        self.language: Final = preferred(accepted, {ENGLISH_TAG, *words})
        self._own: Final = words.get(self.language, {})

    def text(self, text: str, /, **values: object) -> str:
        """Say something.

        Args:
            text: in English.
            **values: for its braces.

        Returns:
            Plain text, not yet safe for HTML.
        """
        found = self._own.get(text, text)
        if not values:
            return found
        # Numbers as they are, for formats such as {count:,}; of the rest only the text.
        plain = {
            k: v if isinstance(v, int | float) else str(v) for k, v in values.items()
        }
        return found.format(**plain)
