"""Folding: text compared without case and accents."""

import unicodedata


def fold(text: str) -> str:
    """Take case and accents away.

    Args:
        text: any text.

    Returns:
        The text case-folded, decomposed and without combining marks.
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
