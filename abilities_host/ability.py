"""Ability: a named, described, schema-checked function, as registered."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Never

from abilities_host.component import Component
from abilities_host.names import namespace_of

Targets = Callable[[Any], Iterable[str] | Awaitable[Iterable[str]]]
PlanUndo = Callable[[Any, Any], Awaitable[Any]]
"""From validated arguments and call to the `Undo` that it is."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a write ability changes, so that the host can read it before and after.

    Attributes:
        domain: name of a registered domain.
        targets: function from the validated arguments to the targets, at most 1,000;
            it may be async. None when they are known only while running: the ability
            then calls ``await call.touch(domain, target)`` before each change.
        note: what a reader of the catalogue must know of putting it back, such as
            ``rows only``; empty when all of it can be.
        undo: makes this a write that undoes earlier ones, in any domain; it gives an
            `Undo`, and `domain` stays empty.
    """

    domain: str = ""
    targets: Targets | None = None
    note: str = ""
    undo: PlanUndo | None = None


@dataclass(frozen=True, slots=True)
class Annotations:
    """What the author says of the ability's effects; None means unspecified.

    Attributes:
        readonly: True only when it changes nothing.
        destructive: True when it may lose something.
        idempotent: True when a second run adds nothing.
    """

    readonly: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """One registered ability; a record, with nothing on it that could be run.

    The callbacks stay inside the registry: whoever holds an ability still has to come
    through the envelope.

    Attributes:
        name: ``namespace/name``.
        label: what a person reads.
        description: what a model reads.
        category: slug of a registered category.
        input_schema: the author's schema, frozen and never changed; None for none.
        output_schema: likewise for the result.
        shown_input_schema: the sanitised form that clients are shown.
        shown_output_schema: likewise.
        requires: coarse scope, such as ``write`` or ``notes:write``.
        changes: what it changes, None when nothing the host can read.
        annotations: the three safety annotations.
        meta: annotations, show_in_rest and whatever else the author said, frozen.
        time_limit: seconds for one run; None for the host's limit.
        renamed_from: earlier names, whose toggles it takes over.
        pack: identity of the pack that registered it, empty in tests.
        is_route: it only leads to another ability and changes nothing itself.
        component: what it is to a client: a tool, a resource or a prompt.
    """

    name: str
    label: str
    description: str
    category: str
    input_schema: Mapping[str, Any] | None
    output_schema: Mapping[str, Any] | None
    shown_input_schema: Mapping[str, Any]
    shown_output_schema: Mapping[str, Any] | None
    requires: str
    changes: Changes | None = None
    annotations: Annotations
    meta: Mapping[str, Any]
    time_limit: float | None = None
    renamed_from: tuple[str, ...] = ()
    pack: str = ""
    is_route: bool = False
    component: Component = field(default_factory=Component)

    def __reduce__(self) -> Never:
        msg = "an ability belongs to its registry and cannot be serialised"
        raise TypeError(msg)

    def __repr__(self) -> str:
        kind = "write" if self.is_write else "read"
        return f"Ability({self.name!r}, {kind}, pack={self.pack!r})"

    @property
    def namespace(self) -> str:
        """The part of the name before the slash."""
        return namespace_of(self.name)

    @property
    def is_write(self) -> bool:
        """Whether policy is asked before it runs; null is not read-only."""
        return self.annotations.readonly is not True

    @property
    def is_reversible(self) -> bool:
        """Whether the host reads what it changes and could put it back."""
        return self.changes is not None

    @property
    def reversal(self) -> bool | str:
        """Whether it could be put back: True, False, or how far in words."""
        return (self.changes.note or True) if self.changes else False

    def get_meta_item(self, key: str, default: Any = None) -> Any:
        """Give one meta item.

        Args:
            key: top-level key.
            default: what to give when it is missing.

        Returns:
            The item, frozen, or the default.
        """
        return self.meta.get(key, default)
