"""Folding: text compared without case and accents."""

import unicodedata


def fold(text: str) -> str:
    """Take case and accents away.

    Args:
        text: any text.

    Returns:
        The text case-folded, decomposed and without combining marks; folding it
        again changes nothing.
    """
    # Decomposing can bring capitals back: the square MHz sign becomes three letters.
    plain = unicodedata.normalize("NFKD", text.casefold()).casefold()
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
