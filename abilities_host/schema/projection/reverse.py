"""The way back: from what a client sent to what the author's schema means."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class Step(Protocol):
    """One change of values on the way to a client, and its undoing."""

    def image(self, value: Any) -> Any:
        """Give what a client would send for a value."""
        ...

    def apply(self, arguments: Any) -> Any:
        """Give the value that what a client sent stands for; never raises."""
        ...

    def describe(self) -> Mapping[str, Any]:
        """Say in JSON values what is changed."""
        ...


@dataclass(frozen=True, slots=True)
class ReverseMap:
    """The changes of values between an author's schema and a client.

    Attributes:
        steps: in the order in which values change on the way to the client.
    """

    steps: tuple[Step, ...] = ()

    @property
    def is_identity(self) -> bool:
        """Whether arguments come as the author's schema means them."""
        return not self.steps

    def apply(self, arguments: Any) -> Any:
        """Bring arguments back, before they are repaired and validated.

        Args:
            arguments: what a client sent, any value; not changed.

        Returns:
            What the author's schema means. What does not fit is left as it is, for
            validation to refuse.
        """
        for step in reversed(self.steps):
            arguments = step.apply(arguments)
        return arguments

    def image(self, value: Any) -> Any:
        """Give what a client sends that means a value.

        Args:
            value: valid for the author's schema; not changed.

        Returns:
            A value that is valid for the projection and that `apply` brings back.
        """
        for step in self.steps:
            value = step.image(value)
        return value

    def describe(self) -> dict[str, Any]:
        """Say in JSON values what is changed, for a person to read."""
        told: dict[str, Any] = {}
        for step in self.steps:
            told |= step.describe()
        return told
