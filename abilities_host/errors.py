"""The exceptions of the host; each builds its own sentence from its data.

AbilitiesError
├── RegistrationError            a pack declared something that cannot be served
│   ├── InvalidName · InvalidSlug · InvalidArgument · UnknownArgument
│   ├── DuplicateName · UnknownCategory · ForeignNamespace · ForbiddenFilter
│   ├── InvalidSchema
│   └── RegistrationClosed
├── LookupFailed                 something asked for by name is not registered
├── PackError                    a pack could not be loaded or kept
├── CallError                    why a run was refused or failed; becomes an Outcome
│   ├── AbilityNotFound · InvalidInput · MissingInputSchema · PermissionDenied
│   ├── WriteVetoed · PolicyMissing · WriteInReadonly · NeedsAnswer
│   ├── TargetInvalid · TargetBusy · HostBusy · NestingTooDeep · PackAbandoned
│   ├── CallbackFailed · AbilityTimeout · InvalidOutput · CaptureFailed
│   └── StoreUnwritable · RecordFailed
├── Drifted                      a domain's state is not the expected one
├── ConfigError                  file, line, key and what was expected
├── StoreError                   StoreForeign · StoreNewer · StoreCorrupt
│                                StoreUnsafe · StoreBusy · StoreMissing
└── StartRefused                 the host would not keep its promises
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

Fault = Literal["refused", "failed", "unknown"]


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which known name was probably meant, as the end of a sentence.

    Args:
        name: what was written.
        known: the names that exist.

    Returns:
        `` Did you mean 'x'?`` with a leading blank, or an empty string.
    """
    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Join names for a sentence, saying how many were left out.

    Args:
        names: the names, in the order to show.
        limit: how many are shown at most.

    Returns:
        ``a, b, c and 4 more``, or ``none``.
    """
    every = list(names)
    shown = ", ".join(every[:limit])
    more = len(every) - limit
    return f"{shown} and {more} more" if more > 0 else shown or "none"


class AbilitiesError(Exception):
    """Base of every exception the host raises on purpose."""

    @property
    def sentence(self) -> str:
        """The whole message, ready to print."""
        return str(self)


# --- registration ---------------------------------------------------------------


class RegistrationError(AbilitiesError):
    """Raised by `register_*` when a pack declares something that cannot be served.

    While a pack's registration hook runs it is kept as a `Quarantined` record
    instead, so that the pack's other abilities are still served.

    Attributes:
        code: a stable word for programs, such as ``ability_invalid_name``.
        subject: the ability name or category slug it is about.
        pack: the pack that declared it, empty when unknown.
    """

    def __init__(self, code: str, subject: str, problem: str, *, pack: str = "") -> None:
        self.code = code
        self.subject = subject
        self.problem = problem
        self.pack = pack
        super().__init__(code, subject, problem)

    def __str__(self) -> str:
        by = f" (pack {self.pack!r})" if self.pack else ""
        return f"{self.subject!r}{by}: {self.problem}"


class InvalidName(RegistrationError):
    """Raised when an ability name is not ``namespace/name`` in lower case."""

    def __init__(self, name: object, fix: str = "", *, pack: str = "") -> None:
        problem = (
            "an ability name is 'namespace/name' of lower-case letters, digits and "
            "dashes, with exactly one slash."
        )
        if fix:
            problem += f" Write {fix!r}."
        super().__init__("ability_invalid_name", str(name), problem, pack=pack)


class InvalidSlug(RegistrationError):
    """Raised when a category slug is not lower-case words joined by single dashes."""

    def __init__(self, slug: object, fix: str = "", *, pack: str = "") -> None:
        problem = (
            "a category slug is lower-case letters and digits, words joined by single "
            "dashes."
        )
        if fix:
            problem += f" Write {fix!r}."
        super().__init__("category_invalid_slug", str(slug), problem, pack=pack)


class InvalidArgument(RegistrationError):
    """Raised when a registration argument is missing or has the wrong type.

    Attributes:
        argument: the argument's name.
        expected: what it should have been, in words.
        received: the type that came, or ``nothing``.
    """

    def __init__(
        self,
        subject: str,
        argument: str,
        expected: str,
        received: object = None,
        *,
        pack: str = "",
    ) -> None:
        self.argument = argument
        self.expected = expected
        self.received = "nothing" if received is None else type(received).__name__
        problem = f"{argument} must be {expected}, but {self.received} came."
        super().__init__("invalid_argument", subject, problem, pack=pack)


class UnknownArgument(RegistrationError):
    """Raised when a registration argument does not exist; guesses the one meant."""

    def __init__(
        self, subject: str, argument: str, known: Sequence[str], *, pack: str = ""
    ) -> None:
        self.argument = argument
        hint = nearest(argument, known) or f" There are: {listed(known, 20)}."
        problem = f"there is no argument {argument!r}.{hint}"
        super().__init__("unknown_argument", subject, problem, pack=pack)


class DuplicateName(RegistrationError):
    """Raised when a name is taken; the first registration stays."""

    def __init__(self, kind: str, name: str, owner: str, *, pack: str = "") -> None:
        self.owner = owner
        by = f" by pack {owner!r}" if owner else ""
        problem = f"this {kind} is already registered{by}; the first one stays."
        super().__init__(f"duplicate_{kind}", name, problem, pack=pack)


class UnknownCategory(RegistrationError):
    """Raised when an ability names a category that is not registered."""

    def __init__(
        self, name: str, category: str, known: Sequence[str], *, pack: str = ""
    ) -> None:
        self.category = category
        hint = nearest(category, known) or f" There are: {listed(known)}."
        problem = (
            f"category {category!r} is not registered.{hint} "
            "Register it in register_categories, which runs first."
        )
        super().__init__("unknown_category", name, problem, pack=pack)


class ForeignNamespace(RegistrationError):
    """Raised when a pack registers in a namespace that it has not claimed."""

    def __init__(self, name: str, claimed: Sequence[str], *, pack: str) -> None:
        problem = (
            f"this pack may register only in {listed(claimed)}. Claim the namespace "
            "in declare_pack, or rename the ability."
        )
        super().__init__("foreign_namespace", name, problem, pack=pack)


class ForbiddenFilter(RegistrationError):
    """Raised when an args filter changes what only the author may decide."""

    def __init__(self, name: str, argument: str, *, pack: str) -> None:
        self.argument = argument
        problem = (
            f"the args filter changed {argument!r}; a filter may change label, "
            "description, schemas and other meta of its own pack's abilities."
        )
        super().__init__("forbidden_filter", name, problem, pack=pack)


class InvalidSchema(RegistrationError):
    """Raised when a schema is not JSON Schema, too large, or could not be checked.

    Attributes:
        path: JSON pointer of the place inside the schema.
    """

    def __init__(
        self, subject: str, argument: str, path: str, problem: str, *, pack: str = ""
    ) -> None:
        self.argument = argument
        self.path = path
        text = f"{argument} at {path or '/'}: {problem}"
        super().__init__("invalid_schema", subject, text, pack=pack)


class RegistrationClosed(RegistrationError):
    """Raised when a pack that was given up on still tries to register."""

    def __init__(self, subject: str, *, pack: str) -> None:
        problem = "this pack was set aside because its hook did not finish in time."
        super().__init__("registration_closed", subject, problem, pack=pack)


class LookupFailed(AbilitiesError):
    """Raised by `get_*` for a name that is not registered; guesses the one meant."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        super().__init__(f"There is no {kind} {name!r}.{nearest(str(name), known)}")


