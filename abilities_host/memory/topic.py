"""Topic: what guidance is sorted under, and when it comes up."""

from dataclasses import dataclass
from typing import Literal

State = Literal["active", "inactive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One topic.

    Attributes:
        name: case-folded, at most 40 characters.
        state: guidance of an inactive topic is not recalled; its rules still hold.
        always_on: its guidance comes up without any word.
        recall: words that bring its guidance up.
        exclude: words that keep it out.
    """

    name: str
    state: State = "active"
    always_on: bool = False
    recall: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
