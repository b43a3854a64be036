"""Told: what a person reads after being sent on, carried by a cookie that is signed."""

import base64
import binascii
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Tone = Literal["done", "problem"]

_FORM: Final = b"abilities-host told 1"
_LONGEST: Final = 600
_PLAIN: Final = "plain"


@dataclass(frozen=True, slots=True)
class Told:
    """One message.

    Attributes:
        tone: whether something was done, or was not.
        text: key of the text.
        values: for that text.
    """

    tone: Tone
    text: str
    values: Mapping[str, str | int]


def plainly(sentence: str) -> Told:
    """Tell a sentence of a service about what was not done.

    Args:
        sentence: what is over 600 characters is cut off.
    """
    cut = sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]}…"
    return Told("problem", _PLAIN, {"sentence": cut})


def signed(told: Told, id_: str) -> str:
    """Write a message for a cookie.

    Args:
        told: the message.
        id_: of the session, as the browser has it.

    Returns:
        Letters, digits and a dot.
    """
    values = {name: _cut(value) for name, value in told.values.items()}
    raw = json.dumps([told.tone, told.text, values], ensure_ascii=False).encode(
        errors="replace"
    )
    return f"{base64.urlsafe_b64encode(raw).decode()}.{_mac(raw, id_)}"


def read_told(cookie: str, id_: str) -> Told | None:
    """Read a message that this host wrote for this session.

    Args:
        cookie: anything.
        id_: of the session, as the browser has it.

    Returns:
        None when there is none.
    """
    written, _, mac = cookie.partition(".")
    try:
        raw = base64.urlsafe_b64decode(written.encode())
    except (ValueError, binascii.Error):
        return None
    if not hmac.compare_digest(mac.encode(), _mac(raw, id_).encode()):
        return None
    parts: Any = json.loads(raw)
    return Told(*parts)


def _cut(value: str | int) -> str | int:
    return value[:_LONGEST] if isinstance(value, str) else value


def _mac(raw: bytes, id_: str) -> str:
    return hmac.digest(id_.encode(), _FORM + raw, "sha256").hex()
