"""Request: what a surface hands to the envelope."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

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


class Request:
    """What a surface hands to the envelope; every surface hands over the same.

    It is made for every call, so it is a plain class: a frozen dataclass would take
    three times as long to make.

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
        numbers_in_strings: whether the client is known to send numbers as texts.
        repaired: what a route has mended in the arguments, as `Outcome.repaired`.
    """

    __slots__ = (
        "actor",
        "answer",
        "arguments",
        "client",
        "name",
        "numbers_in_strings",
        "parent",
        "progress",
        "repaired",
        "server",
        "session",
        "via",
    )

    def __init__(
        self,
        *,
        name: str,
        arguments: Any = None,
        actor: Actor,
        session: str = "",
        server: str | None = None,
        client: str = "",
        via: str = "",
        parent: "Call | None" = None,
        progress: Progress | None = None,
        answer: Answer | None = None,
        numbers_in_strings: bool = False,
        repaired: tuple[str, ...] = (),
    ) -> None:
        self.name: Final = name
        self.arguments: Final = arguments
        self.actor: Final = actor
        self.session: Final = session
        self.server: Final = server
        self.client: Final = client
        self.via: Final = via
        self.parent: Final = parent
        self.progress: Final = progress
        self.answer: Final = answer
        self.numbers_in_strings: Final = numbers_in_strings
        self.repaired: Final = repaired

    def __repr__(self) -> str:
        return f"Request({self.name!r}, actor={self.actor.id!r})"
