"""Exit codes: what a script may read from how a command ended."""

from enum import IntEnum

from abilities_host.accounts.errors import AccountError, InvalidAccountName
from abilities_host.calls import Outcome
from abilities_host.errors import (
    AbilitiesError,
    CallError,
    ConfigError,
    InvalidInput,
    InvalidName,
    LookupFailed,
    MissingInputSchema,
    StartRefused,
    StoreError,
    StoreUnreadable,
    StoreUnwritable,
)
from abilities_host.requestlog.errors import RequestLogUnusable
from abilities_host.switching import SwitchRefused
from abilities_host.tokens.errors import InvalidScope, InvalidTokenName, TokenError


class Exit(IntEnum):
    """How a command ended."""

    OK = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    CONFIGURATION = 4
    INTERRUPTED = 130


class Refused(AbilitiesError):
    """Base of what a command refuses; nothing was changed."""


class Interrupted(AbilitiesError):
    """Raised when a person ends a command with Ctrl+C."""

    def __init__(self) -> None:
        super().__init__("interrupted.")


MEANINGS = (
    "Exit codes: 0 done; 1 failed, unknown, or an error found; 2 wrong usage or "
    "invalid input; 3 refused or not found; 4 configuration or store."
)

_KINDS: tuple[tuple[type[AbilitiesError], Exit], ...] = (
    (Interrupted, Exit.INTERRUPTED),
    (InvalidInput, Exit.USAGE),
    (MissingInputSchema, Exit.USAGE),
    (InvalidName, Exit.USAGE),
    (InvalidAccountName, Exit.USAGE),
    (InvalidTokenName, Exit.USAGE),
    (InvalidScope, Exit.USAGE),
    (AccountError, Exit.REFUSED),
    (TokenError, Exit.REFUSED),
    (Refused, Exit.REFUSED),
    (SwitchRefused, Exit.REFUSED),
    (LookupFailed, Exit.REFUSED),
    (StoreUnreadable, Exit.CONFIGURATION),
    (StoreUnwritable, Exit.CONFIGURATION),
    (ConfigError, Exit.CONFIGURATION),
    (StoreError, Exit.CONFIGURATION),
    (RequestLogUnusable, Exit.CONFIGURATION),
    (StartRefused, Exit.CONFIGURATION),
)


def exit_of(error: AbilitiesError) -> Exit:
    """Give the exit code of an error.

    Args:
        error: any error of the host.

    Returns:
        The code of its kind; a refused call is `Exit.REFUSED`, all else failed.
    """
    for kind, code in _KINDS:
        if isinstance(error, kind):
            return code
    is_refused = isinstance(error, CallError) and error.fault == "refused"
    return Exit.REFUSED if is_refused else Exit.FAILED


def exit_of_outcome(outcome: Outcome) -> Exit:
    """Give the exit code of a run.

    Args:
        outcome: how it ended.

    Returns:
        `Exit.OK` only for a good end; an open question counts as refused.
    """
    if outcome.error is not None:
        return exit_of(outcome.error)
    return Exit.OK if outcome.is_ok else Exit.REFUSED
