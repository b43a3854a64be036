"""Decisions: what permissions, policy and abilities may answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Never

from abilities_host.ability import Ability
from abilities_host.calls.actor import Actor
from abilities_host.calls.call import Call
from abilities_host.calls.outcome import Form
from abilities_host.calls.seen import SeenCall
from abilities_host.domain import MISSING, State, Target
from abilities_host.frozen import freeze


@dataclass(frozen=True, slots=True)
class Denied:
    """What a permission callback returns to say no with a reason.

    Attributes:
        reason: for the log.
        public: what the caller may read; empty for the usual sentence.
    """

    reason: str
    public: str = ""


@dataclass(frozen=True, slots=True)
class Veto:
    """What a `before_write` hook returns to stop the write.

    Attributes:
        reason: what the caller reads.
        rule: id of the rule that decided, for the record.
        plugin: who decided; the host fills it in.
        code: ``write_vetoed``, or ``hook_failed`` and ``hook_timeout`` by the host.
    """

    reason: str
    rule: str = ""
    plugin: str = ""
    code: str = "write_vetoed"


@dataclass(frozen=True, slots=True)
class Ask:
    """What a `before_write` hook returns to have a person asked first.

    Attributes:
        question: what the person reads.
        rule: id of the rule that asks, for the record.
        plugin: who asks; the host fills it in.
    """

    question: str
    rule: str = ""
    plugin: str = ""


class NeedsInput(Exception):
    """Raised by an ability, before its first change, to have a person asked.

    What the person said is the call's `answer` when the ability runs again; whether the
    content fits the form is the ability's to check, clients only promise it.

    Args:
        question: what the person reads.
        form: what the person is to fill in, an object schema whose properties are
            strings, numbers, booleans and enums; None for a plain yes or no.
        key: name of the form's answer on the wire, other than ``confirm``.

    Raises:
        TypeError: for a form that is no object schema, or a key that is taken.
    """

    def __init__(
        self,
        question: str,
        *,
        form: Mapping[str, Any] | None = None,
        key: str = "answer",
    ) -> None:
        if form is not None and (form.get("type") != "object" or key == "confirm"):
            msg = "a form is an object schema, and its key is not 'confirm'"
            raise TypeError(msg)
        self.question = question
        self.form = None if form is None else Form(key, form)
        super().__init__(question)


class ProposedWrite:
    """What a `before_write` hook sees: the write before it happens.

    Attributes:
        ability: what would run.
        actor: who calls.
        call: the whole call.
        targets: what it would change, canonical.
        original: for an undo, the ability that made the change.
        states: for an undo, target to (expected, restored) state.
    """

    __slots__ = ("_before", "call", "original", "states", "targets")

    call: Call
    targets: tuple[Target, ...]
    original: Ability | None
    states: Mapping[Target, tuple[State, State]]
    _before: Mapping[Target, State]

    def __init__(
        self,
        call: Call,
        before: Mapping[Target, State],
        *,
        original: Ability | None = None,
        states: Mapping[Target, tuple[State, State]] | None = None,
    ) -> None:
        keep = object.__setattr__
        keep(self, "call", SeenCall(call))
        keep(self, "targets", tuple(before))
        keep(self, "original", original)
        keep(self, "states", MappingProxyType(dict(states or {})))
        keep(self, "_before", before)

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError(f"a policy reads {name!r} of a write and changes nothing")

    def __delattr__(self, name: str) -> Never:
        raise AttributeError(f"a policy reads {name!r} of a write and changes nothing")

    @property
    def ability(self) -> Ability:
        """What would run."""
        return self.call.ability

    @property
    def actor(self) -> Actor:
        """Who calls."""
        return self.call.actor

    @property
    def arguments(self) -> Any:
        """The validated arguments, frozen; made when first read."""
        return self.call.arguments

    async def before(self, target: Target) -> State:
        """Give the state before the write.

        Args:
            target: one of `targets`.

        Returns:
            A frozen JSON value, bytes, or MISSING.

        Raises:
            KeyError: when the write does not name this target.
        """
        state = self._before[target]
        return state if state is MISSING else freeze(state)
