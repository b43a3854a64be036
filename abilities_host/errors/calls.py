"""Why a run was refused or failed."""

from collections.abc import Sequence
from typing import Any, Literal

from abilities_host.errors.base import AbilitiesError

Fault = Literal["refused", "failed", "unknown"]


class CallError(AbilitiesError):
    """Base of the reasons a run is refused or fails; the envelope makes an Outcome.

    Attributes:
        code: a stable word for programs; WordPress's spelling where it has one.
        fault: whether the run was refused before it changed anything, failed, or
            nobody knows yet.
        message: the sentence the caller may read; never holds argument values.
        details: more for programs, JSON values only.
        explanation: more lines for whoever reads, such as a difference; often empty.
        retryable: whether the same call may succeed later, as long as it is a read or
            has not begun.
        argument: JSON pointer of the argument that is wrong, of several the first;
            None when none is.
        expected: what was expected there, in the schema's words.
    """

    code = "call_failed"
    fault: Fault = "refused"
    explanation: str = ""
    retryable: bool = False
    argument: str | None = None
    expected: str = ""

    def __init__(self, message: str, **details: Any) -> None:
        self.message = message
        self.details = details
        super().__init__(message)


class AbilityNotFound(CallError):
    """Off, unknown and not visible to this actor: the caller reads the same."""

    code = "ability_not_found"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no ability {name!r} here.", ability=name)


class InvalidInput(CallError):
    """The arguments do not fit the author's schema.

    Attributes:
        problems: one sentence for each place, with path, expected and received type.
    """

    code = "ability_invalid_input"

    def __init__(self, name: str, problems: Sequence[dict[str, str]]) -> None:
        self.problems = list(problems)
        for first in self.problems[:1]:
            self.argument, self.expected = first["path"], first.get("expected", "")
        places = "; ".join(f"{p['path'] or '/'}: {p['message']}" for p in problems)
        super().__init__(
            f"Ability {name!r} has invalid input: {places}", problems=self.problems
        )


class MissingInputSchema(CallError):
    """Arguments came for an ability that takes none."""

    code = "ability_missing_input_schema"
    argument = ""
    expected = "no arguments"

    def __init__(self, name: str) -> None:
        super().__init__(f"Ability {name!r} takes no arguments; send none.")


class PermissionDenied(CallError):
    """The actor lacks the scope, or the ability's own permission said no."""

    code = "ability_invalid_permissions"

    def __init__(self, name: str, public: str = "", **details: Any) -> None:
        reason = public or "You may not run this ability."
        super().__init__(f"Ability {name!r} was denied: {reason}", **details)


class WriteVetoed(CallError):
    """A policy plugin stopped the write."""

    code = "write_vetoed"

    def __init__(self, name: str, plugin: str, reason: str, **details: Any) -> None:
        self.plugin = plugin
        self.reason = reason
        super().__init__(
            f"The write {name!r} was stopped by {plugin!r}: {reason}",
            plugin=plugin,
            reason=reason,
            **details,
        )


class PolicyMissing(CallError):
    """A required policy plugin is missing, or nobody enforces an approved rule."""

    code = "policy_missing"

    def __init__(self, name: str, plugin: str, *, rule: str = "") -> None:
        self.plugin = plugin
        missing = (
            f"no healthy plugin enforces the rule {rule!r}"
            if rule
            else f"required plugin {plugin!r} is not healthy"
        )
        super().__init__(
            f"The write {name!r} was refused: {missing}. Reads go on; "
            "'abilities doctor' shows the reason.",
            plugin=plugin,
            **({"rule": rule} if rule else {}),
        )


class WriteInReadonly(CallError):
    """An ability marked read-only tried to change something."""

    code = "write_in_readonly"

    def __init__(self, name: str, attempt: str) -> None:
        super().__init__(
            f"Ability {name!r} is marked read-only, so {attempt} was refused."
        )


class NeedsAnswer(CallError):
    """A person must be asked and this call cannot wait for one."""

    code = "needs_answer"

    def __init__(self, name: str, question: str) -> None:
        super().__init__(f"The write {name!r} needs a person's answer: {question}")


class TargetInvalid(CallError):
    """A target is not one of its domain, or there are too many of them."""

    code = "target_invalid"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"Ability {name!r} named a target that cannot be: {reason}")


class TargetBusy(CallError):
    """Another call holds the target for longer than this one may wait."""

    code = "target_busy"
    retryable = True

    def __init__(self, target: str, seconds: float) -> None:
        super().__init__(
            f"{target} is being changed by another call; waited {seconds:g} s. "
            "Try again.",
            target=target,
        )