class PackError(AbilitiesError):
    """Raised when a pack cannot be loaded or kept; `doctor` shows the sentence.

    Attributes:
        pack: the pack's identity, ``distribution/entry-point``.
        stage: what was being done, such as ``import`` or ``register_abilities``.
        reason: what went wrong and what to do about it.
    """

    def __init__(self, pack: str, stage: str, reason: str) -> None:
        self.pack = pack
        self.stage = stage
        self.reason = reason
        super().__init__(f"Pack {pack!r} was set aside at {stage}: {reason}")


# --- calls ----------------------------------------------------------------------


class CallError(AbilitiesError):
    """Base of the reasons a run is refused or fails; the envelope makes an Outcome.

    Attributes:
        code: a stable word for programs; WordPress's spelling where it has one.
        fault: whether the run was refused before it changed anything, failed, or
            nobody knows yet.
        message: the sentence the caller may read; never holds argument values.
        details: more for programs, JSON values only.
    """

    code = "call_failed"
    fault: Fault = "refused"

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
        places = "; ".join(f"{p['path'] or '/'}: {p['message']}" for p in problems)
        super().__init__(
            f"Ability {name!r} has invalid input: {places}", problems=self.problems
        )


class MissingInputSchema(CallError):
    """Arguments came for an ability that takes none."""

    code = "ability_missing_input_schema"

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
    """A required policy plugin is missing or unhealthy, so no write may run."""

    code = "policy_missing"

    def __init__(self, name: str, plugin: str) -> None:
        self.plugin = plugin
        super().__init__(
            f"The write {name!r} was refused: required plugin {plugin!r} is not "
            "healthy. Reads go on; 'abilities doctor' shows the reason.",
            plugin=plugin,
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

    def __init__(self, target: str, seconds: float) -> None:
        super().__init__(
            f"{target} is being changed by another call; waited {seconds:g} s. "
            "Try again.",
            target=target,
        )


class HostBusy(CallError):
    """Too many calls are running and waiting already."""

    code = "host_busy"

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

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(f"Ability {name!r} did not finish within {seconds:g} s.")


class CaptureFailed(CallError):
    """The state before could not be read, so the write did not start."""

    code = "capture_failed"

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

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The write {name!r} was refused: its record cannot be stored now. "
            "Reads go on."
        )


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


# --- configuration, store, start -------------------------------------------------


class ConfigError(AbilitiesError):
    """Raised when the configuration cannot be used; names file, line and key.

    Attributes:
        source: the file, variable or flag it came from.
        line: line in the file, 0 when there is none.
        key: dotted key, empty for the whole file.
    """

    def __init__(
        self, source: Path | str, problem: str, *, line: int = 0, key: str = ""
    ) -> None:
        self.source = source
        self.problem = problem
        self.line = line
        self.key = key
        place = f"{source}, line {line}" if line else str(source)
        about = f"{key}: " if key else ""
        super().__init__(f"{place}: {about}{problem}")


class StoreError(AbilitiesError):
    """Base of what can be wrong with the store; says which file and what to do."""

    def __init__(self, path: Path | str, problem: str) -> None:
        self.path = path
        self.problem = problem
        super().__init__(f"Store {path}: {problem}")


class StoreMissing(StoreError):
    """Raised when a store that existed has vanished."""


class StoreForeign(StoreError):
    """Raised when the file is not a store of this host, or is empty."""


class StoreNewer(StoreError):
    """Raised when a newer version of the host or a plugin wrote the store."""


class StoreCorrupt(StoreError):
    """Raised when the file is damaged."""


class StoreUnsafe(StoreError):
    """Raised when others may write the file, or its file system cannot be trusted."""


class StoreBusy(StoreError):
    """Raised when another process holds the store for longer than the limit."""


class StartRefused(AbilitiesError):
    """Raised when starting would break a promise; the sentence says what to do."""
