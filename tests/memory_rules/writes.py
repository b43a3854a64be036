"""Proposed writes as the host makes them, for rules to be held against."""

from collections.abc import Mapping
from typing import Any, cast

from abilities_host import Ability, Actor, State, Target
from abilities_host.ability import Annotations
from abilities_host.calls import Call, ProposedWrite, Request, Running, Surroundings
from abilities_host.calls.undo import Undo
from abilities_host.ledger import Entry

A = Target("files", "config/a")
B = Target("files", "free/b")
RULE: Mapping[str, Any] = {
    "domain": "files",
    "targets": ["config/**"],
    "effect": "deny",
}


def ability(name: str) -> Ability:
    return Ability(
        name=name,
        label="",
        description="",
        category="",
        input_schema=None,
        output_schema=None,
        shown_input_schema={},
        shown_output_schema=None,
        requires="write",
        annotations=Annotations(),
        meta={},
    )


def write(
    before: Mapping[Target, State],
    arguments: Any = None,
    *,
    name: str = "files/write",
    undo: Undo | None = None,
) -> ProposedWrite:
    request = Request(name=name, arguments=arguments, actor=Actor("agent"))
    call = Call(
        "1",
        ability(name),
        request,
        cast("Running", None),
        cast("Surroundings", None),
    )
    call.undo = undo
    return ProposedWrite(
        call,
        before,
        original=ability(undo.original) if undo else None,
        states=undo.states if undo else None,
    )


def undoing(
    expected: State,
    restored: State,
    *,
    arguments: Any = None,
    target: Target = A,
    now: State = None,
) -> ProposedWrite:
    """Undo a ``files/write`` that made `expected` of `restored`."""

    async def check(_: Mapping[Target, State]) -> None:
        return None

    undo = Undo(
        original="files/write",
        arguments=arguments,
        undoes=((1, target),),
        states={target: (expected, restored)},
        check=check,
    )
    before = expected if now is None else now
    return write({target: before}, {"id": 1}, name="ledger/rollback", undo=undo)


def entry(
    target: Target = A,
    *,
    name: str = "files/write",
    action: str = "updated",
    seq: int = 1,
) -> Entry:
    return Entry(
        seq=seq,
        at=0,
        kind="change",
        ability=name,
        domain=target.domain,
        target=target.name,
        action=action,
        details={},
    )
