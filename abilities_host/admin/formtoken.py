"""Form tokens: each form of each session has its own, and nobody else can make it."""

import hmac
from typing import Final

_FORM: Final = b"abilities-host form 1"


def form_token(id_: str, path: str, seen: str = "") -> str:
    """Make the token of a form.

    The id of the session is the key, so nothing is kept and no other session, form,
    action, or thing that was shown has the same.

    Args:
        id_: of the session, as the browser has it; never its hash.
        path: where the form is sent.
        seen: what the form showed.

    Returns:
        64 hexadecimal digits.
    """
    message = b"\0".join((_FORM, path.encode(), seen.encode()))
    return hmac.digest(id_.encode(), message, "sha256").hex()


def is_form_token(shown: str, id_: str, path: str, seen: str = "") -> bool:
    """Compare a token in a time that says nothing about where the two differ.

    Args:
        shown: what was sent; anything.
        id_: see `form_token`.
        path: likewise.
        seen: likewise.
    """
    right = form_token(id_, path, seen)
    return hmac.compare_digest(shown.encode(), right.encode())
