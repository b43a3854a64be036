"""Finding: one thing that ``doctor`` has seen."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["ok", "info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        severity: ok, info, warning, or error for what stops something.
        about: a stable word for programs, such as ``store``.
        message: a sentence.
        fix: the command or the line that mends it, empty when there is nothing to do.
    """

    severity: Severity
    about: str
    message: str
    fix: str = ""
