"""Visit: one request of a person, as far as it is a pack's business."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeVar

from abilities_host.calls import Actor, Outcome

T = TypeVar("T")

Role = Literal["reviewer", "operator"]


class Visit(Protocol):
    """What a page of a pack is given."""

    @property
    def name(self) -> str:
        """Of the account."""
        ...

    @property
    def role(self) -> Role:
        """What the account may do now."""
        ...

    @property
    def actor(self) -> Actor:
        """The person, with the scopes of the account."""
        ...

    @property
    def query(self) -> Mapping[str, str]:
        """Of the address; the last value of each name."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Of the page's path."""
        ...

    @property
    def language(self) -> str:
        """One of the page's words that the browser asks for, or ``en``."""
        ...

    def text(self, text: str, /, **values: object) -> str:
        """Say something in that language.

        Args:
            text: in English.
            **values: for its braces.

        Returns:
            Plain text, not yet safe for HTML.
        """
        ...

    def find(self, protocol: type[T]) -> T | None:
        """Give a service that a pack or the host offers, None without one.

        Args:
            protocol: under which it is offered.
        """
        ...

    async def call(self, ability: str, arguments: Any = None) -> Outcome:
        """Run an ability through the envelope, as the person.

        Args:
            ability: its name.
            arguments: any JSON value.

        Returns:
            How it ended; refusals and failures are outcomes. While a page is shown
            whatever is not marked read-only is refused.
        """
        ...

    async def note(self, action: str, target: str = "", **details: Any) -> None:
        """Record what no service records, with the person as actor.

        Args:
            action: one word.
            target: what it was done to.
            details: JSON values, no secrets.
        """
        ...
