"""Outcome: how a run ended, and what really changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

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
        is_foreign: somebody else did it while the ability ran.
    """

    target: Target
    before: State
    after: State
    is_foreign: bool = False

    @property
    def is_real(self) -> bool:
        """Whether anything is different; equal states claim nothing."""
        return bool(self.before is not self.after and self.before != self.after)


class Form(NamedTuple):
    """What a person is asked to fill in.

    Attributes:
        key: name of the answer on the wire.
        schema: an object schema with flat properties.
    """

    key: str
    schema: Mapping[str, Any]


class Outcome(NamedTuple):
    """How one run ended; read it by name, never by position.

    Attributes:
        status: ok, refused before anything changed, failed, unknown or
            input_required.
        ability: name of the ability that ran, also behind ``call-tool``.
        call: id of the run.
        result: the normalised JSON value; None unless the ability returned.
        wire: the result as JSON bytes, so that no surface has to write it again.
        verified: what `verify_callback` read, None when there is none.
        changes: what really changed, in the order of the targets.
        flags: ``output_invalid``, ``verify_failed``, ``capture_failed``,
            ``cancelled``, ``settled_late``.
        repaired: places in the arguments that a client garbled, each with how it was
            mended, such as ``/tags decoded``; no values, and at most 16 with a last
            line that counts the others.
        error: why it did not end well, None when it did.
        question: what a person must be asked, for input_required.
        state: what must come back with the person's answer; good for one use.
        form: what the person is to fill in, None for a plain yes or no.
        retryable: whether the same call may succeed later, and trying is safe: a write
            that has begun never is.
    """

    status: Status
    ability: str
    call: str
    result: Any = None
    wire: bytes = b"null"
    verified: Any = None
    changes: tuple[Change, ...] = ()
    flags: frozenset[str] = frozenset()
    repaired: tuple[str, ...] = ()
    error: CallError | None = None
    question: str = ""
    state: str = ""
    form: Form | None = None
    retryable: bool = False

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
