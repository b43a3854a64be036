"""Outcome: how a run ended, and what really changed."""

from dataclasses import dataclass
from typing import Any, Literal

from abilities_host.domain import State, Target
from abilities_host.errors import CallError

Status = Literal["ok", "refused", "failed", "unknown", "input_required"]


@dataclass(frozen=True, slots=True)
class Change:
    """What really changed: two facts about one target.

    Attributes:
        target: the thing.
        before: its state when the lock was taken, or MISSING.
        after: its state when the ability had ended, or MISSING.
    """

    target: Target
    before: State
    after: State

    @property
    def is_real(self) -> bool:
        """Whether anything is different; equal states claim nothing."""
        return bool(self.before is not self.after and self.before != self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one run ended.

    Attributes:
        status: ok, refused before anything changed, failed, unknown or
            input_required.
        ability: name of the ability that ran, also behind ``call-tool``.
        call: id of the run.
        result: the normalised JSON value; None unless the ability returned.
        verified: what `verify_callback` read, None when there is none.
        error: why it did not end well, None when it did.
        changes: what really changed, in the order of the targets.
        question: what a person must be asked, for input_required.
        state: what must come back with the person's answer; good for one use.
        wire: the result as JSON bytes, so that no surface has to write it again.
        flags: ``output_invalid``, ``verify_failed``, ``capture_failed``,
            ``cancelled``, ``settled_late``.
    """

    status: Status
    ability: str
    call: str
    result: Any = None
    verified: Any = None
    error: CallError | None = None
    changes: tuple[Change, ...] = ()
    question: str = ""
    state: str = ""
    wire: bytes = b"null"
    flags: frozenset[str] = frozenset()

    @property
    def is_ok(self) -> bool:
        """Whether the ability ran to a good end."""
        return self.status == "ok"

    @property
    def code(self) -> str:
        """The error's code, empty when there is none."""
        return self.error.code if self.error else ""

    def unwrap(self) -> Any:
        """Give the result, or raise the reason there is none.

        Returns:
            The normalised result.

        Raises:
            CallError: the outcome's error.
        """
        if self.error is not None:
            raise self.error
        return self.result
