"""Refused: why a secret did not open anything, in the words of the pages."""

from abilities_host.accounts import (
    AccountDisabled,
    AccountError,
    InvalidAccountName,
    TooSoon,
    WrongSecret,
)
from abilities_host.admin.texts import Texts

_MINUTE = 60


def refused(error: AccountError, texts: Texts) -> str:
    """Say why a secret was refused.

    Args:
        error: from the accounts.
        texts: the words.

    Returns:
        The same for an unknown name and for a wrong secret.
    """
    if isinstance(error, AccountDisabled):
        return texts.text("login.off")
    if isinstance(error, TooSoon):
        return _wait(error.seconds, texts)
    if isinstance(error, WrongSecret):
        wait = f" {_wait(error.seconds, texts)}" if error.seconds else ""
        return f"{texts.text('login.wrong')}{wait}"
    if isinstance(error, InvalidAccountName):
        return texts.text("login.wrong")
    return error.sentence


def _wait(seconds: int, texts: Texts) -> str:
    return texts.many("login.too_soon", -(-seconds // _MINUTE))
