"""Request: what a surface hands to the envelope."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abilities_host.calls.actor import Actor

if TYPE_CHECKING:
    from abilities_host.calls.call import Call

Progress = Callable[[float, float | None, str | None], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer, with the state that says which question it answers.

    Attributes:
        state: the outcome's `state`, unchanged.
        is_accepted: whether the person agreed.
        content: what else the person said, JSON values.
    """

    state: str
    is_accepted: bool
    content: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a surface hands to the envelope; every surface hands over the same.

    Attributes:
        name: the ability's name.
        arguments: any JSON value; None for none.
        actor: who calls.
        session: host-minted session id.
        server: id of the exposing server; None for calls inside the process.
        client: the client's name, for the record.
        via: ``call-tool`` or another route, else empty.
        parent: the running call this one is nested in.
        progress: where progress goes, None for nowhere.
        answer: a person's answer to the question of an earlier outcome.
    """

    name: str
    arguments: Any = None
    actor: Actor
    session: str = ""
    server: str | None = None
    client: str = ""
    via: str = ""
    parent: "Call | None" = None
    progress: Progress | None = None
    answer: Answer | None = None