class HostBusy(CallError):
    """Too many calls are running and waiting already."""

    code = "host_busy"
    retryable = True

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(f"Too many {what} at once (limit {limit}). Try again soon.")


class NestingTooDeep(CallError):
    """Abilities call one another deeper than the limit."""

    code = "nesting_too_deep"

    def __init__(self, name: str, limit: int) -> None:
        super().__init__(f"Ability {name!r} would run more than {limit} calls deep.")


class PackAbandoned(CallError):
    """A pack left too many threads behind; its writes are refused."""

    code = "pack_abandoned"

    def __init__(self, pack: str, count: int) -> None:
        super().__init__(
            f"Pack {pack!r} has {count} calls that never returned; new writes to it "
            "are refused until they do or the host restarts."
        )


class CallbackFailed(CallError):
    """The ability's own code raised; its text goes to the log only.

    Attributes:
        reference: id under which the log has the traceback.
    """

    code = "ability_callback_exception"
    fault: Fault = "failed"

    def __init__(self, name: str, reference: str) -> None:
        self.reference = reference
        super().__init__(
            f"Ability {name!r} failed inside. The host's log has the reason under "
            f"{reference}.",
            reference=reference,
        )


class AbilityFailed(CallError):
    """Raised by an ability to fail with a message the caller may read.

    Args:
        message: the sentence the caller reads.
        code: a stable word for programs, default ``ability_failed``.
        details: JSON values for programs.
    """

    fault: Fault = "failed"

    def __init__(
        self, message: str, *, code: str = "ability_failed", **details: Any
    ) -> None:
        self.code = code
        super().__init__(message, **details)


class AbilityTimeout(CallError):
    """The ability did not finish within its limit; what it changed is unknown."""

    code = "ability_timeout"
    fault: Fault = "unknown"
    retryable = True

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(f"Ability {name!r} did not finish within {seconds:g} s.")


class CallCancelled(CallError):
    """The caller went away while the ability ran."""

    code = "ability_cancelled"
    fault: Fault = "failed"

    def __init__(self, name: str) -> None:
        super().__init__(f"Ability {name!r} was cancelled by its caller.")


class CaptureFailed(CallError):
    """The state before could not be read, so the write did not start."""

    code = "capture_failed"
    retryable = True

    def __init__(self, target: str, reason: str) -> None:
        super().__init__(f"The state of {target} could not be read: {reason}")


class InvalidOutput(CallError):
    """The result does not fit the ability's output schema."""

    code = "ability_invalid_output"
    fault: Fault = "failed"

    def __init__(self, name: str, problems: Sequence[dict[str, str]]) -> None:
        self.problems = list(problems)
        places = "; ".join(f"{p['path'] or '/'}: {p['message']}" for p in problems)
        super().__init__(
            f"Ability {name!r} returned an invalid result: {places}",
            problems=self.problems,
        )


class StoreUnwritable(CallError):
    """The record of the write could not be made, so the write did not start."""

    code = "store_unwritable"
    retryable = True

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The write {name!r} was refused: its record cannot be stored now. "
            "Reads go on."
        )


class LedgerMissing(CallError):
    """No write may run without a record, and nothing keeps one."""

    code = "ledger_missing"
    fault: Fault = "refused"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Ability {name!r} writes, and nothing keeps the record of writes: this "
            "host only reads. 'abilities doctor' says why."
        )


class StoreUnreadable(CallError):
    """What is switched off cannot be read, so nothing is admitted."""

    code = "store_unreadable"
    retryable = True

    def __init__(self) -> None:
        super().__init__(
            "The host's store cannot be read now, so no call is admitted. "
            "'abilities doctor' shows the reason."
        )


class HostStopping(CallError):
    """The host is stopping and takes no more calls."""

    code = "host_stopping"
    retryable = True

    def __init__(self) -> None:
        super().__init__("The host is stopping and takes no more calls.")


class RecordFailed(CallError):
    """The write ran but its outcome could not be stored."""

    code = "record_failed"
    fault: Fault = "unknown"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The write {name!r} ran, but its outcome could not be stored; it shows "
            "as unknown until the facts are read."
        )


class Drifted(AbilitiesError):
    """Raised by `Domain.restore` when the current state is not the expected one.

    Attributes:
        current: the state found.
    """

    def __init__(self, current: Any) -> None:
        self.current = current
        super().__init__("The target has changed since; nothing was restored.")
